import type { Outbound } from '../connections/framework.ts'
import type { Configuration } from '../source/configuration.ts'
import { nameOf } from '../source/source-files.ts'

/** Calls of programs that are configured by a file: reverse proxies (nginx, Caddy, Envoy) and Prometheus. */

interface ProxyTarget {
  readonly target: string
  readonly line: number
  /** The path that is passed on. */
  readonly path: string
}

const outboundOf = (file: string, type: string, { target, line, path }: ProxyTarget): Outbound => ({
  target_service: target,
  protocol: 'REST',
  type,
  source_file: file,
  line,
  caller: '',
  confidence: target.includes('${') ? 'low' : 'high',
  ...(path !== '' && { path }),
})

/** Variables of the environment are upper case; those of nginx are known only at run time. */
const variables = (text: string): string | undefined => {
  const filled = text.replace(/\$\{?([A-Z][A-Z0-9_]+)\}?/g, (_, name: string) => `\${${name}}`)
  return /\$(?!\{[A-Z])/.test(filled) ? undefined : filled
}

const PASS = /^\s*(?:proxy_pass|grpc_pass|uwsgi_pass|fastcgi_pass)\s+([^\s;]+)\s*;/

/** `proxy_pass` with the servers of its upstream, by the location around it. */
const nginxTargets = (text: string): readonly ProxyTarget[] => {
  const upstreams = new Map<string, string[]>()
  const passes: ProxyTarget[] = []
  let upstream: string[] | undefined
  let path = ''
  for (const [at, row] of text.split('\n').entries()) {
    const line = row.replace(/#.*$/, '')
    const [, name] = /^\s*upstream\s+([\w.-]+)/.exec(line) ?? []
    if (name !== undefined) {
      upstream = []
      upstreams.set(name, upstream)
    }
    for (const [, server = ''] of line.matchAll(/(?:^|[{;])\s*server\s+([^\s;{]+)(?=[^;{]*;)/g))
      upstream?.push(server)
    const [, location] = /^\s*location\s+(?:[=~*^]+\s+)?([^\s{]+)/.exec(line) ?? []
    if (location !== undefined) path = location
    const [, target] = PASS.exec(line.replace(/^.*\{\s*/, '')) ?? PASS.exec(line) ?? []
    if (target !== undefined) passes.push({ target, line: at + 1, path })
    if (line.includes('}')) upstream = undefined
  }
  return passes.flatMap((one) => {
    const scheme = /^[a-z]+:\/\//.exec(one.target)?.[0] ?? 'http://'
    const rest = one.target.slice(/^[a-z]+:\/\//.exec(one.target)?.[0].length ?? 0)
    const host = rest.replace(/\/.*$/, '')
    if (host.startsWith('unix:') || rest.startsWith('/')) return []
    return (upstreams.get(host) ?? [host]).map((server) => ({ ...one, target: `${scheme}${server}` }))
  })
}

/** `reverse_proxy /api/* orders:8080`, and `handle_path /api/* { reverse_proxy orders:8080 }`. */
const caddyTargets = (text: string): readonly ProxyTarget[] => {
  let path = ''
  return text.split('\n').flatMap((row, at) => {
    const [, handled] = /^\s*(?:handle|handle_path|route)\s+(\/\S*)/.exec(row) ?? []
    if (handled !== undefined) path = handled
    const [, words] = /^\s*(?:reverse_proxy|php_fastcgi)\s+([^#]*)/.exec(row) ?? []
    if (words === undefined) return []
    const parts = words.trim().split(/\s+/)
    const matched = parts.find((one) => one.startsWith('/'))
    return parts
      .filter((one) => !/^[/@*]|^\{$/.test(one) && one !== '')
      .map((one) => ({
        target: /^[a-z0-9]+:\/\//.test(one)
          ? one
          : `http://${one.replace(/\{\$([A-Z0-9_]+)(?::[^}]*)?\}/g, '$$$1')}`,
        line: at + 1,
        path: matched ?? path,
      }))
  })
}

export const proxyOutbound = (file: string, text: string): readonly Outbound[] => {
  const isCaddy = nameOf(file) === 'Caddyfile'
  if (!isCaddy && !/\.conf(\.\w+)?$/.test(file)) return []
  return (isCaddy ? caddyTargets(text) : nginxTargets(text)).flatMap((one) => {
    const target = variables(one.target)
    return target === undefined ? [] : [outboundOf(file, isCaddy ? 'Caddy' : 'nginx', { ...one, target })]
  })
}

const ENVOY_HOST =
  /(^|\.)clusters\[\d+\](\.load_assignment\.endpoints\[\d+\]\.lb_endpoints\[\d+\]\.endpoint\.address|\.hosts\[\d+\])\.socket_address\.address$/

const SCRAPED = /(^|\.)scrape_configs\[\d+\]\.static_configs\[\d+\]\.targets\[\d+\]$/

/** Clusters of Envoy, and what Prometheus scrapes. */
export const configuredCalls = ({ settings }: Configuration): readonly Outbound[] =>
  settings.flatMap(({ key, value, file, line }) => {
    const type = ENVOY_HOST.test(key) ? 'Envoy' : SCRAPED.test(key) ? 'Prometheus' : undefined
    const target = type === undefined ? undefined : variables(value)
    return type === undefined || target === undefined
      ? []
      : [outboundOf(file, type, { target: `http://${target}`, line, path: '' })]
  })

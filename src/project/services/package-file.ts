import { folderOf } from '../source/source-files.ts'
import type { ServiceDraft, ServiceKind } from './service-draft.ts'

/** What a package.json says about a deployable. */

interface PackageFile {
  readonly name?: unknown
  readonly private?: unknown
  readonly scripts?: Readonly<Record<string, unknown>>
  readonly bin?: unknown
  readonly dependencies?: Readonly<Record<string, unknown>>
}

const WEB = /^(next|nuxt|@angular\/core|vite|react-scripts|@sveltejs\/kit|@remix-run\/\w+|astro|gatsby|vue)$/
const SERVER =
  /^(express|fastify|koa|hono|@nestjs\/core|@hapi\/hapi|restify|@grpc\/grpc-js|apollo-server|@apollo\/server)$/
const MOBILE = /^(react-native|expo|@ionic\/\w+|nativescript)$/

export const packageDraft = (path: string, text: string | undefined): readonly ServiceDraft[] => {
  let parsed: PackageFile
  try {
    parsed = JSON.parse(text ?? '') as PackageFile
  } catch {
    return []
  }
  if (typeof parsed !== 'object' || parsed === null) return []
  const dependencies = Object.keys(parsed.dependencies ?? {})
  const scripts = Object.keys(parsed.scripts ?? {})
  const has = (pattern: RegExp) => dependencies.find((name) => pattern.test(name))
  const starts = scripts.some((name) => /^(start|serve|dev)(:|$)/.test(name))
  const found = has(MOBILE) ?? has(SERVER) ?? has(WEB)
  // A library has these frameworks only to be used with them: it does not start.
  if (found === undefined || !starts) return []
  const kind: ServiceKind = has(MOBILE) ? 'mobile application' : has(SERVER) ? 'service' : 'web application'
  const name = typeof parsed.name === 'string' ? parsed.name.replace(/^@[^/]+\//, '') : undefined
  return [
    {
      folder: folderOf(path),
      kind,
      evidence: { file: path, line: 1, reason: `start script, uses ${found}` },
      ...(name !== undefined && { aliases: [name] }),
    },
  ]
}

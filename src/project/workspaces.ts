import { expandBraces } from './glob.ts'

/** Modules that other build tools name, as patterns of folders from the file's own folder. */

/** In one pass: a thousand comments that never end must not be looked through a thousand times. */
const withoutBlocks = (text: string): string => {
  const kept: string[] = []
  let at = 0
  for (let start = text.indexOf('/*'); start !== -1; start = text.indexOf('/*', at)) {
    kept.push(text.slice(at, start))
    const end = text.indexOf('*/', start + 2)
    if (end === -1) return kept.join('')
    at = end + 2
  }
  return kept.join('') + text.slice(at)
}

const withoutComments = (text: string): string => withoutBlocks(text).replace(/(^|\s)\/\/.*$/gm, '$1')

/** `include ':a', ':b:c'` of Gradle, in both of its languages. A colon is a step down. */
export const gradleModules = (settings: string): readonly string[] => {
  const calls = withoutComments(settings).matchAll(/\binclude\s*\(?((?:\s*["'][^"'\n]{1,200}["']\s*,?)+)/g)
  return [...calls].flatMap(([, words = '']) =>
    [...words.matchAll(/["']([^"']+)["']/g)].map(([, name = '']) =>
      name.replace(/^:/, '').replaceAll(':', '/'),
    ),
  )
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** `workspaces` of a package.json, in both of its forms. */
export const npmModules = (source: string): readonly string[] => {
  let manifest: { workspaces?: unknown } | null
  try {
    manifest = JSON.parse(source)
  } catch {
    return []
  }
  const found = manifest?.workspaces
  const list = isTextList(found) ? found : (found as { packages?: unknown } | undefined)?.packages
  return isTextList(list) ? list.flatMap((pattern) => expandBraces(pattern)) : []
}

/** The list under `packages:` of a pnpm-workspace.yaml. Nothing else of the file matters, and no YAML is run. */
export const pnpmModules = (source: string): readonly string[] => {
  const lines = source.split('\n')
  const start = lines.findIndex((line) => /^packages\s*:\s*(#.*)?$/.test(line))
  if (start === -1) return []
  const found: string[] = []
  for (const line of lines.slice(start + 1)) {
    const item = /^\s*-\s*["']?([^"'#\s]+)["']?\s*(#.*)?$/.exec(line)
    if (item?.[1] !== undefined) found.push(item[1])
    else if (/^\S/.test(line)) break
  }
  return found
}

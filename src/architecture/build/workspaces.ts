import * as yaml from 'yaml'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { compileGlob, expandBraces, type PathTest } from '../../kernel/text/glob.ts'
import { readYaml } from '../../kernel/text/safe-yaml.ts'
import { folderOf, joinPath, nameOf, resolveBelow, type Warning } from '../source/source-files.ts'
import type { BuildModule, Dependency } from './build-module.ts'
import type { BuildFiles } from './maven.ts'

const YAML_LIMITS = { aliases: 50, depth: 64, nodes: 50_000 }

const stringItems = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const segments = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.')

/** Workspace globs are anchored at the root: a single name matches only a folder there. */
const matchesAny = (patterns: readonly string[]): PathTest => {
  const tests = patterns.flatMap(expandBraces).map(compileGlob)
  return (path) => tests.some((test) => test(path))
}

const readPackageFile = (files: BuildFiles, file: string, warnings: Warning[]): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(files.read(file) ?? '')
    if (isRecord(value)) return value
  } catch {
    // Falls through to the same warning as a file that is not an object.
  }
  warnings.push({ code: 'package_invalid', file, message: 'package.json is not a JSON object' })
  return {}
}

const pnpmPatterns = (files: BuildFiles, warnings: Warning[]): string[] => {
  const file = 'pnpm-workspace.yaml'
  if (!files.has(file)) return []
  try {
    const value = readYaml(yaml, files.read(file) ?? '', YAML_LIMITS)
    return isRecord(value) ? stringItems(value.packages) : []
  } catch {
    warnings.push({ code: 'yaml_invalid', file, message: 'the file is not valid YAML' })
    return []
  }
}

const SECTIONS = [
  ['dependencies', 'compile'],
  ['peerDependencies', 'provided'],
  ['devDependencies', 'test'],
] as const

/** The scope of `@scope/name` is the group; a name without scope has none. */
const dependency = (name: string, version: unknown, scope: string): Dependency => {
  const [, groupId = '', artifactId = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  return { groupId, artifactId, ...(typeof version === 'string' && { version }), scope }
}

const readModule = (files: BuildFiles, file: string, rootName: string, warnings: Warning[]): BuildModule => {
  const json = readPackageFile(files, file, warnings)
  const folder = folderOf(file)
  const name = stringOf(json.name) ?? (folder === '' ? rootName : nameOf(folder))
  const [version, description] = [stringOf(json.version), stringOf(json.description)]
  return {
    tool: 'npm',
    path: folder,
    name,
    file,
    artifactId: name,
    ...optional({ version, description }),
    modules: [],
    dependencies: SECTIONS.flatMap(([section, scope]) => {
      const list = json[section]
      return isRecord(list) ? Object.entries(list).map(([one, at]) => dependency(one, at, scope)) : []
    }),
  }
}

const patternsOf = (files: BuildFiles, warnings: Warning[]): string[] => {
  const { workspaces } = readPackageFile(files, 'package.json', [])
  const listed = isRecord(workspaces) ? stringItems(workspaces.packages) : stringItems(workspaces)
  return [...listed, ...pnpmPatterns(files, warnings)]
}

/** The packages of an npm, yarn or pnpm workspace. */
export const readWorkspaces = (
  files: BuildFiles,
  manifests: readonly string[],
  rootName: string,
): { readonly modules: readonly BuildModule[]; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = []
  const patterns = patternsOf(files, warnings)
  for (const pattern of patterns.filter((one) => resolveBelow('', one.replace(/^!/, '')) === undefined)) {
    const message = `the workspace ${JSON.stringify(pattern)} is outside of the project`
    warnings.push({ code: 'module_outside', file: 'package.json', message })
  }
  const wanted = patterns.filter((one) => !one.startsWith('!') && !one.includes('..'))
  const unwanted = patterns.filter((one) => one.startsWith('!')).map((one) => one.slice(1))
  const [isWanted, isUnwanted] = [matchesAny(wanted), matchesAny(unwanted)]
  const below = manifests.filter((file) => {
    const path = segments(folderOf(file))
    return path.length > 0 && isWanted(path) && !isUnwanted(path)
  })
  const modules = below.map((file) => readModule(files, file, rootName, warnings))
  const root = readModule(files, joinPath('', 'package.json'), rootName, warnings)
  return { modules: [{ ...root, modules: modules.map(({ path }) => path) }, ...modules], warnings }
}

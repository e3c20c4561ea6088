import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'
import { suggestCompiled } from './compiled.ts'
import { suggestNode } from './node.ts'
import { suggestPython } from './python.ts'
import type { DeclaringFiles, SuggestedCheck, Suggestions } from './suggestion.ts'

const HOOKS: readonly (readonly [name: string, note: string])[] = [
  ['.pre-commit-config.yaml', 'pre-commit'],
  ['lefthook.yml', 'lefthook'],
  ['.lefthook.yml', 'lefthook'],
  ['.husky', 'husky'],
]

/** Checks that the files of a repository declare the tools for. Nothing is run. */
export const suggestChecks = async (files: DeclaringFiles): Promise<Suggestions> => {
  const parts: readonly (readonly [kind: string, Suggestions])[] = [
    ['node', await suggestNode(files)],
    ['python', await suggestPython(files)],
    ['', await suggestCompiled(files)],
  ]
  const taken = new Set<string>()
  const checks = parts.flatMap(([kind, { checks: found }]) =>
    found.map((check): SuggestedCheck => {
      const name = taken.has(check.name)
        ? `${kind || check.run.replace(/\W.*/, '') || 'other'}-${check.name}`
        : check.name
      taken.add(name)
      return { ...check, name }
    }),
  )
  const hooks = HOOKS.filter(([name]) => files.names.has(name)).map(
    ([name, tool]) => `the hooks of ${tool} (${name}), which run beside the gate`,
  )
  return { checks, notes: [...parts.flatMap(([, { notes }]) => notes), ...hooks] }
}

const comment = (text: string): string => `# ${escapeHidden(text).replaceAll('\n', ' ')}`
const list = (items: readonly string[]): string =>
  `[${items.map((item) => (/^[A-Z_]+$/.test(item) ? item : JSON.stringify(item))).join(', ')}]`

const writeCheck = (check: SuggestedCheck): string[] => {
  const { name, run, reads, stages, timeout, paths, version, install, found } = check
  return [
    `  ${comment(`found: ${found}`)}`,
    `  ${name}:`,
    `    run: ${JSON.stringify(run)}`,
    `    reads: ${reads}`,
    `    stages: ${list(stages)}`,
    ...(paths === undefined ? [] : [`    paths: ${list(paths)}`]),
    `    timeout: ${timeout}`,
    ...(version === undefined ? [] : [`    version: ${JSON.stringify(version)}`]),
    ...(install === undefined ? [] : [`    install: ${JSON.stringify(install)}`]),
    '',
  ]
}

/** The suggestions as a checks file, with comments that say where each was found. */
export const writeChecksFile = ({ checks, notes }: Suggestions): string =>
  [
    comment(
      'Checks of the gate: commands that it runs besides its rules. Suggested by `warrant checks suggest`;',
    ),
    comment('read each command, remove what you would not run, and then allow them: warrant checks allow'),
    'checks:',
    ...checks.flatMap(writeCheck),
    ...(notes.length === 0
      ? []
      : [comment('Found, and not suggested:'), ...notes.map((note) => comment(`- ${note}`))]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')

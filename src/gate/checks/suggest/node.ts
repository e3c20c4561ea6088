import type { ReaderName } from '../readers/check-readers.ts'
import { findSimple, type NodePackage, readPackage, type SimpleCommand, writesFiles } from './node-scripts.ts'
import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type ProjectFiles,
  type SuggestedCheck,
  type Suggestions,
} from './suggestion.ts'

interface ToolCheck {
  readonly name: string
  readonly program: string
  /** The package that has to be declared; undefined for a program that comes with Node.js. */
  readonly dependency: string | undefined
  /** Arguments when no script gives them; undefined when only a script shows how the tool is used. */
  readonly args: string | undefined
  /** Names of scripts that show how the tool is used, the best first. */
  readonly scripts: readonly RegExp[]
  /** Arguments that are removed, because the reader needs others. */
  readonly without?: RegExp
  readonly add: string
  readonly reads: ReaderName
}

const REPORTERS = /(?:^|\s)(?:--reporters?(?:=|\s+)\S+|-R\s+\S+)/g
const FORMATS = /(?:^|\s)(?:--format(?:=|\s+)\S+|-f\s+\S+|-o\s+\S+|--reporter(?:=|\s+)\S+)/g
const TESTS = [/^unit$/, /^test[:-]unit$/, /^test$/, /^test[:-](?:ci|run|server|node|js)$/]
const LINTS = [
  /^lint$/,
  /^lint[:-](?:ci|js|ts|eslint|check)$/,
  /^(?:check|biome)(?:[:-](?:ci|lint))?$/,
  /lint/,
]

/** How to run a tool so that its results can be read. The first that fits is suggested for each name. */
const TOOLS: readonly ToolCheck[] = [
  {
    name: 'lint',
    program: 'eslint',
    dependency: 'eslint',
    args: '.',
    scripts: LINTS,
    without: FORMATS,
    add: '-f json -o $OUT',
    reads: 'eslint',
  },
  {
    name: 'lint',
    program: 'biome',
    dependency: '@biomejs/biome',
    args: 'check .',
    scripts: LINTS,
    without: FORMATS,
    add: '--reporter=github',
    reads: 'lines',
  },
  {
    name: 'lint',
    program: 'oxlint',
    dependency: 'oxlint',
    args: '',
    scripts: LINTS,
    without: FORMATS,
    add: '--format=unix',
    reads: 'lines',
  },
  {
    name: 'format',
    program: 'prettier',
    dependency: 'prettier',
    args: undefined,
    scripts: [/format|prettier/],
    add: '',
    reads: 'exit',
  },
  {
    name: 'tests',
    program: 'vitest',
    dependency: 'vitest',
    args: 'run',
    scripts: TESTS,
    without: REPORTERS,
    add: '--reporter=default --reporter=junit --outputFile.junit=$OUT',
    reads: 'junit',
  },
  {
    name: 'tests',
    program: 'mocha',
    dependency: 'mocha',
    args: '',
    scripts: TESTS,
    without: REPORTERS,
    add: '--reporter xunit --reporter-option output=$OUT',
    reads: 'junit',
  },
  { name: 'tests', program: 'jest', dependency: 'jest', args: '', scripts: TESTS, add: '', reads: 'exit' },
  {
    name: 'tests',
    program: 'node',
    dependency: undefined,
    args: undefined,
    scripts: TESTS,
    add: '',
    reads: 'junit',
  },
]

/** `node --test` takes its reporters before the files. */
const nodeTest = (args: string): string | undefined =>
  /(?:^|\s)--test(?:\s|$)/.test(args)
    ? args.replace(/(^|\s)--test(?=\s|$)/, '$1--test --test-reporter=junit --test-reporter-destination=$OUT')
    : undefined

const argumentsOf = (tool: ToolCheck, simple: SimpleCommand | undefined): string | undefined => {
  const given = simple === undefined ? tool.args : simple.args
  if (given === undefined) return undefined
  if (tool.program === 'node') return nodeTest(given)
  if (tool.program === 'prettier' && !/--check|-c\b/.test(given)) return undefined
  const kept =
    tool.without === undefined ? given : given.replace(tool.without, ' ').replace(/\s+/g, ' ').trim()
  // `vitest` alone watches; `biome format` alone is the formatter.
  const isMissingRun = tool.program === 'vitest' && !/^run\b|\s--run\b/.test(` ${kept}`.trimStart())
  return [isMissingRun ? 'run' : '', kept].filter((part) => part !== '').join(' ')
}

const TYPE_SCRIPT = /^(?:type-?check|check-?types|types|tsc|check|lint:types|test:types)(?::ci)?$/

const KINDS: readonly (readonly [name: string, scripts: readonly RegExp[], timeout: string])[] = [
  ['types', [TYPE_SCRIPT], '10m'],
  ['lint', [/^lint(?::ci)?$/], '10m'],
  ['tests', [/^unit$/, /^test[:-]unit$/, /^test(?:[:-]ci)?$/], '15m'],
]

/** The script that projects use for this kind of check. */
const usualScript = ({ scripts }: NodePackage, name: string): string | undefined => {
  const [, patterns = []] = KINDS.find(([kind]) => kind === name) ?? []
  return patterns.flatMap((pattern) => [...scripts.keys()].filter((key) => pattern.test(key)))[0]
}

const suggestTool = (project: NodePackage, tool: ToolCheck): SuggestedCheck | undefined => {
  const { manager, dependencies } = project
  if (tool.dependency !== undefined && !dependencies.has(tool.dependency)) return undefined
  const simple = findSimple(project, tool.program, tool.scripts)
  // A script of the usual name that does something else is how the project does it.
  if (simple === undefined && usualScript(project, tool.name) !== undefined) return undefined
  const args = argumentsOf(tool, simple)
  if (args === undefined) return undefined
  const usesJunit = tool.program === 'jest' && dependencies.has('jest-junit')
  const program = tool.program === 'node' ? 'node' : `${manager.exec} ${tool.program}`
  const variables = usesJunit ? 'JEST_JUNIT_OUTPUT_FILE=$OUT ' : ''
  const add = usesJunit ? '--reporters=default --reporters=jest-junit' : tool.add
  const script = simple === undefined ? '' : `, as in the script ${simple.script}`
  return {
    name: tool.name,
    run: [`${variables}${simple?.variables ?? ''}${program}`, args, add]
      .filter((part) => part !== '')
      .join(' '),
    reads: usesJunit ? 'junit' : tool.reads,
    stages: BEFORE_PUSH,
    timeout: tool.name === 'tests' ? '10m' : '5m',
    install: manager.install,
    found:
      tool.dependency === undefined ? `package.json${script}` : `${tool.dependency} in package.json${script}`,
  }
}

const SOURCES = ['**/*.{ts,tsx,mts,cts,js,jsx,vue,svelte,json}']

const suggestTypes = async (
  project: NodePackage,
  files: ProjectFiles,
): Promise<SuggestedCheck | undefined> => {
  const { manager, dependencies } = project
  const noEmit = new Map([...project.scripts].filter(([, command]) => command.includes('--noEmit')))
  const program = ['vue-tsc', 'tsc'].find((one) => dependencies.has(one === 'tsc' ? 'typescript' : one))
  if (program === undefined) return undefined
  const simple = findSimple({ ...project, scripts: noEmit }, program, [TYPE_SCRIPT, /./])
  const isNoEmit = simple !== undefined
  const config = await files.read('tsconfig.json')
  if (!isNoEmit && config === undefined) return undefined
  // A file that only lists projects checks nothing by itself.
  const isSolution = /"references"\s*:/.test(config ?? '') && /"files"\s*:\s*\[\s*\]/.test(config ?? '')
  const args = isNoEmit ? simple?.args : isSolution ? '-b --noEmit' : '--noEmit'
  const script = isNoEmit ? `, as in the script ${simple?.script}` : ' and tsconfig.json'
  return {
    name: 'types',
    run: `${manager.exec} ${program} ${args} --pretty false`,
    reads: 'tsc',
    stages: isNoEmit ? BEFORE_COMMIT : BEFORE_PUSH,
    timeout: '5m',
    paths: SOURCES,
    version: `${manager.exec} ${program} --version`,
    install: manager.install,
    found: `${program === 'tsc' ? 'typescript' : program} in package.json${script}`,
  }
}

/** The script of the package that a script hands over to, as `bun run --filter web lint`. */
const delegatedCommand = async (files: ProjectFiles, command: string, script: string): Promise<string> => {
  const [, name] = /(?:--filter|-F|workspace)[= ]([\w./-]+)/.exec(command) ?? []
  const inner = name === undefined ? undefined : await readPackage(files, `${name}/`)
  return inner?.scripts.get(script) ?? ''
}

/** A script with a usual name, when no tool was found that could be read better. */
const suggestScript = async (
  project: NodePackage,
  files: ProjectFiles,
  [name, , timeout]: (typeof KINDS)[number],
): Promise<SuggestedCheck | string | undefined> => {
  const script = usualScript(project, name)
  const command = script === undefined ? undefined : project.scripts.get(script)
  if (script === undefined || command === undefined || /no test specified/.test(command)) return undefined
  const inner = await delegatedCommand(files, command, script)
  if (writesFiles(command) || writesFiles(inner))
    return `the script ${script} of package.json, which changes files`
  if (/playwright|cypress/.test(`${command} ${inner}`))
    return `the script ${script} of package.json, which needs a browser and a running application`
  return {
    name,
    run: `${project.manager.name} run ${script}`,
    reads: 'exit',
    stages: BEFORE_PUSH,
    timeout,
    install: project.manager.install,
    found: `the script ${script} of package.json`,
  }
}

const BROWSER_TOOLS = ['@playwright/test', 'cypress']

/** Checks of a package of npm, pnpm, yarn or bun in the root folder. */
export const suggestNode = async (files: ProjectFiles): Promise<Suggestions> => {
  const project = await readPackage(files)
  if (project === undefined) return { checks: [], notes: [] }
  const checks = new Map<string, SuggestedCheck>()
  const notes: string[] = []
  const types = await suggestTypes(project, files)
  if (types !== undefined) checks.set(types.name, types)
  for (const tool of TOOLS) {
    const check = checks.has(tool.name) ? undefined : suggestTool(project, tool)
    if (check !== undefined) checks.set(check.name, check)
  }
  for (const kind of KINDS) {
    if (checks.has(kind[0])) continue
    const found = await suggestScript(project, files, kind)
    if (typeof found === 'string') notes.push(found)
    else if (found !== undefined) checks.set(found.name, found)
  }
  for (const tool of BROWSER_TOOLS)
    if (project.dependencies.has(tool)) notes.push(`${tool}, which needs a browser and a running application`)
  return { checks: [...checks.values()], notes }
}

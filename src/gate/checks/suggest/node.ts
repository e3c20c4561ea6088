import { isRecord, jsonOf } from '../../../kernel/encoding/json.ts'
import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'
import type { ReaderName } from '../readers/check-readers.ts'
import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type DeclaringFiles,
  type SuggestedCheck,
  type Suggestions,
} from './suggestion.ts'

interface NodeTool {
  readonly name: string
  readonly program: string
  /** The package that has to be declared; undefined for a program that comes with Node.js. */
  readonly dependency: string | undefined
  /** Arguments when no script gives them; undefined when only a script shows how the tool is used. */
  readonly args: string | undefined
  /** A file of the root folder without which these arguments find nothing. */
  readonly config?: RegExp
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

const LINT = { name: 'lint', scripts: LINTS, without: FORMATS }
const TEST = { name: 'tests', scripts: TESTS, without: REPORTERS, reads: 'junit' } as const
const VITEST = '--reporter=default --reporter=junit --outputFile.junit=$OUT'
const MOCHA = '--reporter xunit --reporter-option output=$OUT'
// Many projects run mocha in a browser, or from a program of their own.
const MOCHA_CONFIG = /^\.mocharc\./

/** A program in the package of its name. */
const own = (program: string) => ({ program, dependency: program })
const BIOME = { program: 'biome', dependency: '@biomejs/biome' }

/** How to run a tool so that its results can be read. The first that fits is suggested for each name. */
const NODE_TOOLS: readonly NodeTool[] = [
  { ...LINT, ...own('eslint'), args: '.', add: '-f json -o $OUT', reads: 'eslint' },
  { ...LINT, ...BIOME, args: 'check .', add: '--reporter=github', reads: 'lines' },
  { ...LINT, ...own('oxlint'), args: '', add: '--format=unix', reads: 'lines' },
  {
    ...own('prettier'),
    name: 'format',
    args: undefined,
    scripts: [/format|prettier/],
    add: '',
    reads: 'exit',
  },
  { ...TEST, ...own('vitest'), args: 'run', add: VITEST },
  { ...TEST, ...own('mocha'), args: '', config: MOCHA_CONFIG, add: MOCHA },
  { ...own('jest'), name: 'tests', args: '', scripts: TESTS, add: '', reads: 'exit' },
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

/** The arguments with which the results of a tool can be read; undefined when a script is needed to know them. */
const toolArguments = (tool: NodeTool, simple: SimpleCommand | undefined): string | undefined => {
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

interface NodePackage {
  readonly scripts: ReadonlyMap<string, string>
  readonly dependencies: ReadonlySet<string>
  readonly manager: PackageManager
}

interface PackageManager {
  readonly name: string
  /** Runs a program of `node_modules/.bin`. */
  readonly exec: string
  readonly install: string
}

const MANAGERS: readonly (PackageManager & { readonly locks: readonly string[] })[] = [
  { name: 'pnpm', exec: 'pnpm exec', install: 'pnpm install --frozen-lockfile', locks: ['pnpm-lock.yaml'] },
  { name: 'yarn', exec: 'yarn', install: 'yarn install', locks: ['yarn.lock'] },
  { name: 'bun', exec: 'bunx', install: 'bun install', locks: ['bun.lock', 'bun.lockb'] },
  { name: 'npm', exec: 'npx', install: 'npm ci', locks: ['package-lock.json', 'npm-shrinkwrap.json'] },
]
const NPM: PackageManager = { name: 'npm', exec: 'npx', install: 'npm install' }

const findManager = (manifest: Record<string, unknown>, names: ReadonlySet<string>): PackageManager => {
  const declared = typeof manifest.packageManager === 'string' ? manifest.packageManager : ''
  const byName = MANAGERS.find(({ name }) => declared.startsWith(`${name}@`))
  return byName ?? MANAGERS.find(({ locks }) => locks.some((lock) => names.has(lock))) ?? NPM
}

const MAX_SCRIPT = 500

/** Scripts that a person can read: short, in one line, without hidden characters. */
const readScripts = (manifest: Record<string, unknown>): ReadonlyMap<string, string> => {
  const scripts = isRecord(manifest.scripts) ? Object.entries(manifest.scripts) : []
  return new Map(
    scripts.filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' &&
        entry[1].length <= MAX_SCRIPT &&
        /^[\w:.@/-]{1,60}$/.test(entry[0]) &&
        !/[\n\r]/.test(entry[1]) &&
        escapeHidden(entry[1]) === entry[1],
    ),
  )
}

/** `package.json` of a folder, `''` for the root. Undefined when there is none, or it is not JSON. */
const readPackage = async (files: DeclaringFiles, folder = ''): Promise<NodePackage | undefined> => {
  const text = await files.read(`${folder}package.json`)
  const manifest = jsonOf(text ?? '')
  if (!isRecord(manifest)) return undefined
  const { dependencies, devDependencies } = manifest
  const all = [dependencies, devDependencies].flatMap((one) => (isRecord(one) ? Object.keys(one) : []))
  return {
    scripts: readScripts(manifest),
    dependencies: new Set(all),
    manager: findManager(manifest, files.names),
  }
}

/** A script that runs one program: variables before it, its name and its arguments. */
interface SimpleCommand {
  readonly script: string
  readonly variables: string
  readonly args: string
}

/** Arguments that change files or never end: such a script is no check. */
const WRITES = /(?:^|\s)(?:--fix\S*|--write|--unsafe|--watch|-w|-u|--update\S*|--ui|--apply\S*)(?=\s|$|=)/

const writesFiles = (command: string): boolean => WRITES.test(command)

const COMMAND = /^(?:cross-env\s+)?((?:[A-Z_][A-Z0-9_]*=\S+\s+)*)(?:npx\s+|bunx\s+)?(\S+)\s*(.*)$/

/** The part of a script that runs the program; parts are joined by `&&`. */
const parseScript = (script: string, command: string, program: string): SimpleCommand | undefined => {
  for (const part of command.split(/\s+&&\s+/)) {
    if (/[;&|<>`]|\$\(/.test(part) || writesFiles(part)) continue
    const [, variables = '', word, args = ''] = COMMAND.exec(part.trim()) ?? []
    if (word === program) return { script, variables, args: args.trim() }
  }
  return undefined
}

/** How scripts run a program: that of the script whose name fits the earliest pattern. */
const findSimple = (
  { scripts }: NodePackage,
  program: string,
  patterns: readonly RegExp[],
): SimpleCommand | undefined =>
  patterns
    .flatMap((pattern) => [...scripts].filter(([script]) => pattern.test(script)))
    .map(([script, command]) => parseScript(script, command, program))
    .find((found) => found !== undefined)

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

const suggestTool = (
  project: NodePackage,
  tool: NodeTool,
  names: ReadonlySet<string>,
): SuggestedCheck | undefined => {
  const { manager, dependencies } = project
  if (tool.dependency !== undefined && !dependencies.has(tool.dependency)) return undefined
  const simple = findSimple(project, tool.program, tool.scripts)
  // A script of the usual name that does something else is how the project does it.
  if (simple === undefined && usualScript(project, tool.name) !== undefined) return undefined
  const { config } = tool
  if (simple === undefined && config !== undefined && ![...names].some((name) => config.test(name)))
    return undefined
  const args = toolArguments(tool, simple)
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

/** The configuration of the type checker, and the arguments that check what it says. */
const findTypesConfig = async (
  files: DeclaringFiles,
): Promise<{ readonly path: string; readonly args: string } | undefined> => {
  const path = 'tsconfig.json'
  const text = await files.read(path)
  if (text !== undefined) {
    // A file that only lists projects checks nothing by itself.
    const isSolution = /"references"\s*:/.test(text) && /"files"\s*:\s*\[\s*\]/.test(text)
    return { path, args: isSolution ? '-b --noEmit' : '--noEmit' }
  }
  const inner = `src/${path}`
  return (await files.read(inner)) === undefined ? undefined : { path: inner, args: '--noEmit -p src' }
}

const suggestTypes = async (
  project: NodePackage,
  files: DeclaringFiles,
): Promise<SuggestedCheck | undefined> => {
  const { manager, dependencies } = project
  const noEmit = new Map([...project.scripts].filter(([, command]) => command.includes('--noEmit')))
  const program = ['vue-tsc', 'tsc'].find((one) => dependencies.has(one === 'tsc' ? 'typescript' : one))
  if (program === undefined) return undefined
  const simple = findSimple({ ...project, scripts: noEmit }, program, [TYPE_SCRIPT, /./])
  const isNoEmit = simple !== undefined
  const config = isNoEmit ? undefined : await findTypesConfig(files)
  if (!isNoEmit && config === undefined) return undefined
  const args = isNoEmit ? simple.args : config?.args
  const script = isNoEmit ? `, as in the script ${simple.script}` : ` and ${config?.path}`
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
const delegatedCommand = async (files: DeclaringFiles, command: string, script: string): Promise<string> => {
  const [, name] = /(?:--filter|-F|workspace)[= ]([\w./-]+)/.exec(command) ?? []
  const inner = name === undefined ? undefined : await readPackage(files, `${name}/`)
  return inner?.scripts.get(script) ?? ''
}

/** A script with a usual name, when no tool was found that could be read better. */
const suggestScript = async (
  project: NodePackage,
  files: DeclaringFiles,
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
export const suggestNode = async (files: DeclaringFiles): Promise<Suggestions> => {
  const project = await readPackage(files)
  if (project === undefined) return { checks: [], notes: [] }
  const checks = new Map<string, SuggestedCheck>()
  const notes: string[] = []
  const types = await suggestTypes(project, files)
  if (types !== undefined) checks.set(types.name, types)
  for (const tool of NODE_TOOLS) {
    const check = checks.has(tool.name) ? undefined : suggestTool(project, tool, files.names)
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

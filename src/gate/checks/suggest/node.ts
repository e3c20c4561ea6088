import {
  findSimple,
  NODE_TOOLS,
  type NodePackage,
  type NodeTool,
  readPackage,
  toolArguments,
  writesFiles,
} from './node-scripts.ts'
import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type DeclaringFiles,
  type SuggestedCheck,
  type Suggestions,
} from './suggestion.ts'

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

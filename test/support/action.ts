import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly shell?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

type Context = Readonly<Record<string, string>>

/** `${{ a.b }}` and `${{ a.b == 'c' }}`, the only expressions in our action. Anything else throws. */
const evaluate = (expression: string, context: Context): string => {
  const [, name = '', literal] = /^([\w.-]+)(?:\s*==\s*'([^']*)')?$/.exec(expression) ?? []
  // The output of a step that ended before it wrote one is empty.
  const value = context[name] ?? (name.startsWith('steps.') ? '' : undefined)
  if (value === undefined) throw new Error(`the action asks for ${expression}`)
  return literal === undefined ? value : String(value === literal)
}

const fill = (text: string, context: Context): string =>
  text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => evaluate(expression, context))

/** Reads the outputs file of a step. */
const readOutputs = (file: string, id: string): Context =>
  Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [
        `steps.${id}.outputs.${line.slice(0, line.indexOf('='))}`,
        line.slice(line.indexOf('=') + 1),
      ]),
  )

/** Runs the steps of a composite action as a runner does, except steps with `uses`. */
export const runAction = (
  file: string,
  workspace: string,
  given: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
) => {
  const action = parse(readFileSync(file, 'utf8')) as Action
  const temp = mkdtempSync(join(tmpdir(), 'warrant-runner-'))
  const output = join(temp, 'output')
  const inputs = Object.entries(action.inputs).map(([name, input]) => {
    const value = given[name] ?? input.default
    if (value === undefined) throw new Error(`the action needs ${name}`)
    return [`inputs.${name}`, value]
  })
  let context: Context = {
    ...Object.fromEntries(inputs),
    'runner.temp': temp,
    'github.action_path': dirname(file),
    'github.event.pull_request.head.repo.full_name': env.HEAD_REPOSITORY ?? '',
  }
  const used: string[] = []
  let status: number | null = 0
  let said = ''
  for (const step of action.runs.steps) {
    if (status !== 0 || (step.if !== undefined && fill(step.if, context) !== 'true')) continue
    if (step.uses !== undefined) used.push(step.uses)
    if (step.run === undefined) continue
    writeFileSync(output, '')
    const script = join(temp, 'step.sh')
    writeFileSync(script, fill(step.run, context))
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value, context)])
    const child = spawnSync(step.shell ?? '', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: join(workspace, fill(step['working-directory'] ?? '.', context)),
      env: {
        ...env,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: workspace,
        GITHUB_OUTPUT: output,
        RUNNER_TEMP: temp,
        ...Object.fromEntries(own),
      },
      encoding: 'utf8',
    })
    status = child.status
    said += child.stdout + child.stderr
    context = { ...context, ...readOutputs(output, step.id ?? '') }
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value, context)])
  return { status, said, used, outputs: Object.fromEntries(outputs) as Readonly<Record<string, string>> }
}

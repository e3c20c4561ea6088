import * as z from 'zod'
import { ContentAnswer } from '../kernel/content-answer.ts'
import { Fault } from '../kernel/fault.ts'
import { quotePath } from '../kernel/jail.ts'
import type { Freshness, LogLevel } from '../kernel/ports.ts'
import { type CallContext, defineTool, type Tool } from '../kernel/tool.ts'
import type { JobName, Jobs, RunJob } from './jobs.ts'

/** What the tools of this room need from outside. */
export interface ProjectPorts {
  readonly run: RunJob
  /** Largest answer, in bytes. */
  readonly answerBytes: number
  /** What the repository is at, as far as it is known by now. */
  readonly freshness?: () => Promise<Freshness | undefined>
}

const FreshnessShape = z
  .object({
    head: z.string().optional(),
    dirty: z.boolean().optional(),
    at: z.string(),
  })
  .optional()

/** Room for the facts beside a text. */
const ASIDE = 4_096

export const textBytes = ({ answerBytes }: ProjectPorts): number => Math.max(1_024, answerBytes - ASIDE)

/** A path that tries to lead out, in words: an attempt that came to nothing. */
const ATTEMPTS = new Set(['jail.traversal', 'jail.home', 'jail.outside_root', 'jail.bad_path'])

/** Bad arguments and blocked paths are warnings; what else is refused broke a rule of security, and is an error. */
const levelOf = ({ kind, code }: Fault): LogLevel => {
  if (kind === 'corrupt' || kind === 'unavailable') return 'error'
  return kind === 'refused' && !ATTEMPTS.has(code) ? 'error' : 'warn'
}

/** Leaves a word in the log: what was asked at `debug`, what was refused louder. */
export const withCallLog = async <T>(
  { log }: CallContext,
  job: string,
  path: unknown,
  run: () => Promise<T>,
): Promise<T> => {
  const fields = path === undefined ? {} : { path: quotePath(String(path)) }
  log.write('debug', `asked: ${job}`, fields)
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof Fault) {
      const word = thrown.kind === 'refused' ? 'blocked' : 'not done'
      log.write(levelOf(thrown), `${word}: ${job}`, { reason: thrown.code, ...fields })
    }
    throw thrown
  }
}

export const runJob = <K extends JobName>(
  { run }: ProjectPorts,
  call: CallContext,
  job: K,
  args: Parameters<Jobs[K]>[1],
): Promise<ReturnType<Jobs[K]>> =>
  withCallLog(call, job, 'path' in args ? args.path : undefined, () => run(job, args, call))

interface JobToolDefinition<K extends JobName, I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: I
  readonly output: O
  readonly job: K
  /** The arguments of the job. `bytes` is the size that a text in the answer may have. */
  readonly request: (args: z.output<I>, bytes: number) => Parameters<Jobs[K]>[1]
  readonly answer: (result: ReturnType<Jobs[K]>, call: CallContext) => z.input<O> | ContentAnswer<z.input<O>>
}

const addFreshness = (answer: unknown, freshness: Freshness | undefined): unknown => {
  if (freshness === undefined) return answer
  if (!(answer instanceof ContentAnswer)) return { ...(answer as object), freshness }
  const texts = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return new ContentAnswer({ ...(answer.value as object), freshness }, ...texts)
}

/** A tool that runs one job, logs the call, and adds the state of the repository (`freshness`) to the answer. */
export const defineJobTool = <K extends JobName, I extends z.ZodObject, O extends z.ZodObject>(
  ports: ProjectPorts,
  { output, job, request, answer, ...definition }: JobToolDefinition<K, I, O>,
): Tool =>
  defineTool({
    ...definition,
    effect: 'read',
    output: output.extend({ freshness: FreshnessShape }),
    run: async (args, call) => {
      // Concurrently: both may wait for the disk.
      const [result, freshness] = await Promise.all([
        runJob(ports, call, job, request(args, textBytes(ports))),
        ports.freshness?.(),
      ])
      return addFreshness(answer(result, call), freshness) as never
    },
  })

/** A file with several names may be known outside of the root under another one: worth a word to the operator. */
export const warnHardLinked = (
  { log }: CallContext,
  { path, shared }: { readonly path: string; readonly shared: boolean },
): void => {
  if (shared) log.write('warn', 'read a file that has other names', { path: quotePath(path) })
}

export const PathInput = z.string().describe('Path from the project root; "." is the root.')

const line = z.int().min(1)
export const lineInputs = {
  startLine: line.optional().describe('First line wanted, from 1.'),
  endLine: line.optional().describe('Last line wanted, inclusive.'),
  head: line.optional().describe('Only the first lines.'),
  tail: line.optional().describe('Only the last lines.'),
}

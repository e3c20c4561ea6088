import * as z from 'zod'
import { ContentAnswer } from '../kernel/content-answer.ts'
import { Fault } from '../kernel/fault.ts'
import { quotePath } from '../kernel/jail.ts'
import type { Freshness, LogLevel } from '../kernel/ports.ts'
import { type CallContext, defineTool, type Tool } from '../kernel/tool.ts'
import type { JobName, Jobs, RunJob } from './jobs.ts'

/** Dependencies of the project tools. */
export interface ProjectPorts {
  readonly run: RunJob
  /** Largest answer, in bytes. */
  readonly answerBytes: number
  /** Commit and state of the working tree; undefined while unknown. */
  readonly freshness?: () => Promise<Freshness | undefined>
}

const FreshnessShape = z
  .object({
    head: z.string().optional(),
    dirty: z.boolean().optional(),
    at: z.string(),
  })
  .optional()

/** Bytes reserved for the structured content beside a text. */
const STRUCTURED_BYTES = 4_096

export const textBytes = ({ answerBytes }: ProjectPorts): number =>
  Math.max(1_024, answerBytes - STRUCTURED_BYTES)

/** Refusals by the spelling of a path alone: no file was opened. */
const REFUSED_BY_SPELLING = new Set(['jail.traversal', 'jail.home', 'jail.outside_root', 'jail.bad_path'])

/** Bad arguments and paths refused by spelling are warnings; other refusals are security violations: errors. */
const levelOf = ({ kind, code }: Fault): LogLevel => {
  if (kind === 'corrupt' || kind === 'unavailable') return 'error'
  return kind === 'refused' && !REFUSED_BY_SPELLING.has(code) ? 'error' : 'warn'
}

/** Logs the call at `debug`, and a fault at `warn` or `error`. */
export const withCallLog = async <T>(
  { log }: CallContext,
  job: string,
  path: unknown,
  run: () => Promise<T>,
): Promise<T> => {
  const fields = path === undefined ? {} : { path: quotePath(String(path)) }
  log.write('debug', `requested: ${job}`, fields)
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof Fault) {
      const outcome = thrown.kind === 'refused' ? 'blocked' : 'failed'
      log.write(levelOf(thrown), `${outcome}: ${job}`, { reason: thrown.code, ...fields })
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

/** A hard link may name the same file outside of the root: the operator should know. */
export const warnHardLinked = (
  { log }: CallContext,
  { path, shared }: { readonly path: string; readonly shared: boolean },
): void => {
  if (shared) log.write('warn', 'read a file that has other hard links', { path: quotePath(path) })
}

export const PathInput = z.string().describe('Path from the root; "." is the root.')

const line = z.int().min(1)
export const lineInputs = {
  startLine: line.optional().describe('First line to return, counted from 1.'),
  endLine: line.optional().describe('Last line to return, inclusive.'),
  head: line.optional().describe('Return only this many lines from the start.'),
  tail: line.optional().describe('Return only this many lines from the end.'),
}

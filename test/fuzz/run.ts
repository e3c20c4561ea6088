import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import * as z from 'zod'
import { defineFaults } from '../../src/kernel/fault.ts'
import { definePrompt } from '../../src/kernel/prompt.ts'
import { defineResource } from '../../src/kernel/resource.ts'
import { defineTool, NoInput } from '../../src/kernel/tool.ts'
import { Connection } from '../../src/mcp/connection.ts'
import type { Service } from '../../src/mcp/service.ts'
import { serveLines } from '../../src/mcp/stdio.ts'
import { makeService } from '../support/service.ts'
import { LINE_BYTES, type Session, sessions } from './frames.ts'
import { judge } from './oracle.ts'

const SECRET = 'secret detail'
const HANG_MS = 15_000

const faults = defineFaults('fuzz', { no: { kind: 'refused', fix: 'Ask for something else.' } })
const base = { title: 'Fuzz', description: 'For the fuzzer.', effect: 'read' } as const
const crash = () => {
  throw new Error(SECRET)
}

const toolset = {
  tools: [
    defineTool({
      ...base,
      name: 'echo',
      input: z.strictObject({ value: z.unknown() }),
      output: z.strictObject({ value: z.unknown() }),
      run: ({ value }) => ({ value: value ?? null }),
    }),
    defineTool({
      ...base,
      name: 'add',
      input: z.strictObject({ a: z.number(), b: z.number() }),
      output: z.strictObject({ sum: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    defineTool({
      ...base,
      name: 'later',
      input: z.strictObject({ turns: z.int().min(0).max(5).default(1) }),
      output: z.strictObject({ turns: z.int() }),
      async run({ turns }) {
        for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
        return { turns }
      },
    }),
    defineTool({
      ...base,
      name: 'steps',
      input: z.strictObject({ turns: z.int().optional() }),
      output: z.strictObject({ done: z.boolean() }),
      async run(_, call) {
        call.progress(1, 3)
        await new Promise(setImmediate)
        call.progress(3, 3, 'done')
        return { done: true }
      },
      render: () => [{ type: 'text', text: 'done' }],
    }),
    defineTool({
      ...base,
      name: 'refuse',
      input: z.looseObject({}),
      output: NoInput,
      run: () => {
        throw faults.no('not today', { cause: new Error(SECRET), detail: { reason: 'fuzz' } })
      },
    }),
    defineTool({ ...base, name: 'crash', input: z.looseObject({}), output: NoInput, run: crash }),
    defineTool({
      ...base,
      name: 'crash_later',
      input: z.looseObject({}),
      output: NoInput,
      run: async () => crash(),
    }),
    defineTool({
      ...base,
      name: 'big',
      input: z.looseObject({}),
      output: z.strictObject({ text: z.string() }),
      run: () => ({ text: 'x'.repeat(20_000) }),
    }),
    defineTool({ ...base, name: 'test.echo', input: NoInput, output: NoInput, run: () => ({}) }),
  ],
  resources: [
    defineResource({
      ...base,
      name: 'note',
      uri: 'test://note',
      mimeType: 'text/plain',
      read: () => 'a note',
    }),
    defineResource({
      ...base,
      name: 'blob',
      uri: 'test://blob',
      mimeType: 'application/octet-stream',
      read: async () => new Uint8Array([0, 255]),
    }),
    defineResource({
      ...base,
      name: 'item',
      uri: 'test://item/{id}',
      mimeType: 'text/plain',
      read: ({ id }) => `item ${id}`,
      complete: () => ['a', 'b'],
    }),
  ],
  prompts: [
    definePrompt({
      ...base,
      name: 'greet',
      args: z.strictObject({ id: z.string().optional() }),
      get: () => [{ role: 'user', content: { type: 'text', text: 'hello' } }],
      complete: () => ['a'],
    }),
  ],
}

const open = (dialect: Session['dialect']): Service =>
  makeService({
    toolset,
    dialect,
    // A lost answer must show as a hang, and not be hidden by the end of the connection.
    limits: { lineBytes: LINE_BYTES, drainMs: 10 * HANG_MS, answerBytes: 10_000 },
    keepLogs: false,
  }).service

const services = { standard: open('standard'), sentinel: open('sentinel'), scg: open('scg') }

const cutUp = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const places = [
    0,
    ...cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b),
    bytes.length,
  ]
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end))
}

/** Runs a session and returns the output, or how it failed. */
export const play = async (
  { direct, dialect, frames, cuts }: Session,
  ms = HANG_MS,
): Promise<string | Error> => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { ended } = serveLines(services[dialect], input, output, { direct })
  const written: Buffer[] = []
  output.on('data', (part: Buffer) => written.push(part))
  try {
    for (const chunk of cutUp(Buffer.concat(frames.map(({ bytes }) => bytes)), cuts)) {
      // Passed on synchronously, so that an exception of the reader is thrown here.
      if (chunk.length > 0) input.emit('data', chunk)
      await new Promise(setImmediate)
    }
    input.end()
  } catch (thrown) {
    return new Error(`threw ${(thrown as Error)?.stack ?? String(thrown)}`)
  }
  const controller = new AbortController()
  const late = sleep(ms, 'late', { signal: controller.signal }).catch(() => '')
  const how = await Promise.race([ended, late])
  controller.abort()
  output.end()
  if (how === 'late') return new Error(`not settled after ${ms} ms`)
  return Buffer.concat(written).toString('utf8')
}

/** The problem of a session; undefined when there is none. */
export const findFault = async (
  session: Session,
  ms = HANG_MS,
): Promise<{ readonly flaw: string | undefined; readonly tally: readonly string[] }> => {
  const written = await play(session, ms)
  if (written instanceof Error) return { flaw: written.message, tally: [] }
  const { flaw, messages } = judge(session, written, SECRET)
  const tally = messages.map(({ method, error }) => {
    if (method !== undefined) return 'notification'
    return error === undefined ? 'result' : `error ${error.code}`
  })
  return { flaw, tally }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The answer to each line of a session when the client waits for every answer. */
const answerEach = async ({ dialect }: Session, lines: readonly string[], direct: boolean) => {
  const sent: string[] = []
  const answers: string[] = []
  const connection = new Connection(services[dialect], (line) => sent.push(line), { direct })
  for (const line of lines) {
    connection.receive(line)
    await connection.settled()
    await turn()
    answers.push(sent.splice(0).sort().join('\n'))
  }
  await connection.close()
  return answers
}

/** The first line that the direct path and the SDK path answer differently. */
export const findDifference = async (session: Session): Promise<string | undefined> => {
  const text = Buffer.concat(session.frames.map(({ bytes }) => bytes)).toString('utf8')
  const lines = text.split('\n')
  const [direct, viaSdk] = [await answerEach(session, lines, true), await answerEach(session, lines, false)]
  const at = lines.findIndex((_, line) => direct[line] !== viaSdk[line])
  if (at === -1) return undefined
  const before = lines.slice(0, at + 1).map((line) => line.slice(0, 400))
  return `${session.dialect}\n${before.join('\n')}\ndirect: ${direct[at]}\nthrough the SDK: ${viaSdk[at]}`
}

/** Shrinks a failing session by leaving out frames. */
const shrink = async (session: Session): Promise<Session> => {
  let best = session
  const deadline = performance.now() + 20_000
  for (let size = Math.ceil(best.frames.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.frames.length && performance.now() < deadline; ) {
      const frames = best.frames.toSpliced(at, size)
      const shorter = { ...best, frames, cuts: [] }
      if (frames.length > 0 && (await findFault(shorter, 500)).flaw !== undefined) best = shorter
      else at += size
    }
  }
  return best
}

const show = ({ direct, dialect, frames }: Session): string =>
  [
    `direct: ${direct}, dialect: ${dialect}`,
    ...frames.map(({ kind, bytes }) => `${kind}: ${JSON.stringify(bytes.toString('latin1').slice(0, 400))}`),
  ].join('\n  ')

export interface Report {
  readonly frames: number
  readonly seconds: number
  readonly kinds: ReadonlyMap<string, number>
  readonly outcomes: ReadonlyMap<string, number>
  /** Heap in megabytes after a garbage collection, several times during the run. */
  readonly heap: readonly number[]
  readonly peakRss: number
}

const MB = 1024 * 1024
const SESSION_FRAMES = 50
const BATCH = 20

// The used heap is only meaningful after a garbage collection.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Runs `total` frames in sessions generated from `seed`. Throws at the first failure. */
export const fuzz = async (
  total: number,
  seed: number,
  progress?: (frames: number) => void,
): Promise<Report> => {
  const start = performance.now()
  const kinds = new Map<string, number>()
  const outcomes = new Map<string, number>()
  const heap: number[] = []
  let [frames, peakRss] = [0, 0]
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  const arbitrary = sessions(SESSION_FRAMES)
  for (let batch = 0; frames < total; batch += 1) {
    for (const [at, session] of fc.sample(arbitrary, { seed: seed + batch, numRuns: BATCH }).entries()) {
      const { flaw, tally } = await findFault(session)
      if (flaw !== undefined) {
        const small = await shrink(session)
        const { flaw: rest = flaw } = await findFault(small, 500)
        throw new Error(`seed ${seed}, batch ${batch}, session ${at}: ${rest}\n  ${show(small)}`)
      }
      for (const { kind } of session.frames) add(kinds, kind)
      for (const outcome of tally) add(outcomes, outcome)
      frames += session.frames.length
    }
    peakRss = Math.max(peakRss, process.memoryUsage.rss() / MB)
    if (frames >= ((heap.length + 1) * total) / 20) {
      collect()
      heap.push(process.memoryUsage().heapUsed / MB)
      progress?.(frames)
    }
  }
  return { frames, seconds: (performance.now() - start) / 1000, kinds, outcomes, heap, peakRss }
}

const table = (map: ReadonlyMap<string, number>): string =>
  [...map]
    .sort(([, a], [, b]) => b - a)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')

export const describeReport = (
  seed: number,
  { frames, seconds, kinds, outcomes, heap, peakRss }: Report,
): string =>
  [
    `fuzz: seed ${seed}, ${frames} frames in ${seconds.toFixed(1)} s, ${Math.round(frames / seconds)} frames/s`,
    `fuzz: sent ${table(kinds)}`,
    `fuzz: got ${table(outcomes)}`,
    `fuzz: heap ${heap.map((size) => size.toFixed(0)).join(' ')} MB, peak RSS ${peakRss.toFixed(0)} MB`,
    '',
  ].join('\n')

/** The seed of this run: the same one every time, unless FUZZ_SEED says otherwise. */
export const readSeed = (): number => Number(process.env.FUZZ_SEED ?? 20_260_728)

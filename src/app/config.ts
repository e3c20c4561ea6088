import * as z from 'zod'
import { DEFAULT_LIMITS } from '../kernel/limits.ts'
import { LOG_FORMATS, LOG_LEVELS } from '../platform/log.ts'

const names = z.array(z.string().min(1))
const count = z.int().positive()

/**
 * Everything that can be set. A key `limits.callMs` is the flag `--limits-call-ms` and the variable
 * `WARRANT_LIMITS_CALL_MS`; nothing else in the program reads the environment.
 */
export const Config = z.strictObject({
  root: z.string().min(1).default('.').describe('Folder the server speaks about.'),
  stateDir: z.string().min(1).default('.warrant').describe('Where state is kept, relative to the root.'),
  toolsets: names.default([]).describe('Toolsets to switch on; none or "all" means every one.'),
  tools: names.default([]).describe('Only these tools.'),
  excludeTools: names.default([]).describe('Never these tools.'),
  readOnly: z.boolean().default(false).describe('Offer no tool that writes. Wins over every other choice.'),
  toolNames: z
    .enum(['underscore', 'dotted'])
    .default('underscore')
    .describe('How tool names are listed; both spellings are always accepted.'),
  dialect: z
    .enum(['standard', 'sentinel', 'scg'])
    .default('standard')
    .describe('How failures look on the wire.'),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. Off loopback, a token is required.'),
  port: z.int().min(0).max(65_535).default(7331).describe('Port to listen on; 0 picks a free one.'),
  token: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token that HTTP requests must carry.')
    .meta({ secret: true }),
  issuer: z.url().optional().describe('OAuth issuer to name in the protected-resource metadata.'),
  allowedHosts: names.default([]).describe('Host names to accept beside the loopback ones.'),
  allowedOrigins: names.default([]).describe('Origin host names to accept beside the loopback ones.'),
  logLevel: z.enum(LOG_LEVELS).default('info').describe('Least severe log line to write.'),
  logFormat: z.enum(LOG_FORMATS).default('json').describe('How log lines look on stderr.'),
  limits: z
    .strictObject({
      lineBytes: count
        .default(DEFAULT_LIMITS.lineBytes)
        .describe('Longest line accepted on stdio, in bytes.'),
      bodyBytes: count.default(DEFAULT_LIMITS.bodyBytes).describe('Largest body accepted on /mcp, in bytes.'),
      answerBytes: count
        .default(DEFAULT_LIMITS.answerBytes)
        .describe('Largest answer of a tool, in bytes of JSON.'),
      callMs: count.default(DEFAULT_LIMITS.callMs).describe('Longest a call may run, in milliseconds.'),
      drainMs: count
        .default(DEFAULT_LIMITS.drainMs)
        .describe('Longest wait for answers under way when the client hangs up, in milliseconds.'),
      headersMs: count
        .default(10_000)
        .describe('Longest wait for the headers of a request, in milliseconds.'),
      requestMs: count.default(30_000).describe('Longest wait for a whole request, in milliseconds.'),
    })
    .prefault({}),
})
export type Config = z.infer<typeof Config>

export interface Setting {
  /** Its place in `warrant.json`, dotted. */
  readonly key: string
  readonly flag: string
  readonly variable: string
  readonly kind: 'text' | 'number' | 'switch' | 'list'
  readonly choices: readonly string[]
  readonly description: string
  readonly secret: boolean
  readonly fallback: unknown
}

const dashed = (key: string): string =>
  key.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

// Read off the definitions, not through the classes: this runs at every start.
interface Shape {
  readonly type: string
  readonly innerType?: z.core.$ZodType
  readonly defaultValue?: unknown
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly entries?: Readonly<Record<string, string>>
}
const shapeOf = (schema: z.core.$ZodType): Shape => schema._zod.def as Shape

const innermost = (schema: z.core.$ZodType): Shape => {
  const shape = shapeOf(schema)
  return shape.innerType === undefined ? shape : innermost(shape.innerType)
}

const KINDS: Readonly<Record<string, Setting['kind']>> = {
  number: 'number',
  boolean: 'switch',
  array: 'list',
}

const walk = (members: Shape['shape'] = {}, prefix = ''): Setting[] =>
  Object.entries(members).flatMap(([name, schema]) => {
    const key = `${prefix}${name}`
    const inner = innermost(schema)
    if (inner.shape !== undefined) return walk(inner.shape, `${key}.`)
    const flag = dashed(key)
    const { description = '', secret = false } = z.globalRegistry.get(schema) ?? {}
    return {
      key,
      flag,
      variable: `WARRANT_${flag.replaceAll('-', '_').toUpperCase()}`,
      kind: KINDS[inner.type] ?? 'text',
      choices: Object.values(inner.entries ?? {}),
      description,
      secret: secret === true,
      fallback: shapeOf(schema).defaultValue,
    }
  })

let known: readonly Setting[] | undefined

/** Every setting under all of its names, in the order of the schema. */
export const settings = (): readonly Setting[] => {
  known ??= walk(shapeOf(Config).shape)
  return known
}

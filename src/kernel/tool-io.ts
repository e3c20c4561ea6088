import type * as z from 'zod'
import type { Call } from './call.ts'
import { callFaults } from './call-faults.ts'
import type { JsonObject } from './encoding/json.ts'
import { isRecord } from './encoding/json.ts'
import { writeCompactAndPretty } from './encoding/pretty-json.ts'
import type { LogLevel } from './ports.ts'
import { TextAnswer } from './text-answer.ts'
import type { Content, Tool } from './tool.ts'

/** Checks a tool's arguments and answer against its schemas. */

export interface ToolAnswer {
  readonly kind: 'answer'
  /** Matches the tool's output schema; undefined when the answer consists of content blocks alone. */
  readonly value: unknown
  /** The compact JSON of `value`. */
  readonly json: string | undefined
  /** Undefined in the common case: one text block with `json`. */
  readonly content: readonly Content[] | undefined
  /** Another text for that block, as a JSON string literal. */
  readonly quoted: string | undefined
  /** Facts about the text of a `TextAnswer`. */
  readonly facts?: JsonObject
}

const MAX_ISSUES = 8

/** Distinguishes a missing argument, a wrong type and an invalid value. */
const issueReason = (issue: z.core.$ZodIssue | undefined, args: unknown): string => {
  if (issue?.code !== 'invalid_type') return 'invalid_params'
  let value = args
  for (const key of issue.path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return value === undefined ? 'missing_param' : 'invalid_type'
}

/** For servers that ignore unknown arguments: the log names them, so that a user can find out why they have no effect. */
const logUnknownArguments = (tool: Tool, args: unknown, call: Call): void => {
  if (typeof args !== 'object' || args === null || !('shape' in tool.input)) return
  const { shape } = tool.input
  for (const name in args) {
    if (!Object.hasOwn(shape, name))
      call.log.write('debug', 'argument ignored', { argument: name.slice(0, 128) })
  }
}

/**
 * The names that a schema knows: those of the object below defaults, nulls and transforms. Not by `instanceof`: that
 * would load the schema library with every server.
 */
const knownNames = (schema: unknown, path: readonly PropertyKey[]): readonly string[] => {
  const def: Readonly<Record<string, unknown>> = isRecord(schema) && isRecord(schema.def) ? schema.def : {}
  const inner = def.innerType ?? def.in
  if (inner !== undefined) return knownNames(inner, path)
  const [first, ...rest] = path
  const members = isRecord(def.shape) ? def.shape : {}
  return first === undefined ? Object.keys(members) : knownNames(members[String(first)], rest)
}

/** Former names of arguments are accepted, and not listed. */
const describeUnknown = (
  { input, unlistedArguments = [] }: Tool,
  { keys, path }: z.core.$ZodIssueUnrecognizedKeys,
): string => {
  const names = keys.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')
  const hidden = path.length === 0 ? unlistedArguments : []
  const known = knownNames(input, path).filter((name) => !hidden.includes(name))
  return `unknown argument ${names}; ${known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`}`
}

export interface ArgumentOptions {
  /** The log level of bad arguments. Default: `debug`. */
  readonly badArgumentsLevel?: LogLevel
  /** Whether the refusal of an unknown argument lists the known ones. */
  readonly listsKnownArguments?: boolean
}

export const parseArguments = (tool: Tool, args: unknown, call: Call, options: ArgumentOptions): object => {
  const { badArgumentsLevel = 'debug', listsKnownArguments = false } = options
  const parsed = tool.input.safeParse(args)
  if (parsed.success) {
    logUnknownArguments(tool, args, call)
    return parsed.data
  }
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: issue.path.map(String).join('.').slice(0, 128),
    message: (listsKnownArguments && issue.code === 'unrecognized_keys'
      ? describeUnknown(tool, issue)
      : issue.message
    ).slice(0, 256),
  }))
  const texts = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  call.log.write(badArgumentsLevel, 'bad arguments', { issues: texts.join('; ') })
  throw callFaults.arguments(`${tool.name}: ${texts.join('; ')}`, {
    detail: { reason: issueReason(parsed.error.issues[0], args), issues },
  })
}

const tooLong = (json: string, limit: number): boolean =>
  json.length > limit || (json.length * 3 > limit && Buffer.byteLength(json) > limit)

const textBytes = (content: readonly Content[]): number =>
  content.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0)

const rejectLength = (tool: Tool, bytes: number, limit: number): never => {
  throw callFaults.answer_bytes(`${tool.name}: the answer is ${bytes} bytes, the limit is ${limit}`, {
    detail: { bytes, limit },
  })
}

const checkAnswer = (tool: Tool, raw: unknown): unknown =>
  tool.output.parse(tool.redact === undefined ? raw : tool.redact(raw))

const acceptText = (tool: Tool, { facts, content }: TextAnswer, limit: number): ToolAnswer => {
  const bytes = Buffer.byteLength(JSON.stringify(facts)) + textBytes(content)
  if (bytes > limit) rejectLength(tool, bytes, limit)
  return { kind: 'answer', value: undefined, json: undefined, content, quoted: undefined, facts }
}

const writeTexts = ({ render }: Tool, value: unknown) =>
  render === 'indented' ? writeCompactAndPretty(value) : { json: JSON.stringify(value), quoted: undefined }

/** The content blocks with the tool's warning behind them; as they were where it has none. */
const addWarning = (
  tool: Tool,
  content: readonly Content[] | undefined,
  { json, quoted }: ReturnType<typeof writeTexts>,
): readonly Content[] | undefined => {
  const warning = tool.warning?.()
  if (warning === undefined) return content
  const text: string = quoted === undefined ? json : JSON.parse(quoted)
  return [...(content ?? [{ type: 'text', text }]), { type: 'text', text: warning }]
}

/** Checks what the tool returned against its output schema, and shortens it to the limit. */
export const acceptAnswer = (tool: Tool, raw: unknown, limit: number): ToolAnswer => {
  if (raw instanceof TextAnswer) return acceptText(tool, raw, limit)
  let value = checkAnswer(tool, raw)
  let texts = writeTexts(tool, value)
  if (texts.json !== undefined && tooLong(texts.json, limit)) {
    if (tool.truncate !== undefined) {
      value = tool.truncate(value, limit)
      texts = writeTexts(tool, value)
    }
    if (tooLong(texts.json, limit)) rejectLength(tool, Buffer.byteLength(texts.json), limit)
  }
  const content = addWarning(tool, typeof tool.render === 'function' ? tool.render(value) : undefined, texts)
  return { kind: 'answer', value, json: texts.json, content, quoted: texts.quoted }
}

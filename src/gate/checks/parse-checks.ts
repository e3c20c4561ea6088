import * as z from 'zod'
import { SEVERITIES } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { GATE_STAGES, type GateStage } from '../../evidence/stage.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { exceedsAlternatives } from '../../kernel/text/glob.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { readYaml, YamlError } from '../../kernel/text/safe-yaml.ts'
import { gateFaults } from '../faults.ts'
import { listEffects, type PolicyChange } from '../rules/policy-change.ts'
import {
  CHECK_SCOPES,
  CHECKS_FILE,
  type Check,
  type ChecksFile,
  MAX_CHECKS_BYTES,
  type RequiredCheck,
} from './check.ts'
import { CHECK_READERS, type ReaderName } from './readers/check-readers.ts'
import { severityOfLevel } from './readers/reader.ts'

/** What decides about a change. Times, variables and hints do not. */
const judgingPart = ({ run, reads, stages, paths, severity, only, thresholds }: Check) =>
  canonicalJson({ run, reads, stages, paths: paths ?? null, severity, only, thresholds: thresholds ?? null })

const isSame = (one: Check, other: Check): boolean =>
  canonicalJson({ ...one, line: 0 }) === canonicalJson({ ...other, line: 0 })

const rank = (severity: Severity | 'OFF'): number => (severity === 'OFF' ? -1 : SEVERITIES.indexOf(severity))

const isLighter = (old: Check, now: Check): boolean =>
  [...new Set([...Object.keys(old.severity), ...Object.keys(now.severity)])].some((level) => {
    const of = ({ severity }: Check) => rank(severity[level] ?? severityOfLevel(level))
    return of(now) < of(old)
  })

const isLower = (old: Check, now: Check): boolean =>
  Object.entries(old.thresholds ?? {}).some(
    ([name, least]) => (now.thresholds?.[name as keyof typeof now.thresholds] ?? 0) < least,
  )

/** How the new version of a check judges less than the old one. A command that differs cannot be compared. */
const weakerParts = (old: Check, now: Check): string[] => {
  const left = old.stages.filter((stage) => !now.stages.includes(stage))
  const samePaths = canonicalJson(old.paths ?? null) === canonicalJson(now.paths ?? null)
  return [
    ...(old.run === now.run ? [] : ['runs another command']),
    ...(old.reads === now.reads ? [] : [`reads ${now.reads} instead of ${old.reads}`]),
    ...(left.length === 0 ? [] : [`no longer runs at ${left.join(', ')}`]),
    ...(samePaths || now.paths === undefined ? [] : ['depends on other paths']),
    ...(isLighter(old, now) ? ['has lower severities'] : []),
    ...(CHECK_SCOPES.indexOf(now.only) < CHECK_SCOPES.indexOf(old.only) ? [`counts ${now.only} only`] : []),
    ...(isLower(old, now) ? ['has lower thresholds'] : []),
  ]
}

interface JoinedChecks {
  readonly required: readonly RequiredCheck[]
  readonly changes: readonly PolicyChange[]
}

const compareChecks = (old: Check | undefined, now: Check | undefined) => {
  if (old === undefined) return { effect: `${now?.name} is added`, weaker: false }
  if (now === undefined) return { effect: `${old.name} is removed`, weaker: true }
  const weaker = weakerParts(old, now)
  return {
    effect: `${now.name} ${weaker.length === 0 ? 'judges more' : weaker.join(', ')}`,
    weaker: weaker.length > 0,
  }
}

/** The checks of both versions. Where the two versions of a check differ, both judge the change. */
export const joinChecks = (base: ChecksFile | undefined, after: ChecksFile | undefined): JoinedChecks => {
  const named = (file: ChecksFile | undefined) => new Map(file?.checks.map((one) => [one.name, one]))
  const [before, now] = [named(base), named(after)]
  const names = [...new Set([...before.keys(), ...now.keys()])].sort()
  const required: RequiredCheck[] = []
  const compared: ReturnType<typeof compareChecks>[] = []
  for (const name of names) {
    const [old, present] = [before.get(name), now.get(name)]
    const same = old && present && judgingPart(old) === judgingPart(present)
    // The very same command was allowed with the other version of the file.
    const digests = [
      ...(present !== undefined && after !== undefined ? [after.digest] : []),
      ...(same && isSame(old, present) && base !== undefined ? [base.digest] : []),
    ]
    if (present !== undefined) required.push({ check: present, digests, ofBase: false })
    if (same) continue
    if (old !== undefined && base !== undefined)
      required.push({ check: old, digests: [base.digest], ofBase: true })
    compared.push(compareChecks(old, present))
  }
  const effect = listEffects(compared.map((one) => one.effect))
  return {
    required,
    changes:
      compared.length === 0
        ? []
        : [{ file: CHECKS_FILE, effect, weaker: compared.some(({ weaker }) => weaker) }],
  }
}

const LIMITS = { aliases: 20, depth: 8, nodes: 5_000, rejectWarnings: true }
const MAX_CHECKS = 50
const MAX_TEXT = 2_000
const MAX_LIST = 100

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }
const MAX_TIMEOUT_MS = 3_600_000
const DEFAULT_TIMEOUT_MS = 300_000
const DEFAULT_STAGES: readonly GateStage[] = ['PRE_PUSH', 'CI']

// A person reads the commands before they run: what cannot be seen must not be in them.
const command = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .refine((text) => escapeHidden(text) === text, 'must not contain hidden or control characters')

const timeout = z
  .string()
  .regex(/^[1-9]\d{0,4}[smh]$/, 'must be a time such as 90s or 10m')
  .transform((text) => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0))
  .refine((ms) => ms <= MAX_TIMEOUT_MS, 'must be at most 1h')

const glob = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => !text.startsWith('/') && !text.startsWith('!'), 'must be a glob relative to the root')
  .refine((text) => !exceedsAlternatives(text), 'has too many alternatives in braces')

/** Variables of ours may hold settings and keys. `OUT` names the file of the results. */
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of a variable')
  .refine((name) => !/^(WARRANT|PUMUKI|SENTINEL|SCG|CPM)_|^OUT$/i.test(name), 'is not passed to checks')

const percent = z.number().min(0).max(100)
const readers = Object.keys(CHECK_READERS) as [ReaderName, ...ReaderName[]]
const COVERAGE_READERS: readonly ReaderName[] = ['lcov', 'cobertura']

const CheckEntry = z
  .strictObject({
    run: command,
    reads: z.enum(readers),
    stages: z
      .array(z.enum(GATE_STAGES))
      .min(1)
      .max(GATE_STAGES.length)
      .default([...DEFAULT_STAGES]),
    paths: z.array(glob).min(1).max(MAX_LIST).optional(),
    timeout: timeout.default(DEFAULT_TIMEOUT_MS),
    severity: z.record(z.string().toLowerCase().max(100), z.enum([...SEVERITIES, 'OFF'])).default({}),
    only: z.enum(CHECK_SCOPES).default('all'),
    env: z.array(variable).max(MAX_LIST).default([]),
    thresholds: z
      .strictObject({
        lines: percent.optional(),
        branches: percent.optional(),
        'changed-lines': percent.optional(),
      })
      .refine((all) => Object.keys(all).length > 0, 'must name lines, branches or changed-lines')
      .optional(),
    version: command.optional(),
    install: command.optional(),
  })
  .refine(({ reads, thresholds }) => COVERAGE_READERS.includes(reads) === (thresholds !== undefined), {
    path: ['thresholds'],
    message: 'are needed for lcov and cobertura, and belong to no other format',
  })

const ChecksDocument = z.strictObject({
  checks: z
    .record(
      z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'a name is letters, digits, dots, dashes, 40 at most'),
      CheckEntry,
    )
    .refine((all) => Object.keys(all).length <= MAX_CHECKS, `at most ${MAX_CHECKS} checks`),
})

/** The line that begins with the name; the first one where it is written in another way. */
const findLine = (lines: readonly string[], name: string): number =>
  Math.max(
    0,
    lines.findIndex((line) => /^\s+["']?([\w.-]+)["']?\s*:/.exec(line)?.[1] === name),
  ) + 1

const toCheck = (name: string, line: number, entry: z.infer<typeof CheckEntry>): Check => {
  const { run, reads, timeout: timeoutMs, severity, only, env, paths, thresholds, version, install } = entry
  return {
    name,
    line,
    run,
    reads,
    stages: GATE_STAGES.filter((stage) => entry.stages.includes(stage)),
    timeoutMs,
    severity,
    only,
    env: [...new Set(env)].sort(),
    ...optional({ paths }),
    ...optional({ thresholds: thresholds && optional(thresholds), version, install }),
  }
}

const invalid = (problem: string, cause?: unknown) =>
  gateFaults.checks_invalid(`${CHECKS_FILE}: ${problem}`, { cause })

const parseDocument = async (text: string): Promise<unknown> => {
  if (Buffer.byteLength(text) > MAX_CHECKS_BYTES) throw invalid(`longer than ${MAX_CHECKS_BYTES} bytes`)
  const yaml = await import('yaml')
  try {
    return readYaml(yaml, text, LIMITS)
  } catch (cause) {
    if (cause instanceof YamlError) throw invalid(cause.message, cause)
    throw cause
  }
}

/** Reads a checks file. What is not understood is a fault: a check must not disappear by a typing error. */
export const parseChecks = async (text: string): Promise<ChecksFile> => {
  const result = ChecksDocument.safeParse(await parseDocument(text))
  if (!result.success) {
    const [issue] = result.error.issues
    throw invalid(`${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'not a checks file'}`)
  }
  const lines = text.split('\n')
  const checks = Object.entries(result.data.checks).map(([name, entry]) =>
    toCheck(name, findLine(lines, name), entry),
  )
  return { digest: digestBytes(text), checks }
}

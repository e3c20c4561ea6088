import * as z from 'zod'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { readYaml, YamlError } from '../../kernel/text/safe-yaml.ts'
import { gateFaults } from '../faults.ts'
import { ACCEPTANCES_FILE, type Acceptance, MAX_ACCEPTANCES_BYTES } from './acceptances.ts'

const LIMITS = { aliases: 0, depth: 4, nodes: 10_000, rejectWarnings: true }
const MAX_ENTRIES = 1_000

// A reviewer reads every entry: what cannot be seen must not be in it.
const plainText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => escapeHidden(text) === text, 'must not contain hidden or control characters')
    .refine((text) => text.trim() !== '' && !/[\t\n]/.test(text), 'must be one line of text')

const Entry = z.strictObject({
  finding: z.string().regex(/^[0-9a-f]{32}$/, 'must be a fingerprint: 32 hexadecimal digits'),
  rule: plainText(300),
  path: plainText(4_096),
  blob: z
    .string()
    .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be the id of a blob')
    .optional(),
  reason: plainText(1_000),
  // YAML reads an unquoted date as text in the core schema, which is what is wanted.
  until: z.iso.date().optional(),
  by: plainText(200).optional(),
})

const AcceptancesDocument = z.strictObject({ findings: z.array(Entry).max(MAX_ENTRIES) })

const invalid = (problem: string, cause?: unknown) =>
  gateFaults.acceptances_invalid(`${ACCEPTANCES_FILE}: ${problem}`, { cause })

/** Reads the file. What is not understood is a fault: an entry must not count, or stop counting, by a typing error. */
export const parseAcceptances = async (text: string): Promise<readonly Acceptance[]> => {
  if (Buffer.byteLength(text) > MAX_ACCEPTANCES_BYTES)
    throw invalid(`longer than ${MAX_ACCEPTANCES_BYTES} bytes`)
  const yaml = await import('yaml')
  let value: unknown
  try {
    value = readYaml(yaml, text, LIMITS)
  } catch (cause) {
    if (cause instanceof YamlError) throw invalid(cause.message, cause)
    throw cause
  }
  const result = AcceptancesDocument.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    throw invalid(`${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'not a list of findings'}`)
  }
  const { findings } = result.data
  const seen = new Set<string>()
  for (const [at, { finding }] of findings.entries())
    if (seen.size === seen.add(finding).size) throw invalid(`findings.${at}.finding is listed twice`)
  return findings
}

import * as z from 'zod'
import { compareText } from '../../evidence/compare.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import type { CheckOutput } from './readers/reader.ts'

const count = z.int().nonnegative()
const region = z.strictObject({ line: count, column: count, endLine: count, endColumn: count })

const StoredOutput = z.strictObject({
  tool: z.strictObject({ name: z.string(), version: z.string().optional() }).optional(),
  results: z.array(
    z.strictObject({
      rule: z.string(),
      level: z.string(),
      message: z.string(),
      file: z.string().optional(),
      region: region.optional(),
      help: z.string().optional(),
    }),
  ),
  omitted: count.optional(),
  suppressed: count.optional(),
  coverage: z
    .strictObject({
      files: z.array(
        z.tuple([
          z.string(),
          z.strictObject({
            lines: z.array(z.tuple([count, count])),
            branches: z.strictObject({ found: count, taken: count }),
          }),
        ]),
      ),
      outside: count,
    })
    .optional(),
})

/** The output of a reader as canonical JSON: the same results in another order are the same text. */
export const writeOutput = (output: CheckOutput): string => {
  const { coverage, results, ...rest } = output
  const files =
    coverage &&
    [...coverage.files]
      .sort(([a], [b]) => compareText(a, b))
      .map(([path, { lines, branches }]) => [
        path,
        { lines: [...lines].sort(([a], [b]) => a - b), branches: { ...branches } },
      ])
  const stored = {
    ...rest,
    results: results
      .map((result) => ({ text: canonicalJson(result), result }))
      .sort((a, b) => compareText(a.text, b.text))
      .map(({ result }) => result),
    ...optional({ coverage: coverage && { files, outside: coverage.outside } }),
  }
  return canonicalJson(stored)
}

/** Undefined when the text is not what `writeOutput` writes. */
export const readOutput = (text: string): CheckOutput | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { data } = StoredOutput.safeParse(value)
  if (data === undefined) return undefined
  const { coverage, ...rest } = data
  const files =
    coverage &&
    new Map(
      coverage.files.map(
        ([path, { lines, branches }]) => [path, { lines: new Map(lines), branches }] as const,
      ),
    )
  // The optional members of the schema may be undefined in its type, and never are after JSON.
  return {
    ...rest,
    ...optional({ coverage: coverage && { files, outside: coverage.outside } }),
  } as CheckOutput
}

/** The digest of what was read. Times of a run, which tools write too, are not part of it. */
export const digestOutput = (output: CheckOutput): string => digestBytes(writeOutput(output))

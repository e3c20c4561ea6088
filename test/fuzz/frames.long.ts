import { describe, expect, test } from 'vitest'
import { findWronged, OPENINGS } from './corpus-lines.ts'
import { corpus } from './frames.ts'
import { describeReport, fuzz, readSeed } from './run.ts'

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

test('1,000,000 frames get what they are owed, and memory does not grow with them', async () => {
  const seed = readSeed()
  const report = await fuzz(1_000_000, seed, (frames) => process.stdout.write(`fuzz: ${frames} frames\n`))
  process.stdout.write(describeReport(seed, report))
  expect(report.frames).toBeGreaterThanOrEqual(1_000_000)
  const half = report.heap.length >> 1
  const growth = median(report.heap.slice(half)) - median(report.heap.slice(1, half))
  expect(growth).toBeLessThan(16)
})

describe.each(Object.entries(OPENINGS))('Tricky lines %s', (_, opening) => {
  test.each([...corpus])('get what they are owed in every dialect: %s', async (_, lines) => {
    expect(await findWronged(opening, lines, 1)).toEqual([])
  })
})

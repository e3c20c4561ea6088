import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { Repo } from '../support/repository.ts'

const FOLDER = fileURLToPath(new URL('../../examples/a-day', import.meta.url))
const DAY_MS = 120_000
const COUNTS = /\d+(?= (?:tools|entries))/g

test('the day of three agents goes as its page shows it, and leaves nothing behind', {
  timeout: DAY_MS,
}, async () => {
  const temporary = new Repo().folder
  const env = cleanEnvironment({ TMPDIR: temporary })
  const words = [`${FOLDER}/day.mjs`, process.execPath, BINARY]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { env })
  const [, shown = ''] = /```text\n([\s\S]*?)```/.exec(readFileSync(`${FOLDER}/README.md`, 'utf8')) ?? []
  expect(stderr).toBe('')
  expect(stdout.replace(COUNTS, '#')).toBe(shown.replace(COUNTS, '#'))
  expect(readdirSync(temporary)).toEqual([])
})

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { factsOf } from './messages.ts'
import { Sentinel, textOf } from './sentinel.ts'

/** Makes a folder of so many files, and lists its first and its last ones. */
export const expectListed = async (root: string, count: number): Promise<void> => {
  const folder = join(root, 'huge')
  mkdirSync(folder)
  for (let at = 0; at < count; at += 1) closeSync(openSync(join(folder, `f${at}.java`), 'w'))
  const server = new Sentinel(root)
  const message = await server.list('huge')
  expect(factsOf(message)).toEqual({ total: count, offset: 0, truncated: true, trust: 'untrusted' })
  expect(textOf(message).split('\n').slice(0, 3)).toEqual(['f0.java', 'f1.java', 'f10.java'])
  const last = await server.list('huge', { offset: count - 1 })
  expect(textOf(last)).toBe(`f${count - 1}.java`)
  await server.finish()
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { analyse } from '../../architecture/architecture.ts'
import { memoryFiles } from '../../architecture/source/memory-files.fake.ts'
import type { SyntaxParser } from '../../kernel/syntax-tree.ts'
import { openReadingCache } from './reading-cache.ts'
import { syntaxTrees } from './syntax-trees.ts'

let path: string

beforeAll(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'readings-')), 'cache', 'one')
})

afterAll(() => rm(join(path, '../..'), { recursive: true }))

const FILES = {
  'app.ts': "import express from 'express'\nconst app = express()\napp.get('/a', a)",
  'Shop.java': '@RestController class Shop { @GetMapping("/b") void b() {} }',
  'main.py': 'from fastapi import FastAPI\napp = FastAPI()\n@app.get("/c")\ndef c(): ...',
}

/** The endpoints, and how many files were parsed. */
const analysis = async (files: Readonly<Record<string, string>>, build = 'build 1') => {
  const trees = syntaxTrees()
  let parsed = 0
  const parser: SyntaxParser = {
    missing: (grammar) => trees.missing(grammar),
    parse: (grammar, text) => {
      parsed += 1
      return trees.parse(grammar, text)
    },
  }
  const readings = await openReadingCache(path, build)
  const options = { at: '', checkDeadline: () => {}, readings }
  const { connections } = await analyse(memoryFiles(files), parser, options)
  return { parsed, endpoints: connections.inbound.map(({ endpoint }) => endpoint).sort() }
}

const ALL = { parsed: 3, endpoints: ['GET /a', 'GET /b', 'GET /c'] }

it('parses the files that changed, and finds the same', async () => {
  expect(await analysis(FILES)).toEqual(ALL)
  expect(await analysis(FILES)).toEqual({ ...ALL, parsed: 0 })
  const changed = { ...FILES, 'app.ts': FILES['app.ts'].replace('/a', '/z') }
  expect(await analysis(changed)).toEqual({ parsed: 1, endpoints: ['GET /b', 'GET /c', 'GET /z'] })
  // The same text at another path is read again: a path decides about packages and modules.
  const { 'app.ts': text, ...others } = changed
  expect((await analysis({ ...others, 'moved.ts': text })).parsed).toBe(1)
})

it('uses nothing of another build, and nothing of a damaged file', async () => {
  await analysis(FILES)
  expect(await analysis(FILES, 'build 2')).toEqual(ALL)
  const bytes = await readFile(path)
  for (const at of [0, 40, bytes.length - 1]) {
    const damaged = Buffer.from(bytes)
    damaged[at] = (damaged[at] as number) ^ 1
    await writeFile(path, damaged)
    expect(await analysis(FILES, 'build 2')).toEqual(ALL)
  }
  await writeFile(path, bytes.subarray(0, bytes.length / 2))
  expect(await analysis(FILES, 'build 2')).toEqual(ALL)
})

it('gives texts of every script back at any offset', async () => {
  const names = ['α', 'ββ', 'γγγ', 'д', '中文']
  const files = Object.fromEntries(
    names.map((name, at) => [`${at}${'x'.repeat(at)}.ts`, FILES['app.ts'].replace('/a', `/${name}`)]),
  )
  const endpoints = names.map((name) => `GET /${name}`).sort()
  expect(await analysis(files)).toEqual({ parsed: names.length, endpoints })
  expect(await analysis(files)).toEqual({ parsed: 0, endpoints })
})

import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pickOne, type Random, seededRandom } from '../history/random.ts'
import { gateJson } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

/** Variants of the attacks in `bytes.test.ts`: none of them may pass. */

const KEY = ['AK', 'IAQ3EGRZ7WN5MXK2TB'].join('')
const TOKEN = ['gh', 'p_Xa7Kq2Lm9Zr4Tn8Wb3Vc6Hd1Jf5Gs0PyUeIo'].join('')
const EVIL = 'export const run = (text) => eval(text)\n'
const VARIANTS = 60

const inCi = (repo: Repo, from: string, to: string) =>
  gateJson(repo, ['--stage', 'CI', '--range', `${from}..${to}`, '--no-evidence'])

const isBlocking = ({ severity, state }: { readonly severity: string; readonly state: string }): boolean =>
  state === 'new' && (severity === 'CRITICAL' || severity === 'ERROR')

const branch = (files: Readonly<Record<string, string>>): Repo => {
  const repo = Repo.init('main').commit(files)
  repo.git('switch', '-q', '-c', 'topic')
  return repo
}

const PAYLOADS = [
  `AWS_ACCESS_KEY_ID=${KEY}\n`,
  `token: "${TOKEN}"\n`,
  `A=1\n<<<<<<< a\nB=${TOKEN}\n=======\n>>>>>>> b\n`,
]
const NAMES = [
  '.env',
  'run.sh',
  'a.yml',
  'a.json',
  'Dockerfile',
  'Makefile',
  'notes',
  'a.txt',
  'a.conf',
  'a.bin',
  'a.ts',
]

const wide = (text: string, unit: number, atEnd: boolean): Buffer =>
  Buffer.concat(
    [...Buffer.from(text)].map((byte) => {
      const one = Buffer.alloc(unit)
      one[atEnd ? unit - 1 : 0] = byte
      return one
    }),
  )
const spread = (text: string, random: Random, byte: number, every: number): Buffer =>
  Buffer.concat([...Buffer.from(text)].map((one) => Buffer.from(random(every) === 0 ? [one, byte] : [one])))
const STARTS = [
  'fffe',
  'feff',
  '474946383961',
  '89504e470d0a1a0a',
  '7f454c46',
  '504b0304',
  '255044462d',
  'fffe0000',
]

const ENCODINGS: readonly ((text: string, random: Random) => Buffer)[] = [
  (text) => wide(text, 2, false),
  (text) => wide(text, 2, true),
  (text) => wide(text, 4, false),
  (text) => wide(text, 4, true),
  (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), wide(text, 2, false)]),
  (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), wide(text, 2, true)]),
  (text) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
  (text, random) =>
    Buffer.concat([Buffer.from(`${'a\n'.repeat(random(3))}\n`), wide(text, 2, random(2) === 0)]),
  (text, random) => spread(text, random, 0, 2 + random(20)),
  (text, random) => Buffer.concat([Buffer.from(pickOne(random, STARTS), 'hex'), Buffer.from(`\n${text}`)]),
  (text, random) => Buffer.from(`#${String.fromCharCode(1 + random(8)).repeat(20 + random(9_000))}\n${text}`),
  (text, random) => Buffer.from(`${text}#${'\u0001\u001f'.repeat(random(5_000))}\n`),
]

it('a secret or a marker in every encoding, under every name', () => {
  const random = seededRandom(1)
  const files = ENCODINGS.flatMap((encode, at) =>
    Array.from({ length: 20 }, (_, nth) => ({
      path: `${at}/${nth}/${pickOne(random, NAMES)}`,
      bytes: encode(`# é\n${pickOne(random, PAYLOADS)}`, random),
    })),
  )
  const repo = branch({ 'a.txt': '' })
  repo.commit(Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])) as never)
  const found = new Set(
    inCi(repo, 'main', 'topic')
      .findings.filter(isBlocking)
      .map(({ file }) => file),
  )
  expect(
    files
      .filter(({ path }) => !found.has(path))
      .map(({ path, bytes }) => `${path} ${bytes.toString('latin1', 0, 60)}`),
  ).toEqual([])
})

it('programs under names of any bytes', () => {
  const random = seededRandom(2)
  const repo = branch({ 'a.txt': '' })
  const names = new Set<string>()
  while (names.size < VARIANTS) {
    const bytes = Array.from({ length: 1 + random(3) }, () =>
      pickOne(random, [0x65, 0x5c, 0x78, 0x66, 0xc3, 0xa9, 0xfe, 0xff, 0x80]),
    )
    names.add(Buffer.from(bytes).toString('latin1'))
  }
  names.add('e\\xfe').add('e\u00fe')
  for (const name of names)
    writeFileSync(Buffer.from(`${repo.folder}/${name}.js`, 'latin1'), `${EVIL}// ${name.length}\n`)
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'x')
  const { findings, files } = inCi(repo, 'main', 'topic')
  expect(files.changed).toBe(names.size)
  expect(new Set(findings.filter(isBlocking).map(({ file }) => file)).size).toBe(names.size)
})

const ATTRIBUTES = [
  'filter=lfs',
  'working-tree-encoding=UTF-16',
  'working-tree-encoding=latin1',
  'ident',
  'working-tree-encoding=IBM037',
  'working-tree-encoding=UTF-7',
  'working-tree-encoding=ASCII//TRANSLIT',
]
const PATTERNS = [
  '*',
  '**',
  '*.js',
  'src/*.ts',
  '/lib/**',
  '"a b.py"',
  '*.j?',
  '*.[jt]s',
  'Dockerfile',
  '[attr]own',
  'x.yml',
  '**/*.go',
]

it('attributes that change texts, in any folder', () => {
  const repo = branch({ 'a.txt': '' })
  const lines = PATTERNS.flatMap((pattern) =>
    ATTRIBUTES.map((attribute) => `${pattern} -text ${attribute} diff\n`),
  )
  const git = (input: string, ...args: readonly string[]) =>
    spawnSync('git', args, { cwd: repo.folder, input, env: { ...process.env, ...GIT_ENVIRONMENT } })
      .stdout.toString()
      .trim()
  const paths = lines.map((_, at) => `${at}/.gitattributes`)
  // Git would use them at once if it added the files.
  const rows = lines.map((line, at) => `100644 ${git(line, 'hash-object', '-w', '--stdin')}\t${paths[at]}\n`)
  git(rows.join(''), 'update-index', '--add', '--index-info')
  repo.git('commit', '-qm', 'x')
  const { findings } = inCi(repo, 'main', 'topic')
  const found = new Set(findings.filter(isBlocking).map(({ file }) => file))
  expect(paths.filter((path) => !found.has(path))).toEqual([])
})

it('attributes that name files generated or vendored', () => {
  const words = [
    'linguist-generated',
    'linguist-vendored',
    'linguist-generated=true',
    'linguist-vendored=true',
    'text linguist-vendored',
    '-text linguist-generated eol=lf',
  ]
  for (const pattern of PATTERNS.filter((one) => !one.startsWith('[attr]') && one !== 'Dockerfile'))
    for (const word of words) {
      const repo = branch({ '.gitattributes': `* text=auto\n${pattern} -linguist-generated\n` })
      const report = inCi(
        repo.commit({ '.gitattributes': `* text=auto\n${pattern} ${word}\n` }),
        'main',
        'topic',
      )
      expect([pattern, word, report.outcome]).toEqual([pattern, word, 'BLOCK'])
    }
})

it('merges of histories that crossed', () => {
  let back = 0
  for (let seed = 0; seed < VARIANTS; seed += 1) {
    const random = seededRandom(seed)
    const lines = Array.from({ length: 12 }, (_, at) => `export const line${at} = ${at}\n`)
    const old = [...lines.slice(0, 6), EVIL, ...lines.slice(6)].join('')
    const repo = branch({ 'src/old.js': old })
    // Both sides go on; one of them removes the call, and the topic keeps it where it merges.
    repo.commit({ 'src/topic.js': 'export {}\n' }).git('switch', '-q', 'main')
    repo.commit({ 'src/old.js': random(2) === 0 ? lines.join('') : old.replace('eval(text)', 'text') })
    repo.git('branch', 'main-1')
    repo.git('merge', '-q', '--no-edit', 'topic')
    repo.git('switch', '-q', 'topic')
    repo.git('merge', '-q', '--no-edit', '-s', pickOne(random, ['ours', 'ours', 'ort']), 'main-1')
    if (random(2) === 0) repo.commit({ [`src/more${seed}.js`]: 'export {}\n' })
    repo.git('switch', '-q', 'main')
    if (random(2) === 0) repo.commit({ 'src/other.js': 'export {}\n' })
    const copy = new Repo()
    copy.git('clone', '-q', repo.folder, '.')
    const { status } = spawnSync('git', ['merge', '-q', '--no-edit', 'origin/topic'], {
      cwd: copy.folder,
      env: { ...process.env, ...GIT_ENVIRONMENT },
    })
    const isBack = status === 0 && /eval\(text\)/.test(copy.git('show', 'HEAD:src/old.js'))
    if (isBack) back += 1
    const { outcome } = inCi(repo, 'main', 'topic')
    if (isBack) expect([seed, outcome]).toEqual([seed, 'BLOCK'])
  }
  expect(back).toBeGreaterThan(10)
})

it('trees with the content of others', () => {
  for (let seed = 0; seed < VARIANTS; seed += 1) {
    const random = seededRandom(seed)
    const repo = branch({ 'a/b/c/x.js': 'export {}\n', 'a/y.js': 'export {}\n', 'd/z.js': 'export {}\n' })
    const folder = pickOne(random, ['', 'a/', 'a/b/', 'a/b/c/', 'd/', 'new/'])
    repo.commit({ [`${folder}evil${seed}.js`]: EVIL })
    const trees = repo
      .git('cat-file', '--batch-all-objects', '--batch-check')
      .split('\n')
      .flatMap((line) => (line.includes(' tree ') ? [line.split(' ')[0] ?? ''] : []))
    const after = [
      'HEAD^{tree}',
      ...folder.split('/').map((_, at, all) => `HEAD:${all.slice(0, at).join('/')}`),
    ]
    const target = repo.git('rev-parse', pickOne(random, after)).trim()
    const fileOf = (id: string) => repo.path('.git/objects', id.slice(0, 2), id.slice(2))
    const other = pickOne(
      random,
      trees.filter((id) => id !== target),
    )
    rmSync(fileOf(target))
    copyFileSync(fileOf(other), fileOf(target))
    expect([seed, inCi(repo, 'main', 'topic').code]).not.toEqual([seed, 0])
  }
})

const MARKS = [
  '// @generated',
  '/* @generated by a program */',
  '// Code generated by protoc. DO NOT EDIT.',
  '/**\n * @generated SignedSource<<0123>>\n */',
  '// This file was automatically generated by a tool.',
  '// DO NOT MODIFY',
]

it('a program below a mark that says it is generated', () => {
  const random = seededRandom(3)
  const rows = Array.from({ length: VARIANTS }, (_, at) => {
    const mark = `${'//\n'.repeat(random(4))}${pickOne(random, MARKS)}\n`
    // The base has the file with the mark, without it, or not at all.
    const before = pickOne(random, [`${mark}export {}\n`, 'export {}\n', ''])
    return { path: `src/${at}.${pickOne(random, ['js', 'jsx', 'mjs', 'cjs'])}`, mark, before }
  })
  const old = rows.filter(({ before }) => before !== '').map(({ path, before }) => [path, before])
  const repo = branch({ 'a.txt': '', ...Object.fromEntries(old) })
  repo.commit(Object.fromEntries(rows.map(({ path, mark }) => [path, `${mark}${EVIL}`])))
  const { findings } = inCi(repo, 'main', 'topic')
  const found = new Set(findings.filter(isBlocking).map(({ file }) => file))
  expect(rows.filter(({ path }) => !found.has(path))).toEqual([])
})

it('submodules whose changes git would hide', () => {
  const random = seededRandom(4)
  for (let at = 0; at < VARIANTS; at += 1) {
    const word = pickOne(random, ['all', 'dirty', 'untracked', 'ALL'])
    const space = pickOne(random, ['\t', '  ', ''])
    const key = pickOne(random, ['ignore', 'Ignore', 'IGNORE'])
    const section = (more: string) => `[submodule "a${at}"]\n\tpath = a\n\turl = ../a\n${more}`
    const repo = branch({ '.gitmodules': pickOne(random, [section(''), section('\tignore = none\n')]) })
    const line = `${space}${key}${pickOne(random, [' = ', '=', '  =\t'])}${word}\n`
    const report = inCi(repo.commit({ '.gitmodules': section(line) }), 'main', 'topic')
    expect([line, report.outcome]).toEqual([line, 'BLOCK'])
  }
})

it('a secret beside words that say it is none, behind escapes, and in the evidence', () => {
  const random = seededRandom(5)
  const words = [
    'example',
    'placeholder',
    'dummy',
    'changeme',
    'your-key-here',
    'test',
    'not a real secret',
    'xxxx',
  ]
  const escaped = (text: string) =>
    [...text]
      .map((one) => (random(3) === 0 ? `\\u00${one.charCodeAt(0).toString(16).padStart(2, '0')}` : one))
      .join('')
  const rows = Array.from({ length: 2 * VARIANTS }, (_, at) => {
    const [secret, word] = [pickOne(random, [KEY, TOKEN]), pickOne(random, words)]
    const texts = [
      [`${at}/.env`, `# ${word}\nKEY=${secret} # ${word}\n`],
      [`${at}/a.yml`, `${word.replaceAll(' ', '_')}: "${secret}" # ${word}\n`],
      [`${at}/a.json`, `{ "${word}": "${escaped(secret)}" }\n`],
      [`${at}/a.json`, `{ "a": ["${word}", "${word} ${escaped(secret)}"] }\n`],
      [`${at}/notes`, `${word} ${secret} ${word}\n`],
    ] as const
    return pickOne(random, texts)
  })
  const evidence = { '.ai_evidence.json': `{ "note": "${escaped(TOKEN)}" }\n` }
  const repo = branch({ 'a.txt': '' }).commit({ ...Object.fromEntries(rows), ...evidence })
  const found = new Set(
    inCi(repo, 'main', 'topic')
      .findings.filter(isBlocking)
      .map(({ file }) => file),
  )
  expect([...rows, ...Object.entries(evidence)].filter(([path]) => !found.has(path))).toEqual([])
})

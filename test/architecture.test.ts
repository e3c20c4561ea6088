import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CITATIONS } from './citations.ts'
import { DOMAINS, FOLDERS } from './folders.ts'
import {
  declaredExports,
  readSources,
  trackedFiles,
  unusedExports,
  withoutComments,
} from './support/module-graph.ts'

/** The law of the house. A row is a promise; a change here is a decision, and deserves an ADR. */

type Room = string

const roomOf = (path: string): Room => path.split('/')[1] ?? ''
const folderOf = (path: string): string => dirname(path).slice('src/'.length)
const isWithin = (folder: string, outer: string): boolean =>
  folder === outer || folder.startsWith(`${outer}/`)

/** Whether files of `from` may import files of `to`. */
const mayImport = (from: string, to: string): boolean =>
  isWithin(from, to) || isWithin(to, from) || (FOLDERS[from]?.imports ?? []).some((one) => isWithin(to, one))

const MAX_FILES = 30

/** Which rooms may import a package, and why. `node:` packages that only compute are open to all. */
const PACKAGES: Readonly<Record<string, { readonly rooms: readonly Room[]; readonly why: string }>> = {
  zod: {
    rooms: ['cli', 'mcp', 'http', 'app', ...DOMAINS, 'kernel'],
    why: 'definitions are schemas',
  },
  yaml: {
    rooms: ['gate', 'hooks', 'setup', 'receipts', 'architecture', 'platform', 'app', 'cli'],
    why: 'rule packs, policies and configuration are YAML',
  },
  '@modelcontextprotocol/server': { rooms: ['mcp'], why: 'domains never see the protocol' },
  'node:child_process': { rooms: ['platform', 'app', 'cli'], why: 'starting programs is reaching outside' },
  '@photostructure/sqlite': { rooms: ['platform'], why: 'a store' },
  pg: { rooms: ['platform'], why: 'a store' },
  '@sigstore/bundle': { rooms: ['platform'], why: 'signatures of packets' },
  '@sigstore/protobuf-specs': { rooms: ['platform'], why: 'signatures of packets' },
  '@sigstore/verify': { rooms: ['platform'], why: 'signatures of packets' },
  '@ast-grep/napi': { rooms: ['platform'], why: 'native code behind the scanner port' },
  '@babel/parser': { rooms: ['platform'], why: 'a second opinion on a syntax error, in a child process' },
  '@ast-grep/lang-go': { rooms: ['platform'], why: 'a grammar' },
  '@ast-grep/lang-java': { rooms: ['platform'], why: 'a grammar' },
  '@ast-grep/lang-kotlin': { rooms: ['platform'], why: 'a grammar' },
  '@ast-grep/lang-python': { rooms: ['platform'], why: 'a grammar' },
  '@ast-grep/lang-swift': { rooms: ['platform'], why: 'a grammar' },
  'node:sqlite': { rooms: ['platform'], why: 'a store' },
  'node:fs': { rooms: ['platform', 'app', 'cli', 'bin'], why: 'files are the outside world' },
  'node:fs/promises': { rooms: ['platform', 'app', 'cli'], why: 'files are the outside world' },
  'node:http': {
    rooms: ['http', 'mcp', 'app', 'cli', 'platform'],
    why: 'the front, who starts it, and the bytes of packets',
  },
  'node:https': { rooms: ['platform'], why: 'the bytes of packets' },
  'node:net': {
    rooms: ['http', 'mcp', 'app', 'cli', 'platform'],
    why: 'the front, and where an address lies',
  },
  'node:events': { rooms: ['platform'], why: 'waiting for a socket' },
  'node:dns/promises': { rooms: ['platform'], why: 'where a name leads' },
  'node:timers/promises': { rooms: ['platform'], why: 'waiting before another try' },
  'node:os': { rooms: ['platform'], why: 'a lock names its machine, a pool counts its processors' },
  'node:v8': { rooms: ['platform'], why: 'the collector does not see what native code holds' },
  'node:vm': { rooms: ['platform'], why: 'the way to the collector' },
  'node:stream': { rooms: ['http', 'mcp', 'platform'], why: 'bytes in and out' },
  'node:zlib': { rooms: ['packets'], why: 'CRC-32 of the pages of an index' },
  'node:module': { rooms: ['platform'], why: 'native libraries are loaded when a file asks for them' },
  'node:worker_threads': {
    rooms: ['platform', 'app'],
    why: 'threads that may hang, and a watchman beside them',
  },
  'node:readline': { rooms: ['cli'], why: 'doctor reads a child line by line' },
}
const PURE_BUILTINS = ['node:buffer', 'node:crypto', 'node:path', 'node:url', 'node:util']

/**
 * Who touches files, and why that is safe. What a caller, a model or a repository names goes through the jail
 * (`jail.ts`, or `jail-async.ts` for who must not wait); everybody else says here whose word the path is.
 */
const FILE_OPENERS: Readonly<Record<string, string>> = {
  'src/platform/jail/async.ts': 'the jail: checks the descriptor before it reads a byte',
  'src/platform/jail/checks.ts': 'the jail: reads from the descriptor that was checked',
  'src/platform/jail/create.ts': 'the jail: creates a file under the open root',
  'src/platform/jail/entries.ts': 'the jail: lists the open folder',
  'src/platform/jail/handles.ts': 'the jail: opens one name at a time below an open descriptor',
  'src/platform/jail/mounts.ts': 'the table of mounts of the machine',
  'src/platform/jail/portable.ts': 'the jail without /proc',
  'src/platform/system/own-time.ts': 'the counts of the scheduler for this process and its children',
  'src/platform/syntax/grammar-packages.ts': 'packages beside our own, whose names are constants',
  'src/platform/jail/walk.ts': 'the jail: reads symlinks instead of following them',
  'src/app/open/checks/open.ts': 'the identity of the root folder',
  'src/app/open/hooks/compare-guard.ts':
    'hooks and settings of clients: lists the root, and writes what the event before found in the same place',
  'src/app/open/hooks/read-tips.ts': 'lists the working trees in the git folder',
  'src/app/open/hooks/stamps.ts': 'stats of hooks, settings and branches; their texts through the jail',
  'src/platform/files/blob-cache.ts':
    'a folder of this user outside of every repository, or of the packet store; judged by key and checksum',
  'src/platform/programs/command.ts': 'a private folder of its own, which it removes',
  'src/platform/git/scratch-clone.ts':
    'a private folder of its own, which it removes; reads the hooks and the packages that a commit would start',
  'src/platform/programs/process-groups.ts': 'the processes of the machine in /proc',
  'src/platform/system/ask-terminal.ts': 'the terminal of this process',
  'src/platform/files/atomic-write.ts':
    'writes a draft, created exclusively without following links, in a folder that its caller has checked',
  'src/platform/files/export-file.ts': 'opens the folder as the jail does, and writes into the open folder',
  'src/platform/files/output-file.ts': 'in the repository only below a folder that the jail opened',
  'src/platform/files/published-folder.ts': 'below a folder that the operator named and the jail opened',
  'src/platform/files/setup-files.ts': 'only below a folder that the jail opened, after looking for links',
  'src/platform/files/remove-file.ts':
    'the state folder, which is no link; removes links instead of following them',
  'src/platform/programs/client-signs.ts': 'whether programs and folders of the user exist; opens nothing',
  'src/platform/git/worktree.ts': 'lists a folder that the jail opened, and looks for links on the way to it',
  'src/platform/files/evidence-file.ts':
    'one fixed name under the root, opened with O_NOFOLLOW; replaced atomically',
  'src/platform/files/watch-file.ts': 'stats that one name, and opens nothing',
  'src/platform/files/no-symlinks.ts': 'checks for symlinks, and opens nothing',
  'src/platform/files/git-metadata.ts':
    'hooks and excludes where git says they are; outside of the repository refused',
  'src/platform/git/find-root.ts': 'looks for a .git above the root that the operator named',
  'src/platform/git/place.ts': 'where .git and its links lead; refuses the git folders of other repositories',
  'src/platform/git/hidden-files.ts':
    'whether folders of the working tree exist, and the excludes file of the user',
  'src/platform/git/merge-tree.ts':
    'a git folder of its own for a merge, which it removes with those that killed processes of this user left',
  'src/platform/git/trees/tree-id.ts': 'copies the index into a private folder of its own, which it removes',
  'src/platform/programs/trusted-path.ts': 'the real names of the folders on the PATH',
  'src/platform/programs/openspec.ts': 'checks whether the repository has the program',
  'src/platform/files/file-lock.ts': 'claims beside a file of ours; regular files only',
  'src/platform/packets/vector-cache.ts': 'a cache of ours, judged by what it says of itself',
  'src/platform/files/make-folders.ts': 'makes folders where its callers put their files',
  'src/platform/files/user-state.ts': 'the state folder of the user; regular files only',
  'src/platform/files/event-log.ts': 'the state folder of the user; regular files only',
  'src/app/open/user-state.ts': 'looks whether there is a database, and opens nothing',
  'src/platform/files/state-folder.ts': 'the state folder, which is no link',
  'src/platform/log-stores/sqlite/file.ts': 'in the state folder, or where the operator says',
  'src/platform/registry/login.ts': "the operator's own credentials",
  'src/platform/packets/verify-stored.ts': 'a store of ours: plain files only, and judged by their digest',
  'src/platform/packets/drafts.ts': 'new files in a store of ours, created exclusively',
  'src/platform/packets/folder.ts':
    'writes a folder the operator named by renaming a draft, whose files it creates exclusively; reads through the jail',
  'src/platform/packets/known-vectors.ts': 'an earlier build, in files that the jail opened',
  'src/platform/packets/policy.ts': 'the keys that the policy of the operator names',
  'src/platform/packets/vectors/packet-vectors.ts':
    'an index of ours; what a packet holds is read through the jail',
  'src/platform/packets/store.ts': 'a store of ours, whose folders are no links',
  'src/platform/files/process-identity.ts': 'what the system tells of processes',
  'src/platform/packets/vectors/vector-file.ts': 'an index of ours',
  'src/platform/packets/word-index-file.ts':
    'an index of ours, bound to inode and ctime of what it was made of',
  'src/platform/packets/sentence-model.ts':
    'files of our own build, or of the packet store after they were verified',
  'src/cli/client-command.ts': 'the name of the running program',
  'src/cli/server/doctor.ts': 'whether root and state folder may be used',
  'src/cli/lineage/proofs.ts': 'files the operator names, to be verified',
  'src/cli/project/report.ts': 'the earlier report that the operator names',
  'src/cli/receipts/receipts.ts': 'files the operator names, to be verified',
  'src/app/open/receipts/signing-key.ts': 'the key that the operator names, outside of the repository',
  'src/platform/files/receipt-files.ts': 'files of ours in the state folder, named by object ids',
  'src/platform/files/unused-files.ts': 'folders of this user outside of every repository',
  'src/cli/gate/push-refs.ts': 'asks what stdin is, and opens nothing',
  'src/app/config/load-config.ts': 'asks where a path leads, and opens nothing',
  'src/platform/packets/scratch-folders.ts': 'new folders of a random name in the temporary folder',
  'src/app/open/project.ts': 'the real name of the state folder, to keep it out of sight',
  'src/app/open/load-rules.ts': 'files of our own build',
  'src/bin/lineage-verify.ts': 'the file the operator names',
}

/** Who reads a whole file however long it takes. In a folder that others may have filled a pipe takes for ever. */
const WHOLE_READERS: Readonly<Record<string, string>> = {
  'src/platform/jail/mounts.ts': 'what the system tells of mounts',
  'src/platform/files/process-identity.ts': 'what the system tells of processes',
  'src/platform/system/own-time.ts': 'what the scheduler counted for this process and its children',
  'src/platform/programs/process-groups.ts': 'what the system tells of processes',
  'src/platform/registry/login.ts': "the operator's own credentials",
  'src/cli/lineage/proofs.ts': 'files the operator names, to be verified',
  'src/cli/project/report.ts': 'the earlier report that the operator names',
  'src/cli/receipts/receipts.ts': 'files the operator names, to be verified',
  'src/app/open/receipts/signing-key.ts': 'the key that the operator names',
  'src/app/config/load-config.ts': 'from a descriptor that was judged',
  'src/app/open/load-rules.ts': 'files of our own build',
  'src/platform/packets/sentence-model.ts':
    'files of our own build, or of the packet store after they were verified',
  'src/bin/lineage-verify.ts': 'the file the operator names',
}

/** Who starts programs, and why what a repository holds does not choose which. */
const PROGRAM_STARTERS: Readonly<Record<string, string>> = {
  'src/platform/git/blobs.ts': 'git, in a clean environment, asked for hashes',
  'src/platform/git/run.ts':
    'git, in a clean environment; a status also without the filters of the repository',
  'src/platform/programs/command.ts':
    'commands of a checks file that a person allowed, by a shell, in a reduced environment',
  'src/platform/programs/process-groups.ts': 'none: it loads the module for others of this table',
  'src/platform/programs/program.ts':
    'git for names of places, git push and fetch as the user would run them, openspec in a reduced environment, and canaries in a copy of the repository',
  'src/platform/scanner/pool.ts': 'ourselves, from our own build',
  'src/cli/server/doctor.ts': 'git for its version, and ourselves',
}

/** Globals that touch the world, and the rooms that may. */
const WORLD: readonly { readonly word: RegExp; readonly rooms: readonly Room[]; readonly why: string }[] = [
  {
    word: /\bprocess\.(env|argv|cwd|exit|stdin|stdout|stderr)\b/,
    rooms: ['app', 'cli', 'bin'],
    why: 'one reader of the environment',
  },
  { word: /\bDate\.now\(|\bnew Date\(\)/, rooms: ['platform'], why: 'the clock is injected' },
  { word: /\bMath\.random\(|\brandomUUID\(/, rooms: ['platform'], why: 'identifiers are injected' },
  { word: /\bfetch\(/, rooms: ['platform', 'http', 'mcp'], why: 'no hidden requests' },
  { word: /\bsetInterval\(/, rooms: ['app', 'cli', 'platform'], why: 'nothing ticks unseen' },
  { word: /\beval\(|\bnew Function\(/, rooms: [], why: 'text never becomes code' },
]

const MAX_LINES = 350
/** Files that are longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'src/mcp/connection.ts':
    'one state machine of loading, ordering and pending requests; the era is in era.ts',
}

/** Names that several files export, each with its reason. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  run: 'every command exports it, and the command table imports one file at a time',
}

const MAX_WORDS = 4
/** Exported names with more words, each with its reason. */
const LONG_NAMES: Readonly<Record<string, string>> = {}

const files = readSources(
  trackedFiles('src').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts')),
)

const importsOf = (text: string): string[] =>
  [
    ...withoutComments(text).matchAll(/^(?:import|export)\b[^'"]*?\bfrom '([^']+)'/gm),
    ...withoutComments(text).matchAll(/(?<!')\bimport\(?\s*'([^']+)'/g),
  ].map(([, name]) => name as string)

const packageOf = (name: string): string =>
  name.startsWith('node:')
    ? name
    : name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/')

const words = (name: string): number =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_]+/)
    .filter((word) => word !== '').length

describe('the rooms', () => {
  it('have a row for every folder, and a folder for every row', () => {
    const folders = [...new Set(files.map(({ path }) => folderOf(path)))]
    expect(folders.sort()).toEqual(Object.keys(FOLDERS).sort())
  })

  it(`hold at most ${MAX_FILES} source files in a folder`, () => {
    const counts = Object.keys(FOLDERS).map((folder) => ({
      folder,
      count: files.filter(({ path }) => folderOf(path) === folder).length,
    }))
    expect(counts.filter(({ count }) => count > MAX_FILES)).toEqual([])
  })

  it('import only what the row of their folder lists', () => {
    const broken = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => name.startsWith('.') && !name.endsWith('.json'))
        .map((name) => normalize(join(dirname(path), name)))
        .filter((target) => !mayImport(folderOf(path), folderOf(target)))
        .map((target) => `${path} → ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('list siblings without a cycle', () => {
    const siblings = (folder: string): string[] =>
      (FOLDERS[folder]?.imports ?? []).filter(
        (one) => FOLDERS[one] !== undefined && roomOf(`/${one}`) === roomOf(`/${folder}`),
      )
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      siblings(from).some((next) => {
        if (next === to) return true
        if (seen.has(next)) return false
        seen.add(next)
        return reaches(next, to, seen)
      })
    expect(Object.keys(FOLDERS).filter((folder) => reaches(folder, folder))).toEqual([])
  })

  it('import packages only where the table lets them', () => {
    const broken = files.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((name) => !name.startsWith('.'))
        .map(packageOf)
        .filter((name) => !PURE_BUILTINS.includes(name) && !PACKAGES[name]?.rooms.includes(roomOf(path)))
        .map((name) => `${path} → ${name}`),
    )
    expect(broken).toEqual([])
  })

  it('touch the world only where the table lets them', () => {
    const broken = files.flatMap(({ path, text }) =>
      WORLD.filter(
        ({ word, rooms }) => word.test(withoutComments(text)) && !rooms.includes(roomOf(path)),
      ).map(({ word, why }) => `${path}: ${word.source} (${why})`),
    )
    expect(broken).toEqual([])
  })

  it('open files only where the table says on whose word', () => {
    const openers = files
      .filter(({ text }) => /\bfrom 'node:fs(\/promises)?'|import\('node:fs/.test(text))
      .map(({ path }) => path)
    expect(openers.sort()).toEqual(Object.keys(FILE_OPENERS).sort())
  })

  it('read whole files only where the table says whose they are', () => {
    const readers = files.filter(({ text }) => /\breadFile(Sync)?\b[^'\n]*\} from 'node:fs/.test(text))
    expect(readers.map(({ path }) => path).sort()).toEqual(Object.keys(WHOLE_READERS).sort())
  })

  it('start programs only where the table says why that is safe', () => {
    const starters = files
      .filter(({ text }) => /\b(from |\w+\()'node:child_process'|\bchildProcess\(/.test(text))
      .map(({ path }) => path)
    expect(starters.sort()).toEqual(Object.keys(PROGRAM_STARTERS).sort())
  })

  it('ask for the status of git only without what the repository would run', () => {
    const careless = files.filter(
      ({ path, text }) =>
        roomOf(path) === 'platform' &&
        /'status'|STATUS_ARGS/.test(text) &&
        !/findPlace\(|export const STATUS_ARGS/.test(text),
    )
    expect(careless.map(({ path }) => path)).toEqual([])
    const finder = files.find(({ path }) => path === 'src/platform/git/place.ts')
    expect(finder?.text).toMatch(/return withoutFilters\(/)
  })
})

describe('the way of a call', () => {
  it('has every tool defined in a file named after its tools', () => {
    const elsewhere = files.filter(
      ({ path, text }) =>
        withoutComments(text).includes('defineTool(') && !/(?:^|[/-])tool(?:s|set|-support)\.ts$/.test(path),
    )
    expect(elsewhere.map(({ path }) => path)).toEqual([])
  })

  it('reaches platform code through app alone: a domain declares ports and imports no adapter', () => {
    const reaching = Object.entries(FOLDERS).filter(
      ([folder, { imports }]) =>
        DOMAINS.includes(roomOf(`/${folder}`)) && imports.some((one) => isWithin(one, 'platform')),
    )
    expect(reaching).toEqual([])
  })
})

describe('the files', () => {
  it(`are at most ${MAX_LINES} lines long, or say why not`, () => {
    const long = files
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > MAX_LINES && LONG_FILES[path] === undefined)
    expect(long).toEqual([])
  })

  it('need every exception that is listed', () => {
    const needless = Object.keys(LONG_FILES).filter((path) => {
      const file = files.find((one) => one.path === path)
      return file === undefined || file.text.split('\n').length - 1 <= MAX_LINES
    })
    expect(needless).toEqual([])
  })

  it(`export names of at most ${MAX_WORDS} words`, () => {
    const long = files.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:const|class|interface|type|function|async function) (\w+)/gm)]
        .map(([, name]) => name as string)
        .filter((name) => words(name) > MAX_WORDS && LONG_NAMES[name] === undefined)
        .map((name) => `${path}: ${name}`),
    )
    expect(long).toEqual([])
  })

  it('export each name from one file', () => {
    const homes = new Map<string, string[]>()
    for (const { path, text } of files)
      for (const name of new Set(declaredExports(text))) homes.set(name, [...(homes.get(name) ?? []), path])
    const shared = [...homes].filter(([name, paths]) => paths.length > 1 && SHARED_NAMES[name] === undefined)
    expect(Object.fromEntries(shared)).toEqual({})
  })

  it('export nothing that no other file imports', () => {
    const code = trackedFiles('src', 'test', 'scripts').filter(
      (path) => /\.(ts|mjs)$/.test(path) && !path.startsWith('test/fixtures/'),
    )
    const bundlers = [...trackedFiles('bench'), ...code].filter(
      (path) => /\.(ts|mjs)$/.test(path) && !path.startsWith('src/') && path !== 'test/architecture.test.ts',
    )
    expect(unusedExports(readSources(code), readSources(bundlers))).toEqual([])
  })
})

describe('the benches', () => {
  // They bundle sources by path and are not type-checked: a renamed export would be noticed only by running them.
  it('use only exports that exist', () => {
    const exported = new Set(files.flatMap(({ text }) => declaredExports(text)))
    const missing = readSources(trackedFiles('bench').filter((path) => path.endsWith('.mjs'))).flatMap(
      ({ path, text }) =>
        [...text.matchAll(/\b(?:source|parts)\.([A-Za-z]\w+)\b(?!')/g)]
          .map(([, name]) => name as string)
          .filter((name) => /source\.mjs|parts\.mjs|loadSource|loadParts/.test(text) && !exported.has(name))
          .filter((name) => name !== 'mjs' && name !== 'length')
          .map((name) => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })
})

describe('the promises', () => {
  // Whether the cited tests exist and passed is checked by promise-reporter.ts at the end of the run.
  it.each(CITATIONS)('%s cites test files that exist, and titles in them', (_, { shownBy }) => {
    expect(shownBy.length).toBeGreaterThan(0)
    for (const [path, title] of shownBy) {
      expect(trackedFiles(path)).toEqual([path])
      expect(path).toMatch(/\.(test|long)\.ts$/)
      expect(title).not.toBe('')
    }
  })
})

describe('the repository', () => {
  const tracked = trackedFiles()

  it('names no package registry', () => {
    const lockfiles = tracked.filter((path) => path.endsWith('package-lock.json'))
    expect(lockfiles.length).toBeGreaterThan(0)
    for (const path of lockfiles) {
      expect(readFileSync(path, 'utf8')).not.toMatch(/"resolved"\s*:\s*"http/)
    }
  })

  it('lists every platform in its lockfiles, so that npm ci works everywhere', async () => {
    const { missingEntries } = await import('../scripts/lockfile.mjs')
    for (const path of tracked.filter((one) => one.endsWith('package-lock.json'))) {
      expect(missingEntries(JSON.parse(readFileSync(path, 'utf8')))).toEqual([])
    }
  })

  it('has a checksum for all packages but builds of development tools for other platforms', async () => {
    const { uncheckedEntries } = await import('../scripts/lockfile.mjs')
    for (const path of tracked.filter((one) => one.endsWith('package-lock.json'))) {
      const unchecked = uncheckedEntries(JSON.parse(readFileSync(path, 'utf8'))).filter(
        ({ dev, optional, os, cpu, libc }) => {
          const isHere = os?.includes('linux') && cpu?.includes('x64') && libc?.[0] !== 'musl'
          const isTool = dev || path !== 'package-lock.json'
          return isHere || !isTool || !optional || (os ?? cpu) === undefined
        },
      )
      expect([path, unchecked]).toEqual([path, []])
    }
  })

  it('gives a reason for every dependency', () => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'))
    const page = readFileSync('docs/dependencies.md', 'utf8')
    const silent = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !page.includes(`\`${name}\``),
    )
    expect(silent).toEqual([])
  })
})

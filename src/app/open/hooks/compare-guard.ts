import { readdirSync, statSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type GuardChange, type GuardFile, isGuarding, isWeaker } from '../../../hooks/guard.ts'
import { ENTRY_FILES, HOME_ENTRY_FILES } from '../../../hooks/own-files.ts'
import { digestBytes } from '../../../kernel/encoding/hash.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { quoteShellWord } from '../../../kernel/text/shell-quote.ts'
import { replaceFile } from '../../../platform/files/atomic-write.ts'
import { askGit, type GitFolders, type GitPlace } from '../../../platform/git/run.ts'
import { readRegularFile } from '../../../platform/jail/async.ts'
import { HOOK_NAMES } from '../../../setup/git-hooks/hook-script.ts'
import { guardRecord } from '../user-state.ts'

/** The state of what makes the gate run, as the event before left it. */
interface GuardRecord {
  readonly at: number
  readonly files: Readonly<Record<string, GuardFile>>
  /** Stamps of the configuration files of git, and the folders of hooks that they name, by scope. */
  readonly configs: Readonly<Record<string, string>>
  readonly hooksPaths: Readonly<Record<string, string>>
  /** A stamp of all branches, and the commits that they point to. */
  readonly refs: string
  readonly tips: Readonly<Record<string, string>>
}

const REMOTE_REFS = 'refs/remotes/'
const MAX_TEXT = 128 * 1024
const MAX_STAMPED = 5_000
const NOTED_MS = 60_000

const isGuardRecord = (value: unknown): value is GuardRecord =>
  isRecord(value) &&
  typeof value.at === 'number' &&
  typeof value.refs === 'string' &&
  [value.files, value.configs, value.hooksPaths, value.tips].every(isRecord)

const unlessThrown = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const stampOf = (path: string): string => {
  const stats = unlessThrown(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return stats === undefined ? '' : `${stats.size}:${stats.ctimeNs}:${stats.ino}:${stats.mode}`
}

/** The text of a regular file, also through a link; undefined where there is none. */
const readText = async (path: string): Promise<string | undefined> => {
  const bytes = await realpath(path)
    .then((real) => readRegularFile(real, MAX_TEXT))
    .catch(() => undefined)
  return bytes?.toString('utf8')
}

/** Stamps of everything below a folder, as far as it is worth to look. */
const stampTree = (folder: string, left: { count: number }): string =>
  (unlessThrown(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .map((entry) => {
      left.count -= 1
      const path = join(folder, entry.name)
      if (left.count < 0) return ''
      return entry.isDirectory() ? `${entry.name}/${stampTree(path, left)}` : `${entry.name} ${stampOf(path)}`
    })
    .join('\n')

interface GuardPlace {
  readonly place: GitPlace
  readonly folders: GitFolders
  readonly home: string
  readonly now: () => number
  readonly signal: AbortSignal
  /** Commits that branches got since, without those that came from a remote or have a receipt. */
  readonly findUnjudged: (
    before: readonly string[],
    after: readonly string[],
  ) => Promise<Pick<GuardChange, 'commits' | 'blocking'>>
}

const CONFIG_SCOPES = ['worktree', 'local', 'global', 'system']

class GuardLook {
  readonly #place: GuardPlace
  readonly #before: GuardRecord | undefined
  readonly #root: string

  constructor(place: GuardPlace, before: GuardRecord | undefined) {
    this.#place = place
    this.#before = before
    this.#root = place.place.folder
  }

  async #readConfigs(): Promise<Pick<GuardRecord, 'configs' | 'hooksPaths'>> {
    const { place, folders, home, signal } = this.#place
    const { XDG_CONFIG_HOME: named, GIT_CONFIG_GLOBAL: global } = place.environment
    const known = [
      '/etc/gitconfig',
      global ?? join(home, '.gitconfig'),
      join(named ?? join(home, '.config'), 'git/config'),
      join(folders.common, 'config'),
      join(folders.own, 'config.worktree'),
      ...Object.keys(this.#before?.configs ?? {}),
    ]
    const stamps = (paths: readonly string[]) =>
      Object.fromEntries(paths.map((path) => [path, stampOf(path)]))
    const configs = stamps(known)
    const { configs: former = {}, hooksPaths = {} } = this.#before ?? {}
    if (Object.entries(configs).every(([path, stamp]) => former[path] === stamp))
      return { configs, hooksPaths }
    const args = ['config', '--list', '-z', '--show-scope', '--show-origin']
    const fields = (await askGit(place, args, { signal })).text.split('\0')
    const found: Record<string, string> = {}
    const origins = new Set(known)
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [scope = '', origin = '', setting = ''] = fields.slice(at, at + 3)
      if (origin.startsWith('file:')) origins.add(resolve(this.#root, origin.slice('file:'.length)))
      const [key, value = ''] = setting.split('\n', 2)
      if (key === 'core.hookspath' && CONFIG_SCOPES.includes(scope)) found[scope] = value
    }
    return { configs: stamps([...origins]), hooksPaths: found }
  }

  /** The folder in which git looks for hooks. */
  #hooksFolder(hooksPaths: Readonly<Record<string, string>>): string {
    const named = CONFIG_SCOPES.map((scope) => hooksPaths[scope]).find((path) => path !== undefined)
    if (named === undefined) return join(this.#place.folders.common, 'hooks')
    return resolve(this.#root, named.replace(/^~(?=\/)/, this.#place.home))
  }

  async #readFile(path: string, kind: GuardFile['kind']): Promise<GuardFile | undefined> {
    const stamp = stampOf(path)
    const former = this.#before?.files[path]
    if (former?.stamp === stamp && stamp !== '') return former
    const text = stamp === '' ? undefined : await readText(path)
    const mode = Number(stamp.slice(stamp.lastIndexOf(':') + 1)) & 0o777
    return text === undefined ? undefined : { kind, stamp, mode, text }
  }

  async #readFiles(hooksFolder: string): Promise<Record<string, GuardFile>> {
    // Most repositories have few of them: one look at the names is less than one at each file.
    const top = new Set(unlessThrown(() => readdirSync(this.#root)))
    const paths = [
      ...HOOK_NAMES.map((name) => [join(hooksFolder, name), 'hook'] as const),
      ...ENTRY_FILES.filter((path) => top.has(path.split('/')[0] ?? '')).map(
        (path) => [join(this.#root, path), 'settings'] as const,
      ),
      ...HOME_ENTRY_FILES.map((path) => [join(this.#place.home, path), 'settings'] as const),
    ]
    const found = await Promise.all(
      paths.map(async ([path, kind]) => [path, await this.#readFile(path, kind)] as const),
    )
    return Object.fromEntries(
      found.flatMap(([path, file]) => (file && isGuarding(file, path) ? [[path, file]] : [])),
    )
  }

  /** What a checkout of a commit brings is the work of that commit. */
  async #isCommitted(path: string): Promise<boolean> {
    const { place, signal } = this.#place
    if (!isPathInside(this.#root, path)) return false
    const name = relative(this.#root, path).split(sep).join('/')
    const present = await readText(path)
    const { code, text } = await askGit(place, ['ls-tree', 'HEAD', '--', name], { signal })
    const id = code === 0 ? /^100\d+ blob ([0-9a-f]+)\t/.exec(text)?.[1] : undefined
    if (present === undefined)
      return code === 0 && text === '' && !isPathInside(this.#place.folders.own, path)
    if (id === undefined) return false
    const hashed = await askGit(place, ['hash-object', '--no-filters', '--stdin'], { signal, input: present })
    return hashed.text.trim() === id
  }

  /** Puts the setting of the folder of hooks back; the command that does it where this is not ours to do. */
  async #restoreSetting(present: Readonly<Record<string, string>>): Promise<string | undefined> {
    const { place, signal } = this.#place
    const former = this.#before?.hooksPaths ?? {}
    const changed = CONFIG_SCOPES.find((scope) => former[scope] !== present[scope]) ?? 'local'
    const value = former[changed]
    const words = value === undefined ? ['--unset-all', 'core.hooksPath'] : ['core.hooksPath', value]
    const args = ['config', `--${changed}`, ...words]
    if (changed !== 'local' && changed !== 'worktree') return `git ${args.map(quoteShellWord).join(' ')}`
    const { code } = await askGit(place, args, { signal })
    return code === 0 ? undefined : `git ${args.map(quoteShellWord).join(' ')}`
  }

  async #restoreFile(path: string, { text, mode }: GuardFile): Promise<string | undefined> {
    try {
      await mkdir(dirname(path), { recursive: true })
      await replaceFile(path, text, { durable: false, mode, ignoreUmask: true })
      return undefined
    } catch {
      return 'warrant init'
    }
  }

  async #readTips(): Promise<Record<string, string>> {
    const { place, folders, signal } = this.#place
    const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/remotes']
    const { text } = await askGit(place, args, { signal })
    const tips = Object.fromEntries(
      text.split('\n').flatMap((line) => {
        const end = line.indexOf(' ')
        return end > 0 ? [[line.slice(end + 1), line.slice(0, end)]] : []
      }),
    )
    // What came from a folder or an address is in no remote branch.
    const fetched = (await readText(join(folders.own, 'FETCH_HEAD'))) ?? ''
    for (const [id] of fetched.matchAll(/^[0-9a-f]{40,64}(?=\t)/gm))
      tips[`${REMOTE_REFS}FETCH_HEAD/${id}`] = id
    const worktrees = unlessThrown(() => readdirSync(join(folders.common, 'worktrees'))) ?? []
    for (const folder of [
      folders.common,
      ...worktrees.map((name) => join(folders.common, 'worktrees', name)),
    ]) {
      const head = (await readText(join(folder, 'HEAD')))?.trim() ?? ''
      if (/^[0-9a-f]{40,64}$/.test(head)) tips[`${folder}/HEAD`] = head
    }
    return tips
  }

  #stampRefs(): string {
    const { common } = this.#place.folders
    const left = { count: MAX_STAMPED }
    const trees = ['refs/heads', 'refs/remotes', 'reftable', 'worktrees'].map((name) =>
      stampTree(join(common, name), left),
    )
    const stamp = [...trees, stampOf(join(common, 'packed-refs')), stampOf(join(common, 'HEAD'))].join('\n')
    // With more branches than are looked at, git is asked each time.
    return left.count < 0 ? '' : digestBytes(stamp)
  }

  async look(): Promise<{ readonly record: GuardRecord; readonly change: GuardChange | undefined }> {
    const before = this.#before
    let { configs, hooksPaths } = await this.#readConfigs()
    let files = await this.#readFiles(this.#hooksFolder(hooksPaths))
    const restored: string[] = []
    const left: { what: string; repair: string }[] = []
    const note = (what: string, repair: string | undefined) =>
      repair === undefined ? restored.push(what) : left.push({ what, repair })
    const former = Object.entries(before?.files ?? {})
    const kept: Record<string, GuardFile> = {}
    const hookLost = former.some(
      ([path, file]) =>
        file.kind === 'hook' &&
        !Object.keys(files).some((one) => one.endsWith(path.slice(path.lastIndexOf(sep)))),
    )
    const isMoved = JSON.stringify(before?.hooksPaths) !== JSON.stringify(hooksPaths)
    if (hookLost && isMoved) {
      const repair = await this.#restoreSetting(hooksPaths)
      note('the setting core.hooksPath', repair)
      if (repair === undefined) ({ configs, hooksPaths } = await this.#readConfigs())
      // Without stamps the setting is read again at the next event, and compared with what it should be.
      else ({ configs, hooksPaths } = { configs: {}, hooksPaths: before?.hooksPaths ?? {} })
      files = await this.#readFiles(this.#hooksFolder(hooksPaths))
    }
    for (const [path, file] of former) {
      const isElsewhere = file.kind === 'hook' && dirname(path) !== this.#hooksFolder(hooksPaths)
      if (isElsewhere || !isWeaker(file, files[path], path) || (await this.#isCommitted(path))) continue
      const repair = await this.#restoreFile(path, file)
      note(isPathInside(this.#root, path) ? relative(this.#root, path) : path, repair)
      kept[path] = { ...file, stamp: repair === undefined ? stampOf(path) : '' }
    }
    const refs = this.#stampRefs()
    const isSame = before !== undefined && refs !== '' && refs === before.refs
    const tips = isSame ? before.tips : await this.#readTips()
    const moved = Object.entries(tips).flatMap(([ref, id]) =>
      before === undefined || before.tips[ref] === id || ref.startsWith(REMOTE_REFS) ? [] : [id],
    )
    const isGuarded = former.some(([, { kind }]) => kind === 'hook')
    const known = [
      ...Object.values(before?.tips ?? {}),
      ...Object.entries(tips).flatMap(([ref, id]) => (ref.startsWith(REMOTE_REFS) ? [id] : [])),
    ]
    const unjudged =
      moved.length === 0 || !isGuarded
        ? { commits: [], blocking: undefined }
        : await this.#place.findUnjudged([...new Set(known)], [...new Set(moved)])
    const at = this.#place.now()
    const isChanged = restored.length + left.length + unjudged.commits.length > 0
    return {
      record: { at, files: { ...files, ...kept }, configs, hooksPaths, refs, tips },
      change: isChanged ? { since: before?.at ?? at, restored, left, ...unjudged } : undefined,
    }
  }
}

/**
 * Compares what makes the gate run with what the event before found, and puts back what it can. Also returns the paths
 * of the hooks and settings. A read-only program compares and changes nothing.
 */
export const compareGuard = async (
  place: GuardPlace,
  readOnly: boolean,
): Promise<{ readonly change: GuardChange | undefined; readonly paths: readonly string[] }> => {
  const record = guardRecord(place.place.folder, place.place.environment)
  const known = readOnly ? undefined : await record.read()
  const before = isGuardRecord(known) ? known : undefined
  const { record: now, change } = await new GuardLook(place, before).look()
  // Most events change nothing: then the time of the last look is noted now and then.
  const isNew = before === undefined || now.at - before.at > NOTED_MS || change !== undefined
  const isOther = isNew || JSON.stringify({ ...now, at: before.at }) !== JSON.stringify(before)
  if (isOther && !readOnly) await record.write(now)
  return { change, paths: Object.keys(now.files) }
}

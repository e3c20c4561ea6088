import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type GuardChange, type GuardFile, isKept, isWeaker } from '../../../hooks/guard.ts'
import { ENTRY_FILES, HOME_ENTRY_FILES } from '../../../hooks/own-files.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { quoteShellWord } from '../../../kernel/text/shell-quote.ts'
import { replaceFile } from '../../../platform/files/atomic-write.ts'
import { askGit, type GitFolders, type GitPlace } from '../../../platform/git/run.ts'
import { HOOK_NAMES } from '../../../setup/git-hooks/hook-script.ts'
import { guardRecord } from '../user-state.ts'
import type { MovedTips, UnjudgedCommits } from './find-unjudged.ts'
import { readFetched, readTips, stampRefs } from './read-tips.ts'
import { modeOf, readGuardText, stampOf } from './stamps.ts'

/** The state of what makes the gate run, as the event before left it. */
interface GuardRecord {
  readonly at: number
  readonly files: Readonly<Record<string, GuardFile>>
  /** Stamps of the configuration files of git, and the folders of hooks that they name: the last one counts. */
  readonly configs: Readonly<Record<string, string>>
  readonly hooksPaths: Readonly<Record<string, string>>
  /** A stamp of all branches, and the commits that they point to. */
  readonly refs: string
  readonly tips: Readonly<Record<string, string>>
}

const MAX_CHECKOUTS = 50
const NOTED_MS = 60_000

const isGuardRecord = (value: unknown): value is GuardRecord =>
  isRecord(value) &&
  typeof value.at === 'number' &&
  typeof value.refs === 'string' &&
  [value.files, value.configs, value.hooksPaths, value.tips].every(isRecord)

interface GuardPlace {
  readonly place: GitPlace
  readonly folders: GitFolders
  readonly home: string
  readonly now: () => number
  readonly signal: AbortSignal
  /** Commits that branches got since, without those that came from a remote or have a receipt. */
  readonly findUnjudged: (tips: Omit<MovedTips, 'budget'>) => Promise<UnjudgedCommits>
}

/** Stands for no commit: what is asked where nothing moved. */
const NO_COMMITS: UnjudgedCommits = { commits: [], blocking: [], counted: 0 }

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
    const { code, text } = await askGit(place, ['config', '--list', '-z', '--show-origin'], { signal })
    // With a configuration that git cannot read, it makes no commits either.
    if (code !== 0) return { configs: {}, hooksPaths }
    const fields = text.split('\0')
    const found: Record<string, string> = {}
    const origins = new Set(known)
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [origin = '', setting = ''] = fields.slice(at, at + 2)
      if (!origin.startsWith('file:')) continue
      const file = resolve(this.#root, origin.slice('file:'.length))
      origins.add(file)
      const [key, value = ''] = setting.split('\n', 2)
      if (key !== 'core.hookspath') continue
      delete found[file]
      found[file] = value
    }
    return { configs: stamps([...origins]), hooksPaths: found }
  }

  /** The folder in which git looks for hooks. */
  #hooksFolder(hooksPaths: Readonly<Record<string, string>>): string {
    const named = Object.values(hooksPaths).at(-1)
    if (named === undefined) return join(this.#place.folders.common, 'hooks')
    return resolve(this.#root, named.replace(/^~(?=\/)/, this.#place.home))
  }

  async #readFile(path: string, kind: GuardFile['kind']): Promise<GuardFile | undefined> {
    const stamp = stampOf(path)
    const former = this.#before?.files[path]
    if (former?.stamp === stamp && stamp !== '') return former
    const text = stamp === '' ? undefined : await readGuardText(path)
    const mode = modeOf(stamp)
    return text === undefined ? undefined : { kind, stamp, mode, text }
  }

  async #readFiles(hooksFolder: string): Promise<Record<string, GuardFile>> {
    // Most repositories have few of them: one look at the names is less than one at each file.
    const top = new Set(await readdir(this.#root).catch(() => []))
    const paths = [
      ...ENTRY_FILES.filter((path) => top.has(path.split('/')[0] ?? '')).map(
        (path) => [join(this.#root, path), 'settings'] as const,
      ),
      ...HOME_ENTRY_FILES.map((path) => [join(this.#place.home, path), 'settings'] as const),
      // The last one of a path counts: a script of the repository may be the hook itself. Husky's hooks start its `h`.
      ...[...HOOK_NAMES, ...(basename(hooksFolder) === '_' ? ['h'] : [])].map(
        (name) => [join(hooksFolder, name), 'hook'] as const,
      ),
    ]
    const found = await Promise.all(
      paths.map(async ([path, kind]) => [path, await this.#readFile(path, kind)] as const),
    )
    return Object.fromEntries(
      found.flatMap(([path, file]) => (file && isKept(file, path) ? [[path, file]] : [])),
    )
  }

  /** Whether a checkout can have removed a file: one of the last commits that were checked out has it. */
  async #wasTracked(name: string): Promise<boolean> {
    const { place, signal } = this.#place
    const input = Array.from({ length: MAX_CHECKOUTS }, (_, at) => `HEAD@{${at + 1}}:${name}\n`).join('')
    return / blob \d+$/m.test((await askGit(place, ['cat-file', '--batch-check'], { signal, input })).text)
  }

  /** What a checkout of a commit brings is the work of that commit. */
  async #isCommitted(path: string): Promise<boolean> {
    const { place, signal } = this.#place
    if (!isPathInside(this.#root, path)) return false
    const name = relative(this.#root, path).split(sep).join('/')
    const present = await readGuardText(path)
    const { code, text } = await askGit(place, ['ls-tree', 'HEAD', '--', name], { signal })
    const [, executes = '', id] = (code === 0 && /^100([67])\d\d blob ([0-9a-f]+)\t/.exec(text)) || []
    if (present === undefined) return code === 0 && text === '' && (await this.#wasTracked(name))
    if (id === undefined || (executes === '7' && (modeOf(stampOf(path)) & 0o100) === 0)) return false
    const hashed = await askGit(place, ['hash-object', '--no-filters', '--stdin'], { signal, input: present })
    return hashed.text.trim() === id
  }

  /** Puts the settings of the folder of hooks back; the commands that do it where this is not ours to do. */
  async #restoreSettings(present: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const { place, folders, signal } = this.#place
    const former = this.#before?.hooksPaths ?? {}
    const repairs: string[] = []
    for (const file of new Set([...Object.keys(former), ...Object.keys(present)])) {
      const value = former[file]
      if (value === present[file]) continue
      const words = value === undefined ? ['--unset-all', 'core.hooksPath'] : ['core.hooksPath', value]
      const args = ['config', '--file', file, ...words]
      const isOwn = [this.#root, folders.common, folders.own].some((folder) => isPathInside(folder, file))
      if (!isOwn || (await askGit(place, args, { signal })).code !== 0)
        repairs.push(`git ${args.map(quoteShellWord).join(' ')}`)
    }
    return repairs
  }

  async #restoreFile(path: string, { text, mode }: GuardFile): Promise<string | undefined> {
    const folder = dirname(path)
    const write = async () => {
      await mkdir(folder, { recursive: true })
      await replaceFile(path, text, { durable: false, mode, ignoreUmask: true })
    }
    const isFolder = (one: string) => lstat(one).then((stats) => stats.isDirectory())
    try {
      // Something else in the place of the folder: a link would lead the write to another place.
      if (!(await isFolder(folder).catch(() => true))) await rm(folder)
      await write().catch(async () => {
        if (await isFolder(path).catch(() => false)) await rm(path, { recursive: true })
        await chmod(folder, 0o755)
        await write()
      })
      return undefined
    } catch {
      return 'warrant init --yes'
    }
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
        Object.entries(files).every(
          ([one, now]) => basename(one) !== basename(path) || isWeaker(file, now, one),
        ),
    )
    const isMoved = JSON.stringify(before?.hooksPaths) !== JSON.stringify(hooksPaths)
    if (hookLost && isMoved) {
      const repairs = await this.#restoreSettings(hooksPaths)
      if (repairs.length === 0) note('the setting core.hooksPath', undefined)
      for (const repair of repairs) note('the setting core.hooksPath', repair)
      if (repairs.length === 0) ({ configs, hooksPaths } = await this.#readConfigs())
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
    for (const [path, file] of Object.entries(before === undefined ? {} : files))
      if (before?.files[path] === undefined && isWeaker(undefined, file, path)) {
        note(path, `rm ${quoteShellWord(path)}`)
        // Found again until it is gone.
        delete files[path]
      }
    const { place, folders, signal } = this.#place
    const refs = stampRefs(folders)
    const isSame = before !== undefined && refs !== '' && refs === before.refs
    const tips = isSame ? before.tips : await readTips({ ...place, folders }, signal)
    const moved = Object.entries(tips).filter(([ref, id]) => before !== undefined && before.tips[ref] !== id)
    const isGuarded = [...former, ...Object.entries(files)].some(([, { kind }]) => kind === 'hook')
    const unjudged =
      moved.length === 0 || !isGuarded
        ? NO_COMMITS
        : await this.#place.findUnjudged({
            moved,
            known: [
              ...new Set([...Object.values(before?.tips ?? {}), ...(await readFetched(this.#root, folders))]),
            ],
          })
    const at = this.#place.now()
    const isChanged = restored.length + left.length + unjudged.commits.length + unjudged.counted > 0
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

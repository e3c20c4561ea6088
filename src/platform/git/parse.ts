import type { FileChange, GitState } from '../../gate/ports.ts'
import { optional } from '../../kernel/optional.ts'

export interface RawChange extends FileChange {
  /** The blob with the content after the change; undefined when it is only on disk. */
  readonly oid: string | undefined
  /** The blob with the content before the change; undefined when there was no regular file. */
  readonly before?: string | undefined
  /** What git stores under the path, when it is not a file. */
  readonly entry?: 'link' | 'submodule'
}

export const NO_MODE = '000000'
const isFile = (mode: string): boolean => mode.startsWith('100')
const isNull = (oid: string): boolean => /^0*$/.test(oid)
const blobOf = (mode: string, oid: string): string | undefined =>
  isFile(mode) && !isNull(oid) ? oid : undefined

/** Links and submodules matter when they are added or changed, not when they are deleted. */
const entryOf = (mode: string): Pick<RawChange, 'entry'> =>
  mode.startsWith('120') ? { entry: 'link' } : mode.startsWith('160') ? { entry: 'submodule' } : {}

const isRead = (deleted: boolean, before: string, after: string): boolean =>
  isFile(deleted ? before : after) || entryOf(after).entry !== undefined

const changeKind = (deleted: boolean, before: string): FileChange['change'] =>
  deleted ? 'deleted' : before === NO_MODE ? 'added' : 'modified'

interface VersionsOfPath {
  readonly path: string
  readonly modes: readonly [before: string, after: string]
  readonly oids: readonly [before: string, after: string]
  readonly from?: string | undefined
}

/** A change between two versions that git stores; none where neither of them is read. */
const storedChange = ({ path, modes: [old, now], oids, from }: VersionsOfPath): RawChange[] => {
  const deleted = now === NO_MODE
  if (!isRead(deleted, old, now)) return []
  const oid = deleted || isNull(oids[1]) ? undefined : oids[1]
  const before = blobOf(old, oids[0])
  return [{ path, change: changeKind(deleted, old), oid, before, ...entryOf(now), ...optional({ from }) }]
}

// Headers come first. A file name may start with "#", but no entry starts with "# branch.".
export const parseHeaders = (records: readonly string[]): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const record of records) {
    if (!record.startsWith('# branch.')) break
    const at = record.indexOf(' ', 2)
    headers.set(record.slice('# branch.'.length, at), record.slice(at + 1))
  }
  return headers
}

/** One entry of porcelain v2. Untracked paths have the state `??`. */
export interface StatusEntry {
  /** Index column, then working-tree column; a dot where nothing changed. */
  readonly state: string
  readonly headMode: string
  readonly indexMode: string
  readonly worktreeMode: string
  /** The blob of the last commit; empty for untracked and unmerged paths. */
  readonly headOid: string
  /** The blob in the index; empty for untracked and unmerged paths. */
  readonly oid: string
  readonly path: string
  readonly from?: string
}

/** Number of fields before the path, by type of the record. */
const FIELD_COUNTS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 }

const splitFields = (record: string, count: number): [fields: string[], path: string] => {
  const fields: string[] = []
  let at = 0
  while (fields.length < count) {
    const end = record.indexOf(' ', at)
    fields.push(record.slice(at, end))
    at = end + 1
  }
  return [fields, record.slice(at)]
}

const parseEntries = (records: readonly string[], from: number): StatusEntry[] => {
  const entries: StatusEntry[] = []
  for (let at = from; at < records.length; at += 1) {
    const record = records[at] ?? ''
    const kind = record[0] ?? ''
    if (kind === '?') {
      const path = record.slice(2)
      entries.push({
        state: '??',
        headMode: NO_MODE,
        indexMode: NO_MODE,
        worktreeMode: '100644',
        headOid: '',
        oid: '',
        path,
      })
      continue
    }
    const count = FIELD_COUNTS[kind]
    if (count === undefined) continue
    const [fields, path] = splitFields(record, count)
    const [, state = '..', , headMode = NO_MODE, indexMode = NO_MODE, , headOid = '', oid = ''] = fields
    const worktreeMode = fields[kind === 'u' ? 6 : 5] ?? NO_MODE
    if (kind === '2') at += 1
    const old = kind === '2' ? records[at] : undefined
    const modes = { headMode, indexMode, worktreeMode }
    entries.push({
      state,
      ...modes,
      ...(kind === 'u' ? { headOid: '', oid: '' } : { headOid, oid }),
      path,
      ...optional({ from: old }),
    })
  }
  return entries
}

/** The output of `status --porcelain=v2 --branch -z`. */
export const parseStatus = (text: string) => {
  const records = text.split('\0')
  const headers = parseHeaders(records)
  return { headers, entries: parseEntries(records, headers.size) }
}

export const parseState = (text: string): GitState => {
  const { headers, entries } = parseStatus(text)
  const head = headers.get('head') ?? null
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get('ab') ?? '') ?? []
  return {
    available: true,
    branch: headers.get('oid') === '(initial)' ? null : head === '(detached)' ? 'HEAD' : head,
    // An upstream that was removed has no counts.
    upstream: ahead === undefined ? null : (headers.get('upstream') ?? null),
    ahead: Number(ahead ?? 0),
    behind: Number(behind ?? 0),
    dirty: entries.length > 0,
    staged: entries.filter(({ state }) => state[0] !== '.' && state[0] !== '?').length,
    unstaged: entries.filter(({ state }) => state[1] !== '.').length,
  }
}

/** The last commit, from a status; null before the first. */
export const parseHead = (text: string): string | null => {
  const oid = parseHeaders(text.split('\0', 1)).get('oid')
  return oid === undefined || oid === '(initial)' ? null : oid
}

/** The working tree against the last commit, untracked files included. */
export const parseWorktree = (text: string): RawChange[] =>
  parseStatus(text).entries.flatMap((entry): RawChange[] => {
    const { state, headMode, headOid, worktreeMode, oid, path, from } = entry
    // A nested repository is listed with a trailing slash.
    if (path.endsWith('/')) return []
    const deleted = worktreeMode === NO_MODE || state[1] === 'D'
    if (!isRead(deleted, headMode, deleted ? NO_MODE : worktreeMode)) return []
    const other = deleted ? {} : entryOf(worktreeMode)
    return [
      {
        path,
        change: changeKind(deleted, headMode),
        oid: other.entry === 'link' && state[1] === '.' ? oid : undefined,
        before: blobOf(headMode, headOid),
        ...other,
        ...(from !== undefined && !deleted && { from }),
      },
    ]
  })

/**
 * The index against the last commit, from a status that was read anyway. Undefined where `status` says less than
 * `diff-index`: for unmerged paths and for `git add --intent-to-add`.
 */
export const parseStaged = (text: string): RawChange[] | undefined => {
  const { entries } = parseStatus(text)
  if (entries.some(({ state, oid }) => state !== '??' && (oid === '' || /.[ARC]/.test(state))))
    return undefined
  return entries
    .filter(({ state }) => !/^[.?]/.test(state))
    .flatMap(({ headMode, headOid, indexMode, oid, path, from }) =>
      storedChange({ path, modes: [headMode, indexMode], oids: [headOid, oid], from }),
    )
}

/** `--raw -z` of diff-index and diff-tree. A copy or a rename is a modification of the new path. */
export const parseRaw = (text: string): RawChange[] => {
  const records = text.split('\0')
  const changes: RawChange[] = []
  for (let at = 0; at < records.length; ) {
    const head = records[at++] ?? ''
    if (!head.startsWith(':')) continue
    const [oldMode = NO_MODE, newMode = NO_MODE, oldOid = '', oid = '', status = ''] = head
      .slice(1)
      .split(' ')
    const first = records[at++] ?? ''
    const isMoved = status.startsWith('R') || status.startsWith('C')
    const path = isMoved ? (records[at++] ?? '') : first
    const from = status.startsWith('R') ? first : undefined
    changes.push(...storedChange({ path, modes: [oldMode, newMode], oids: [oldOid, oid], from }))
  }
  return changes
}

/** Files of the index, from `ls-files --stage -z`. Unmerged paths appear once, without a blob. */
export const parseIndex = (text: string): RawChange[] => {
  const files = new Map<string, RawChange>()
  for (const record of text.split('\0')) {
    const tab = record.indexOf('\t')
    const [mode = '', oid = '', stage = ''] = record.slice(0, tab).split(' ')
    if (tab < 0 || !isRead(false, NO_MODE, mode)) continue
    const path = record.slice(tab + 1)
    const blobs = { oid: stage === '0' ? oid : undefined, before: undefined }
    files.set(path, { path, change: 'added', ...blobs, ...entryOf(mode) })
  }
  return [...files.values()]
}

export const parseNames = (text: string): string[] => text.split('\0').filter((name) => name !== '')

/** One setting; its value is undefined where the key stands alone, which means true. */
export interface ConfigRecord {
  readonly scope: string
  readonly origin: string
  readonly key: string
  readonly value: string | undefined
}

/** The output of `git config -z`: records, each after so many fields, of which the first is its scope, the second its origin. */
export const parseConfig = (output: string, before = 0): ConfigRecord[] => {
  const fields = output.split('\0')
  const records: ConfigRecord[] = []
  for (let at = before; at + 1 < fields.length; at += before + 1) {
    const [scope = '', origin = ''] = fields.slice(at - before, at)
    const [key = '', ...lines] = (fields[at] ?? '').split('\n')
    records.push({ scope, origin, key, value: lines.length === 0 ? undefined : lines.join('\n') })
  }
  return records
}

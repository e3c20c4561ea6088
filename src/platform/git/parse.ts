import type { FileChange, GitState } from '../../gate/ports.ts'

/** A change with what is needed to read it: the blob in the object store, unless it is only on disk. */
export interface RawChange extends FileChange {
  readonly oid: string | undefined
}

const GONE = '000000'
const isFile = (mode: string): boolean => mode.startsWith('100')
const isNull = (oid: string): boolean => /^0+$/.test(oid)

const changeOf = (gone: boolean, before: string): FileChange['change'] =>
  gone ? 'deleted' : before === GONE ? 'added' : 'modified'

// Names may hold a newline or start with a hash, but git writes the headers first and nothing else with "# ".
export const parseHeaders = (records: readonly string[]): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const record of records) {
    if (!record.startsWith('# branch.')) break
    const at = record.indexOf(' ', 2)
    headers.set(record.slice('# branch.'.length, at), record.slice(at + 1))
  }
  return headers
}

/** One line of porcelain v2, its fields apart. Untracked paths have the state `??`. */
interface StatusEntry {
  /** Index column, then working-tree column; a dot where nothing changed. */
  readonly state: string
  readonly headMode: string
  readonly indexMode: string
  readonly worktreeMode: string
  /** The blob in the index; empty where there is none, or are several. */
  readonly oid: string
  readonly path: string
  readonly from?: string
}

/** How many fields come before the path, by the kind of the record. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 }

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
      entries.push({ state: '??', headMode: GONE, indexMode: GONE, worktreeMode: '100644', oid: '', path })
      continue
    }
    const count = FIELDS[kind]
    if (count === undefined) continue
    const [fields, path] = splitFields(record, count)
    const [, state = '..', , headMode = GONE, indexMode = GONE, , , oid = ''] = fields
    const worktreeMode = fields[kind === 'u' ? 6 : 5] ?? GONE
    if (kind === '2') at += 1
    const old = kind === '2' ? records[at] : undefined
    const modes = { headMode, indexMode, worktreeMode }
    entries.push({
      state,
      ...modes,
      oid: kind === 'u' ? '' : oid,
      path,
      ...(old !== undefined && { from: old }),
    })
  }
  return entries
}

const parseStatus = (text: string) => {
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
    // An upstream that is configured and gone has no counts, and nothing can be compared with it.
    upstream: ahead === undefined ? null : (headers.get('upstream') ?? null),
    ahead: Number(ahead ?? 0),
    behind: Number(behind ?? 0),
    dirty: entries.length > 0,
    staged: entries.filter(({ state }) => state[0] !== '.' && state[0] !== '?').length,
    unstaged: entries.filter(({ state }) => state[1] !== '.').length,
  }
}

/** The working tree against the last commit, untracked files included. */
export const parseWorktree = (text: string): RawChange[] =>
  parseStatus(text).entries.flatMap(({ state, headMode, worktreeMode, path, from }): RawChange[] => {
    // A folder that is a repository of its own is listed with a slash.
    if (path.endsWith('/')) return []
    const gone = worktreeMode === GONE || state[1] === 'D'
    if (!isFile(gone ? headMode : worktreeMode)) return []
    return [
      {
        path,
        change: changeOf(gone, headMode),
        oid: undefined,
        ...(from !== undefined && !gone && { from }),
      },
    ]
  })

/**
 * The index against the last commit, from an answer that is there anyway. Undefined where status tells less than
 * diff-index: of paths that are not merged, and of those that are only intended to be added.
 */
export const parseStaged = (text: string): RawChange[] | undefined => {
  const { entries } = parseStatus(text)
  if (entries.some(({ state, oid }) => state !== '??' && (oid === '' || /.[ARC]/.test(state))))
    return undefined
  return entries.flatMap(({ state, headMode, indexMode, oid, path, from }): RawChange[] => {
    const gone = indexMode === GONE
    if (/^[.?]/.test(state) || !isFile(gone ? headMode : indexMode)) return []
    const change = changeOf(gone, headMode)
    return [{ path, change, oid: gone || isNull(oid) ? undefined : oid, ...(from !== undefined && { from }) }]
  })
}

/** `--raw -z` of diff-index and diff-tree. A copy or a move is a modification under the new name. */
export const parseRaw = (text: string): RawChange[] => {
  const records = text.split('\0')
  const changes: RawChange[] = []
  for (let at = 0; at < records.length; ) {
    const head = records[at++] ?? ''
    if (!head.startsWith(':')) continue
    const [oldMode = GONE, newMode = GONE, , oid = '', status = ''] = head.slice(1).split(' ')
    const first = records[at++] ?? ''
    const moved = status.startsWith('R') || status.startsWith('C')
    const path = moved ? (records[at++] ?? '') : first
    const gone = newMode === GONE
    if (!isFile(gone ? oldMode : newMode)) continue
    changes.push({
      path,
      change: changeOf(gone, oldMode),
      oid: gone || isNull(oid) ? undefined : oid,
      ...(status.startsWith('R') && { from: first }),
    })
  }
  return changes
}

/** `ls-files --stage -z`: the files of the index. Unmerged paths appear once, without a blob. */
export const parseIndex = (text: string): RawChange[] => {
  const files = new Map<string, RawChange>()
  for (const record of text.split('\0')) {
    const tab = record.indexOf('\t')
    const [mode = '', oid = '', stage = ''] = record.slice(0, tab).split(' ')
    if (tab < 0 || !isFile(mode)) continue
    const path = record.slice(tab + 1)
    files.set(path, { path, change: 'added', oid: stage === '0' ? oid : undefined })
  }
  return [...files.values()]
}

/** Names separated by NUL. */
export const parseNames = (text: string): string[] => text.split('\0').filter((name) => name !== '')

import { packetFaults } from '../faults.ts'

const MAX_PATH = 1024
const MAX_SEGMENT = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/
// Windows treats these as devices, with any extension, and drops a trailing dot or blank.
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const OTHER_END = /[ .]$/

/** Git takes these for its folder: case and ignorable characters do not count on some file systems. */
const GIT_FOLDER = /^(?:\.git|git~\d+)$/

const isGitFolder = (segment: string): boolean =>
  GIT_FOLDER.test(
    segment
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toLowerCase(),
  )

const badSegment = (segment: string): boolean =>
  segment === '' ||
  isGitFolder(segment) ||
  OTHER_END.test(segment) ||
  DEVICE.test(segment) ||
  Buffer.byteLength(segment) > MAX_SEGMENT

/**
 * Checks that a path of a packet is relative, stays inside its folder on every platform and is not in a folder that
 * git takes for its own. Paths come from the publisher and are not trusted.
 */
export const confinePath = (text: string): string => {
  const bad =
    text.length > MAX_PATH || !text.isWellFormed() || FORBIDDEN.test(text) || text.split('/').some(badSegment)
  if (bad) throw packetFaults.unsafe_path(`not a safe relative path: ${JSON.stringify(text.slice(0, 80))}`)
  return text
}

/** A folder with these names is a repository to git, with a configuration that can run programs. */
const requireNoRepository = (taken: ReadonlySet<string>, folders: ReadonlySet<string>): void => {
  for (const file of taken) {
    if (file !== 'head' && !file.endsWith('/head')) continue
    const below = file.slice(0, -'head'.length)
    if (taken.has(`${below}commondir`) || (folders.has(`${below}objects`) && folders.has(`${below}refs`)))
      throw packetFaults.unsafe_path('the files of a folder together are a git repository')
  }
}

/**
 * Checks that all paths can exist in one folder, also on case-insensitive file systems, and that none of their
 * folders is a git repository.
 */
export const confineAll = (paths: readonly string[]): readonly string[] => {
  const taken = new Set<string>()
  const folders = new Set<string>()
  for (const path of paths) {
    const parts = confinePath(path).normalize('NFC').toLowerCase().split('/')
    const whole = parts.join('/')
    const above = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))
    if (taken.has(whole) || folders.has(whole) || above.some((folder) => taken.has(folder)))
      throw packetFaults.unsafe_path(`two files cannot share this path: ${JSON.stringify(path.slice(0, 80))}`)
    taken.add(whole)
    for (const folder of above) folders.add(folder)
  }
  requireNoRepository(taken, folders)
  return paths
}

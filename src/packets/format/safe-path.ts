import { packetFaults } from '../faults.ts'

const MAX_PATH = 1024
const MAX_SEGMENT = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const FORBIDDEN = /[\u0000-\u001f\u007f\\:]/
// On Windows these are devices, whatever follows the dot, and an end in a dot or a blank is another name.
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const OTHER_END = /[ .]$/

const badSegment = (segment: string): boolean =>
  segment === '' ||
  OTHER_END.test(segment) ||
  DEVICE.test(segment) ||
  Buffer.byteLength(segment) > MAX_SEGMENT

/**
 * A relative path with forward slashes that stays below the folder it is joined to, on every platform.
 * Titles and payload roots come from whoever published the packet.
 */
export const confinePath = (text: string): string => {
  const bad =
    text.length > MAX_PATH || !text.isWellFormed() || FORBIDDEN.test(text) || text.split('/').some(badSegment)
  if (bad) throw packetFaults.unsafe_path(`not a plain relative path: ${JSON.stringify(text.slice(0, 80))}`)
  return text
}

/** Paths that can all be files of one folder, also where upper and lower case are the same. */
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
  return paths
}

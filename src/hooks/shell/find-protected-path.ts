import { posix } from 'node:path'
import { type ShellField, type ShellScope, UNKNOWN, VALUE } from './shell-scope.ts'

const toPattern = (segment: string): RegExp => {
  let source = ''
  for (let at = 0; at < segment.length; at++) {
    const char = segment.charAt(at)
    if (char === '*') source += '.*'
    else if (char === '?' || char === UNKNOWN || char === VALUE) source += char === '?' ? '.' : '.*'
    else if (char === '[') {
      const end = segment.indexOf(']', at + 2)
      const inner =
        end < 0
          ? ''
          : segment
              .slice(at + 1, end)
              .replace(/^!/, '^')
              .replace(/[\\[]/g, '\\$&')
      source += end < 0 ? '\\[' : `[${inner}]`
      if (end >= 0) at = end
    } else source += char.replace(/[.+^${}()|\\\]]/, '\\$&')
  }
  try {
    return new RegExp(`^${source}$`, 'i')
  } catch {
    return /^/
  }
}

/** Whether a segment of a path, which may be a pattern, stands for a name. A pattern does not match a leading dot. */
export const matchesName = (segment: string, name: string): boolean => {
  if (segment.toLowerCase() === name.toLowerCase()) return true
  // A part that is wholly unknown is taken for something else: most folders in variables are.
  if (!/[*?[\ue000\ue001]/.test(segment) || /^[\ue000\ue001]+$/.test(segment)) return false
  if (name.startsWith('.') && !segment.startsWith('.')) return false
  return toPattern(segment).test(name)
}

const segmentsOf = (path: string): string[] => path.split('/').filter((one) => one !== '')

/** How a path relates to one of ours: the same or inside it, above it, or neither. */
const relate = (path: readonly string[], own: readonly string[]): 'inside' | 'above' | undefined => {
  const common = Math.min(path.length, own.length)
  for (let at = 0; at < common; at++) if (!matchesName(path[at] ?? '', own[at] ?? '')) return undefined
  return path.length >= own.length ? 'inside' : 'above'
}

/** The absolute paths that a field may name. Where the working folder is unknown, the root is assumed. */
const absolutePaths = ({ text }: ShellField, { cwd, places }: ShellScope): string[] => {
  // Only a part that is known can show that a path is ours.
  if (text === '' || text.startsWith(UNKNOWN) || text.startsWith(VALUE)) return []
  const path = text.replaceAll('\\', '/')
  if (path.startsWith('/')) return [posix.normalize(path)]
  return [posix.resolve(cwd ?? places.root, path)]
}

/** The path of ours that a field names; `orAbove`: also one in a folder that it names. Undefined where there is none. */
export const findOwnPath = (
  field: ShellField,
  scope: ShellScope,
  ownPaths: readonly string[],
  orAbove = false,
): string | undefined => {
  for (const path of absolutePaths(field, scope)) {
    // Lock files of an interrupted git are removed by hand.
    if (path.endsWith('.lock')) continue
    const segments = segmentsOf(path)
    const own = ownPaths.find((one) => {
      const relation = relate(segments, segmentsOf(one))
      // Removing all dependencies is ordinary, also where this program is one of them.
      return relation === 'inside' || (orAbove && relation === 'above' && !one.includes('/node_modules/'))
    })
    if (own !== undefined) return own
  }
  return undefined
}

/** Order of pre-release stages; a version without a stage is final. */
const STAGES: ReadonlyMap<string, number> = new Map([
  ...['dev', 'snapshot', 'nightly'].map((word) => [word, 0] as const),
  ...['a', 'alpha'].map((word) => [word, 10] as const),
  ...['b', 'beta'].map((word) => [word, 20] as const),
  ...['pre', 'preview'].map((word) => [word, 30] as const),
  ...['rc', 'candidate'].map((word) => [word, 40] as const),
  ...['stable', 'release', 'ga'].map((word) => [word, 90] as const),
  ['final', 100],
])
const UNKNOWN_STAGE = 50
const NO_STAGE = 1000

type Order = number

const byText = (a: string, b: string): Order => (a < b ? -1 : a > b ? 1 : 0)

// Compared as text: a number may have more digits than a double can hold.
const byDigits = (a: string, b: string): Order => {
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return x.length - y.length || byText(x, y)
}

const isDigits = (token: string): boolean => /^[0-9]/.test(token)

const byToken = (a: string, b: string): Order => {
  if (isDigits(a) !== isDigits(b)) return isDigits(a) ? 1 : -1
  return isDigits(a) ? byDigits(a, b) : byText(a, b)
}

const byEach = <T>(a: readonly T[], b: readonly T[], order: (x: T, y: T) => Order): Order => {
  for (const [i, one] of a.entries()) {
    const other = b[i]
    const found = other === undefined ? 0 : order(one, other)
    if (found !== 0) return found
  }
  return a.length - b.length
}

interface Segment {
  readonly base: readonly string[]
  readonly rank: number
  /** The digits after the stage. */
  readonly count: string
}

const tokens = (text: string): readonly string[] => text.match(/[0-9]+|[^0-9]+/g) ?? []

const readSegment = (text: string): Segment => {
  const dash = text.indexOf('-')
  if (dash === -1) return { base: tokens(text), rank: NO_STAGE, count: '' }
  const [, word = '', count = ''] = /^([^0-9-]*)-*([0-9]*)/.exec(text.slice(dash + 1)) ?? []
  return { base: tokens(text.slice(0, dash)), rank: STAGES.get(word.toLowerCase()) ?? UNKNOWN_STAGE, count }
}

const bySegment = (a: Segment, b: Segment): Order =>
  byEach(a.base, b.base, byToken) || a.rank - b.rank || byDigits(a.count, b.count)

/** Older before newer. Equal versions are ordered by their text, so that the order is total. */
export const compareVersions = (a: string, b: string): number =>
  byEach(a.split('.').map(readSegment), b.split('.').map(readSegment), bySegment) || byText(a, b)

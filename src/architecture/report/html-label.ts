/** Labels of boxes: a box is as wide as its label, which has two lines when it is long. */

const LONG_LINE = 24
/** The widest characters of a 12 px font are narrower than this on average. */
const CHARACTER = 7.4
const PADDING = 28
const MIN_WIDTH = 96
/** A name from a hostile file may have any length. */
const MAX_LABEL = 96

const plainLabel = (name: string): string => {
  const bare = name
    .replace(/^(?:[a-z][a-z0-9+.-]*:)+\/\/(?:\*\*\*@)?/i, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  const label = bare.trim() || '?'
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label
}

/** The place near the middle where a label may be divided: after a separator, or before a capital letter. */
const breakAt = (label: string): number => {
  const middle = label.length / 2
  const places = [...label.matchAll(/(?<=[\s./:_-])|(?<=[a-z0-9])(?=[A-Z])/g)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && index < label.length)
  return places.reduce(
    (best, one) => (Math.abs(one - middle) < Math.abs(best - middle) ? one : best),
    places[0] ?? Math.ceil(middle),
  )
}

/** One or two lines with the whole name. */
export const boxLabel = (name: string): readonly string[] => {
  const label = plainLabel(name)
  if (label.length <= LONG_LINE) return [label]
  const at = breakAt(label)
  return [label.slice(0, at).trim(), label.slice(at).trim()]
}

export const boxWidth = (name: string): number =>
  Math.max(MIN_WIDTH, Math.ceil(Math.max(...boxLabel(name).map((line) => line.length)) * CHARACTER + PADDING))

/** Strings, signs and other words of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/** The line of a member of a valid JSON text; undefined when there is none. */
export const jsonMemberLine = (text: string, path: readonly string[]): number | undefined => {
  /** The keys of the open objects and lists; a list has none. */
  const open: (string | undefined)[] = []
  let last: { readonly word: string; readonly at: number } | undefined
  for (const { 0: word, index: at } of text.matchAll(TOKENS)) {
    if (word === '{' || word === '[') open.push(undefined)
    else if (word === '}' || word === ']') open.pop()
    else if (word === ':' && last !== undefined && open.length > 0) {
      open[open.length - 1] = JSON.parse(last.word) as string
      const isWanted = open.length === path.length && path.every((name, depth) => open[depth] === name)
      if (isWanted) return lineAt(text, last.at)
    }
    last = { word, at }
  }
  return undefined
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** The line of the first match; undefined when the text is absent or has none. */
export const findLine = (
  text: string | undefined,
  matches: (line: string) => boolean,
): number | undefined => {
  const at = text?.split('\n').findIndex(matches) ?? -1
  return at < 0 ? undefined : at + 1
}

/** The name before the colon of a line of YAML, and its value. */
export const yamlPair = (line: string): readonly [key: string, value: string] | undefined => {
  const [, key, value] = /^\s*(?:- )?\s*["']?([^\s"':#]+)["']?\s*:(?:\s+(.*))?$/.exec(line.trimEnd()) ?? []
  return key === undefined ? undefined : [key, (value ?? '').replace(/^["']|["']$/g, '')]
}

/** A service in a `.proto` file. */
export interface ProtoService {
  readonly name: string
  /** With its package, as on the wire. */
  readonly fullName: string
  readonly methods: readonly string[]
}

const TOKEN =
  /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|([A-Za-z_][\w.]*)|([{};])/g

/** Services and their methods, found by tokens; all other content is skipped. */
export const readProto = (text: string): readonly ProtoService[] => {
  const words = [...text.matchAll(TOKEN)].flatMap(([, word, mark]) => word ?? mark ?? [])
  const at = words.indexOf('package')
  const prefix = at >= 0 && words[at + 2] === ';' ? `${words[at + 1]}.` : ''
  const found: { name: string; fullName: string; methods: string[] }[] = []
  let depth = 0
  for (const [index, word] of words.entries()) {
    const next = words[index + 1] ?? ''
    if (word === '{') depth += 1
    else if (word === '}') depth -= 1
    else if (word === 'service' && depth === 0 && words[index + 2] === '{')
      found.push({ name: next, fullName: `${prefix}${next}`, methods: [] })
    else if (word === 'rpc' && depth === 1) found.at(-1)?.methods.push(next)
  }
  return found
}

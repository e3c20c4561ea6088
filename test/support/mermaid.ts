import { importPeer } from '../peers/peers.ts'

interface Mermaid {
  parse(text: string): Promise<{ readonly diagramType: string }>
}

interface Purifier {
  addHook(): void
  sanitize(text: string): string
}

let loading: Promise<Mermaid> | undefined

const load = async (): Promise<Mermaid> => {
  // Sanitizing HTML needs a browser; parsing, which is tested here, does not.
  const { default: purifier } = await importPeer<{ default: Purifier }>('dompurify', 'dist', 'purify.es.mjs')
  purifier.addHook = () => {}
  purifier.sanitize = (text) => text
  return (await importPeer<{ default: Mermaid }>('mermaid', 'dist', 'mermaid.core.mjs')).default
}

/** The kind of diagram by Mermaid's own parser, which throws on invalid text. */
export const parseMermaid = async (text: string): Promise<string> => {
  loading ??= load()
  return (await (await loading).parse(text)).diagramType
}

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
  // Cleaning HTML takes a browser. The grammar, which is what we ask about, does not.
  const { default: purifier } = await importPeer<{ default: Purifier }>('dompurify', 'dist', 'purify.es.mjs')
  purifier.addHook = () => {}
  purifier.sanitize = (text) => text
  return (await importPeer<{ default: Mermaid }>('mermaid', 'dist', 'mermaid.core.mjs')).default
}

/** What kind of diagram the real parser takes a text for. Throws where that does. */
export const parseMermaid = async (text: string): Promise<string> => {
  loading ??= load()
  return (await (await loading).parse(text)).diagramType
}

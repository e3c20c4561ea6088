import { join, resolve } from 'node:path'
import { packetRoot } from '../../app/config/packet-root.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import type { Candidate } from '../../packets/ask/candidate.ts'
import { SENTENCE_MODEL, WORDS_ONLY } from '../../packets/embed.ts'
import { readManifest } from '../../packets/format/manifest.ts'
import { parseReference } from '../../packets/format/reference.ts'
import type { Trust } from '../../packets/trust/trust.ts'
import { packetFolder } from '../../platform/packets/folder.ts'
import { packetStore } from '../../platform/packets/store.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import type { Subcommand } from '../command/subcommand.ts'
import { needText, packetSettings } from './settings.ts'

/** The path and lines of a result, on one line: a file name may contain line breaks. */
const location = ({ path, start, end }: Record<string, unknown>): string =>
  `${escapeLineBreaks(String(path))}${start === null ? '' : `:${start}-${end}`}`

const fitText = ({ score, words, meaning }: Record<string, unknown>): string =>
  [
    Number(score).toFixed(words === undefined && meaning === undefined ? 4 : 2),
    ...(typeof words === 'number' ? [`words ${words.toFixed(2)}`] : []),
    ...(typeof meaning === 'number' ? [`meaning ${meaning.toFixed(2)}`] : []),
  ].join(', ')

const passage = (item: unknown): string =>
  isRecord(item)
    ? `${location(item)}  (${fitText(item)})\n  ${String(item.snippet).replaceAll('\n', '\n  ')}`
    : ''

const evidenceLine = (item: unknown): string => (isRecord(item) ? `- ${location(item)}: ${item.snippet}` : '')

/** The results and the pinned address: path and lines alone do not identify a text over time. */
const foundLines = (found: readonly string[], pinned: unknown): readonly string[] => [
  ...(found.length === 0 ? ['# no passage fits the question'] : found),
  String(pinned),
]

const trustLine = ({ signature, signers, sbom, provenance, builders, slsa_level: level }: Trust): string => {
  const built = builders.length === 0 ? '' : ` by ${builders.join(' ')}`
  const reached = level === null ? '' : `, SLSA ${level}`
  return `  signature ${[signature, ...signers].join(' ')}, sbom ${sbom}, provenance ${provenance}${built}${reached}`
}

const candidateLines = ({ name, version, pinned_uri, trust }: Candidate): readonly string[] => [
  `${name}@${version}  ${pinned_uri}`,
  ...(trust.checked ? [trustLine(trust)] : []),
]

/** A result as text: passages, evidence or candidates; everything else as JSON. */
export const asLines = (answer: object): string => {
  const members: Readonly<Record<string, unknown>> = { ...answer }
  const { ok, results, evidence, candidates, detail, hint, warnings, pinned_uri, locked } = members
  const notes = [
    ...(isRecord(locked) ? [`# from ${String(locked.file)}: ${String(locked.reference)}`] : []),
    ...(Array.isArray(warnings) ? warnings.map((one) => `# ${String(one)}`) : []),
  ]
  if (ok !== true && detail !== undefined) return [detail, hint].filter(Boolean).join('. ')
  if (Array.isArray(evidence))
    return [...notes, ...foundLines(evidence.map(evidenceLine), pinned_uri)].join('\n')
  if (Array.isArray(results)) return [...notes, ...foundLines(results.map(passage), pinned_uri)].join('\n')
  if (Array.isArray(candidates)) return [...notes, ...candidates.flatMap(candidateLines)].join('\n')
  return JSON.stringify(answer, null, 2)
}

/** The digest in an argument, bare or in an address; undefined for a folder. */
export const digestIn = (asked: string): Digest | undefined => {
  if (/^sha256:[0-9a-f]{64}$/.test(asked)) return asked
  if (asked.startsWith('sha256:'))
    throw usageFaults.argument(
      'a digest is sha256: and 64 digits; `warrant packet cache ls` lists those here',
    )
  if (!asked.startsWith('oci://')) return undefined
  const { digest } = parseReference(asked)
  if (digest === undefined)
    throw usageFaults.argument(`${asked} names a tag; name the digest that lookup and pull print`)
  return digest
}

/** The folder of a packet: a built one, or the stored one of a digest. */
const packetPath = async (invocation: Invocation, asked: string): Promise<string> => {
  const { config } = packetSettings(invocation)
  const digest = digestIn(asked)
  if (digest === undefined) return resolve(asked)
  const stored = await packetStore(packetRoot(config)).find(digest)
  if (stored === undefined) throw usageFaults.argument('the packet is not in the store; pull it first')
  return join(stored, 'payload')
}

/** What a search of a packet needs, by the model of its vectors. */
const NEEDS: Readonly<Record<string, string>> = {
  [SENTENCE_MODEL]:
    'nothing: it was built with the built-in sentence embedder, which finds passages by meaning',
  [WORDS_ONLY.model]: 'nothing: it has no vectors and is searched by words',
}

const otherNeeds = (model: string): string =>
  `an embedding server for ${model}; without one it is searched by words alone`

/** Prints the contents of a packet and the embedder it needs. */
export const inspect: Subcommand = async (invocation, [what]) => {
  const folder = await packetPath(invocation, needText(what, 'a folder or a fetched packet'))
  const source = await packetFolder(folder)('manifest.json')
  if (source === undefined) throw usageFaults.argument(`${what} has no manifest.json; name a packet`)
  const manifest = readManifest(await source.read(0, source.size))
  const { cpm, counts, embedding, source: origin, build_status, build_error } = manifest
  const needs = NEEDS[embedding.model] ?? otherNeeds(embedding.model)
  const broken = build_status === undefined ? {} : { build_status, build_error }
  const answer = { ok: true, folder, packet: cpm, counts, embedding, origin, needs, ...broken }
  invocation.terminal.print(JSON.stringify(answer, null, invocation.json ? 0 : 2))
  return 0
}

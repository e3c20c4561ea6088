import { type Command, type Invocation, type Option, usageFaults } from '../../../surfaces/cli/command.ts'
import { configOptions } from '../../config/config-options.ts'
import { PROVIDER_OPTION } from '../../config/packet-provider.ts'

interface PacketVerb {
  /** Its arguments, as the usage line shows them. */
  readonly usage: string
  readonly summary: string
  /** Most arguments it takes. */
  readonly most: number
}

/** What `warrant packet` can do. */
export const PACKET_VERBS = {
  build: { usage: 'SRC', most: 1, summary: 'Cut a folder into passages, index them and write a packet.' },
  publish: { usage: 'DIR', most: 1, summary: 'Send a built packet to a registry.' },
  pull: { usage: 'REF', most: 1, summary: 'Fetch a packet, so that it can be asked without a network.' },
  lookup: { usage: '[NAME]', most: 1, summary: 'Find packets on a registry or in a catalog, and pin them.' },
  query: { usage: 'REF QUESTION', most: 2, summary: 'Give the passages of a packet that answer a question.' },
  plan: { usage: 'INTENT', most: 1, summary: 'Tell which calls to make for an intent.' },
  digest: { usage: 'REF QUESTION', most: 2, summary: 'Condense what a packet says about a question.' },
  inspect: { usage: 'DIR|DIGEST', most: 1, summary: 'Tell what a packet holds and which embedder it needs.' },
  verify: {
    usage: '[DIR [SRC]]',
    most: 2,
    summary: 'Hold a built packet against its lock, or what is stored against its digests.',
  },
  diff: { usage: 'A B', most: 2, summary: 'Tell what makes one packet another.' },
  cache: {
    usage: '<ls|verify|prune> [DIGEST]',
    most: 1000,
    summary: 'List what is stored, verify it, or let it go.',
  },
  catalog: { usage: '[DIR]', most: 1, summary: 'List the packets that were built into a folder.' },
  serve: { usage: '', most: 0, summary: 'Serve the packet tools over stdio, as cpm-mcp does.' },
} as const satisfies Readonly<Record<string, PacketVerb>>

type VerbName = keyof typeof PACKET_VERBS

export interface PacketOption extends Option {
  /** The verbs it belongs to; all of them, when it names none. */
  readonly verbs: readonly VerbName[]
}

const text = (
  verbs: readonly VerbName[],
  flag: string,
  value: string,
  description: string,
): PacketOption => ({
  flag,
  kind: 'text',
  value,
  description,
  verbs,
})
const toggle = (verbs: readonly VerbName[], flag: string, description: string): PacketOption => ({
  flag,
  kind: 'switch',
  description,
  verbs,
})

const FOUND: readonly VerbName[] = ['lookup', 'plan']
const LABELLED: readonly VerbName[] = ['build', ...FOUND]

/** What can be asked of it, beside the settings. */
export const PACKET_OPTIONS: readonly PacketOption[] = [
  text(['build', 'plan'], 'name', 'NAME', 'Name of the packet.'),
  text(LABELLED, 'version', 'V', 'Version of the packet.'),
  text(['build'], 'out', 'DIR', 'Where to put it (dist).'),
  text(['build'], 'description', 'TEXT', 'One line about the packet.'),
  text(LABELLED, 'kind', 'KIND', 'Kind of packet.'),
  text(LABELLED, 'capabilities', 'A,B', 'What the packet can do.'),
  text(LABELLED, 'os', 'A,B', 'Systems the packet is for; of one that is looked for, one of them.'),
  text(LABELLED, 'arch', 'A,B', 'Processors the packet is for; of one that is looked for, one of them.'),
  text(['build'], 'min-version', 'V', 'Oldest tool that can read it.'),
  text(['build'], 'lines-per-chunk', 'N', 'Longest passage (80).'),
  text(['build'], 'overlap-lines', 'N', 'Lines that two windows share (10).'),
  text(['build', 'verify'], 'lockfile', 'FILE', 'The lock to keep to, outside of the packet.'),
  toggle(['build'], 'update-lock', 'Fix the changed build in its lock.'),
  toggle(['build'], 'frozen-lockfile', 'Only what its lock fixed.'),
  text(['diff'], 'max-drift', 'N', 'Most drift of the vectors before it counts as failed.'),
  text(['catalog'], 'publish-ref', 'REF', 'Where to publish it.'),
  text(FOUND, 'entrypoint', 'NAME', 'Entrypoint it must have.'),
  text(FOUND, 'alias', 'TAG', 'Tag to follow.'),
  toggle(['lookup'], 'trust', 'Also ask for signatures, SBOM and provenance.'),
  toggle(['pull'], 'rebuild', 'Also make vectors with the configured model.'),
  toggle(['publish'], 'full', 'Everything, which is the default.'),
  toggle(['publish'], 'minimal', 'Only the manifest.'),
  toggle(['publish'], 'no-docs', 'Without the documents.'),
  toggle(['publish'], 'no-embeddings', 'Without the vectors.'),
  toggle(['publish'], 'no-embed', 'The same as --no-embeddings.'),
  text(['publish'], 'tag', 'A,B', 'Tags beside the version (latest).'),
  text(['lookup', 'query', 'digest'], 'k', 'N', 'How many results.'),
  text(['digest'], 'max-chars', 'N', 'Most characters of evidence.'),
  toggle(['query'], 'dense-only', 'By vectors alone.'),
  toggle(['query'], 'lexical-only', 'By words alone.'),
  { ...PROVIDER_OPTION, verbs: ['build', 'pull', 'query', 'plan', 'digest', 'serve'] },
  text([], 'cpm-dir', 'DIR', 'The same as --packet-root.'),
  text([], 'embed-url', 'URL', 'The same as --embedding-url.'),
  text([], 'embed-model', 'NAME', 'The same as --embedding-model.'),
  toggle([], 'quiet', 'Say nothing of how far a job is.'),
]

/** Settings that have to do with packets; the others are taken as well. */
const SETTINGS_OF_PACKETS =
  /^(?:config|root|packet-root|(?:|plain-|allowed-)registr(?:y|ies)|catalog|max-packet-bytes|embedding-)/

const isVerb = (name: string): name is VerbName => Object.hasOwn(PACKET_VERBS, name)

const belongs = ({ verbs }: PacketOption, name: VerbName): boolean =>
  verbs.length === 0 || verbs.includes(name)

/** An option among those of all verbs: it says whose it is. */
const attributed = ({ verbs, description, ...option }: PacketOption): Option => {
  const names = [verbs.slice(0, -1).join(', '), verbs.at(-1)].filter((part) => part).join(' and ')
  const words = description.charAt(0).toLowerCase() + description.slice(1)
  return { ...option, description: names === '' ? description : `With ${names}: ${words}` }
}

const verbHelp = (name: string): ReturnType<NonNullable<Command['verb']>> =>
  isVerb(name)
    ? {
        name: `packet ${name}`,
        ...PACKET_VERBS[name],
        options: () => [
          ...PACKET_OPTIONS.filter((option) => belongs(option, name)),
          ...configOptions().filter(({ flag }) => SETTINGS_OF_PACKETS.test(flag)),
        ],
      }
    : undefined

/** Words that a verb would pass over are refused: whoever wrote them meant something by them. */
export const checkArguments = ({ flags, positionals: [name = '', ...rest] }: Invocation): void => {
  if (!isVerb(name)) return
  if (rest.length > PACKET_VERBS[name].most)
    throw usageFaults.argument(
      `packet ${name} takes ${PACKET_VERBS[name].usage || 'no arguments'}, not ${rest.length} words; quote those that belong together`,
    )
  const foreign = PACKET_OPTIONS.find((option) => flags[option.flag] !== undefined && !belongs(option, name))
  if (foreign !== undefined) throw usageFaults.option(`packet ${name} has no option --${foreign.flag}`)
}

export const packetCommand = (run: Command['run']): Command => ({
  name: 'packet',
  summary: 'Build, publish, find, ask and verify knowledge packets.',
  usage: `<${Object.entries(PACKET_VERBS)
    .map(([name, { usage }]) => `${name} ${usage}`.trimEnd())
    .join('|')}>`,
  options: () => [...PACKET_OPTIONS.map(attributed), ...configOptions()],
  choices: Object.keys(PACKET_VERBS),
  maxPositionals: 1 + PACKET_VERBS.cache.most,
  verb: verbHelp,
  run,
})

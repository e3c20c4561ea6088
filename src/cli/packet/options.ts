import { PROVIDER_OPTION } from '../../app/config/packet-provider.ts'
import { configOptions, type SettingGroup } from '../../app/config/settings.ts'
import { type Command, type Invocation, type Option, usageFaults } from '../command/command.ts'

interface PacketVerb {
  /** Arguments in the usage line. */
  readonly usage: string
  readonly summary: string
  /** Maximum number of arguments. */
  readonly most: number
}

/** The verbs of `warrant packet`. */
const PACKET_VERBS = {
  build: {
    usage: 'SRC',
    most: 1,
    summary: 'Split the files of a folder into passages, index them and write a packet.',
  },
  publish: { usage: 'DIR', most: 1, summary: 'Send a built packet to a registry.' },
  pull: { usage: 'REF', most: 1, summary: 'Download a packet, so that it can be queried offline.' },
  lock: {
    usage: '[REF …]',
    most: 100,
    summary: 'Write the packets that this project relies on into packets.lock, by digest and signer.',
  },
  sync: {
    usage: '',
    most: 0,
    summary: 'Download exactly the packets of packets.lock, or check whether something moved.',
  },
  outdated: {
    usage: '',
    most: 0,
    summary: 'Print what the registries have beside the packets of packets.lock.',
  },
  revoke: {
    usage: 'DIGEST',
    most: 1,
    summary: 'Record that nothing should rest on a packet any more; later answers and verdicts say so.',
  },
  lookup: { usage: 'NAME', most: 1, summary: 'Find packets on a registry and print their digests.' },
  query: { usage: 'REF QUESTION', most: 2, summary: 'Print the passages of a packet that match a question.' },
  plan: { usage: 'INTENT', most: 1, summary: 'Print the lookup and query calls for an intent.' },
  digest: { usage: 'REF QUESTION', most: 2, summary: 'Print short evidence from a packet for a question.' },
  inspect: {
    usage: 'DIR|DIGEST',
    most: 1,
    summary: 'Print the contents of a packet and the embedder it needs.',
  },
  verify: {
    usage: '[DIR [SRC]]',
    most: 2,
    summary: 'Compare a built packet with its lock, or stored packets with their digests.',
  },
  cache: {
    usage: '<ls|verify|prune> [DIGEST]',
    most: 1000,
    summary: 'List, verify or remove stored packets.',
  },
  serve: { usage: '', most: 0, summary: 'Serve the packet tools over stdio, as cpm-mcp does.' },
} as const satisfies Readonly<Record<string, PacketVerb>>

type VerbName = keyof typeof PACKET_VERBS

interface PacketOption extends Option {
  /** The verbs it belongs to; empty for all. */
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

/** Options of the verbs, beside the settings. */
const PACKET_OPTIONS: readonly PacketOption[] = [
  text(['build', 'plan'], 'name', 'NAME', 'Name of the packet.'),
  text(LABELLED, 'version', 'V', 'Version of the packet.'),
  text(['build'], 'out', 'DIR', 'Output folder (default: dist).'),
  text(['build'], 'description', 'TEXT', 'One line about the packet.'),
  text(LABELLED, 'kind', 'KIND', 'Kind of packet.'),
  text(LABELLED, 'capabilities', 'A,B', 'Capabilities of the packet.'),
  text(
    LABELLED,
    'os',
    'A,B',
    'Operating systems of the packet; with lookup and plan, one that it must support.',
  ),
  text(LABELLED, 'arch', 'A,B', 'Processors of the packet; with lookup and plan, one that it must support.'),
  text(['build'], 'min-version', 'V', 'Oldest version of the reading tool.'),
  text(['build'], 'lines-per-chunk', 'N', 'Most lines of a passage (default: 80).'),
  text(['build'], 'overlap-lines', 'N', 'Lines that neighbouring passages share (default: 10).'),
  text(['build', 'verify'], 'lockfile', 'FILE', 'Lock file outside of the packet.'),
  toggle(['build'], 'update-lock', 'Accept the changed build and write a new lock.'),
  toggle(['build'], 'frozen-lockfile', 'Fail unless the build matches its lock.'),
  text(FOUND, 'entrypoint', 'NAME', 'Entrypoint that the packet must have.'),
  text(FOUND, 'alias', 'TAG', 'Tag to follow.'),
  toggle(['lookup'], 'trust', 'Also fetch signatures, SBOM and provenance.'),
  toggle(['sync'], 'check', 'Download nothing, and exit with 1 when something moved.'),
  toggle(['lock', 'sync'], 'accept-signer', 'Accept other signers than those of packets.lock.'),
  toggle(['lock'], 'remove', 'Remove these entries from packets.lock.'),
  text(['revoke'], 'reason', 'TEXT', 'Why: one line, which answers and verdicts show.'),
  toggle(['revoke'], 'undo', 'Take a revocation back.'),
  toggle(['pull'], 'rebuild', 'Also make vectors with the configured model.'),
  toggle(['publish'], 'minimal', 'Publish only the manifest.'),
  toggle(['publish'], 'no-docs', 'Publish without the documents.'),
  toggle(['publish'], 'no-embeddings', 'Publish without the vectors.'),
  toggle(['publish'], 'no-embed', 'The same as --no-embeddings.'),
  toggle(['publish'], 'move-tag', 'Replace other content that is published under this version.'),
  text(['publish'], 'tag', 'A,B', 'Tags beside the version (default: latest).'),
  text(['lookup', 'query', 'digest'], 'k', 'N', 'Number of results.'),
  text(['digest'], 'max-chars', 'N', 'Most characters of evidence.'),
  toggle(['query'], 'dense-only', 'Search by vectors only.'),
  toggle(['query'], 'lexical-only', 'Search by words only.'),
  { ...PROVIDER_OPTION, verbs: ['build', 'pull', 'query', 'plan', 'digest', 'serve'] },
  text([], 'cpm-dir', 'DIR', 'The same as --packet-root.'),
  text([], 'embed-url', 'URL', 'The same as --embedding-url.'),
  text([], 'embed-model', 'NAME', 'The same as --embedding-model.'),
  toggle(['build'], 'verbose', 'Print what each file became.'),
  toggle([], 'quiet', 'Print no progress.'),
]

const SETTINGS_OF_PACKETS: readonly SettingGroup[] = ['repository', 'packets']

/** The settings, without one that an option of a verb is called like. */
const packetSettingOptions = (): readonly Option[] =>
  configOptions().filter(({ flag }) => !PACKET_OPTIONS.some((own) => own.flag === flag))

const isVerb = (name: string): name is VerbName => Object.hasOwn(PACKET_VERBS, name)

const belongs = ({ verbs }: PacketOption, name: VerbName): boolean =>
  verbs.length === 0 || verbs.includes(name)

/** Adds the verbs to the description, for the help of `warrant packet`. */
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
          ...packetSettingOptions(),
        ],
        settings: SETTINGS_OF_PACKETS,
      }
    : undefined

/** Rejects arguments and options that the verb would ignore. */
export const checkArguments = ({ flags, positionals: [name = '', ...rest] }: Invocation): void => {
  if (!isVerb(name)) return
  if (rest.length > PACKET_VERBS[name].most)
    throw usageFaults.argument(
      `packet ${name} takes ${PACKET_VERBS[name].usage || 'no arguments'}, not ${rest.length} arguments; quote an argument that contains spaces`,
    )
  const foreign = PACKET_OPTIONS.find((option) => flags[option.flag] !== undefined && !belongs(option, name))
  if (foreign !== undefined) throw usageFaults.option(`packet ${name} has no option --${foreign.flag}`)
}

export const packetCommand = (run: Command['run']): Command => ({
  name: 'packet',
  summary: 'Build, publish, find, query and verify knowledge packets.',
  usage: `<${Object.entries(PACKET_VERBS)
    .map(([name, { usage }]) => `${name} ${usage}`.trimEnd())
    .join('|')}>`,
  options: () => [...PACKET_OPTIONS.map(attributed), ...packetSettingOptions()],
  settings: SETTINGS_OF_PACKETS,
  choices: Object.keys(PACKET_VERBS),
  maxPositionals: 1 + PACKET_VERBS.cache.most,
  verb: verbHelp,
  run,
})

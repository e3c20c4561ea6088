import type { Option } from '../surfaces/cli/command.ts'

/** What `warrant packet` can do. */
export const PACKET_VERBS = [
  'build',
  'publish',
  'pull',
  'lookup',
  'query',
  'plan',
  'digest',
  'inspect',
  'verify',
  'diff',
  'cache',
  'catalog',
  'serve',
]

/** What can be asked of it, beside the settings. */
export const PACKET_OPTIONS: readonly Option[] = [
  { flag: 'name', kind: 'text', value: 'NAME', description: 'With build: name of the packet.' },
  { flag: 'version', kind: 'text', value: 'V', description: 'With build and lookup: version of the packet.' },
  { flag: 'out', kind: 'text', value: 'DIR', description: 'With build: where to put it (dist).' },
  { flag: 'description', kind: 'text', value: 'TEXT', description: 'With build: one line about the packet.' },
  { flag: 'kind', kind: 'text', value: 'KIND', description: 'With build and lookup: kind of packet.' },
  {
    flag: 'capabilities',
    kind: 'text',
    value: 'A,B',
    description: 'With build and lookup: what the packet can do.',
  },
  { flag: 'update-lock', kind: 'switch', description: 'With build: fix the changed build in its lock.' },
  { flag: 'frozen-lockfile', kind: 'switch', description: 'With build: only what its lock fixed.' },
  {
    flag: 'max-drift',
    kind: 'text',
    value: 'N',
    description: 'With diff: most drift of the vectors before it counts as failed.',
  },
  { flag: 'publish-ref', kind: 'text', value: 'REF', description: 'With catalog: where to publish it.' },
  { flag: 'alias', kind: 'text', value: 'TAG', description: 'With lookup: tag to follow.' },
  {
    flag: 'trust',
    kind: 'switch',
    description: 'With lookup: also ask for signatures, SBOM and provenance.',
  },
  {
    flag: 'rebuild',
    kind: 'switch',
    description: 'With pull: also make vectors with the configured model.',
  },
  { flag: 'minimal', kind: 'switch', description: 'With publish: only the manifest.' },
  { flag: 'no-docs', kind: 'switch', description: 'With publish: without the documents.' },
  { flag: 'no-embeddings', kind: 'switch', description: 'With publish: without the vectors.' },
  { flag: 'tag', kind: 'text', value: 'A,B', description: 'With publish: tags beside the version (latest).' },
  { flag: 'k', kind: 'text', value: 'N', description: 'How many results.' },
  { flag: 'max-chars', kind: 'text', value: 'N', description: 'With digest: most characters of evidence.' },
  { flag: 'dense-only', kind: 'switch', description: 'With query: by vectors alone.' },
  { flag: 'lexical-only', kind: 'switch', description: 'With query: by words alone.' },
]

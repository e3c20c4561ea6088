import { CLIENTS } from '../surfaces/cli/client-config.ts'
import type { Command, Option } from '../surfaces/cli/command.ts'
import { SHELLS } from '../surfaces/cli/completion.ts'
import { SETTINGS, type Setting } from './config.ts'

const VALUE_NAMES: Readonly<Record<Setting['kind'], string>> = {
  text: 'TEXT',
  number: 'N',
  switch: '',
  list: 'A,B',
}

const asOption = ({ flag, kind, description, choices }: Setting): Option => ({
  flag,
  kind: kind === 'switch' ? 'switch' : 'text',
  value: VALUE_NAMES[kind],
  description,
  choices,
})

const CONFIG_OPTION: Option = {
  flag: 'config',
  kind: 'text',
  value: 'FILE',
  description: 'Settings file, instead of warrant.json in the current folder.',
}

/** Every setting as an option, and the file they may come from. */
export const configOptions = (): readonly Option[] => [CONFIG_OPTION, ...SETTINGS.map(asOption)]

const PACKET_VERBS = [
  'build',
  'publish',
  'pull',
  'lookup',
  'query',
  'plan',
  'digest',
  'inspect',
  'verify',
  'cache',
  'serve',
]

const PACKET_OPTIONS: readonly Option[] = [
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
  { flag: 'alias', kind: 'text', value: 'TAG', description: 'With lookup: tag to follow.' },
  { flag: 'minimal', kind: 'switch', description: 'With publish: only the manifest.' },
  { flag: 'no-docs', kind: 'switch', description: 'With publish: without the documents.' },
  { flag: 'no-embeddings', kind: 'switch', description: 'With publish: without the vectors.' },
  { flag: 'tag', kind: 'text', value: 'A,B', description: 'With publish: tags beside the version (latest).' },
  { flag: 'k', kind: 'text', value: 'N', description: 'How many results.' },
  { flag: 'max-chars', kind: 'text', value: 'N', description: 'With digest: most characters of evidence.' },
  { flag: 'dense-only', kind: 'switch', description: 'With query: by vectors alone.' },
  { flag: 'lexical-only', kind: 'switch', description: 'With query: by words alone.' },
]

/** Every command, in the order help shows them. What each does is loaded when it runs. */
export const commands = (): readonly Command[] => [
  {
    name: 'mcp',
    summary: 'Serve MCP over stdio, as clients start it.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./commands/mcp.ts')).run(invocation),
  },
  {
    name: 'serve',
    summary: 'Serve MCP over HTTP, with health and metrics, until stopped.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./commands/serve.ts')).run(invocation),
  },
  {
    name: 'doctor',
    summary: 'Check that this machine can run Warrant, and time a handshake in both eras.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./commands/doctor.ts')).run(invocation),
  },
  {
    name: 'tools',
    summary: 'List the tools as a client sees them, with their cost in bytes and tokens.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./commands/tools.ts')).run(invocation),
  },
  {
    name: 'config',
    summary: 'Show the settings in force and where each came from.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./commands/config.ts')).run(invocation),
  },
  {
    name: 'print-config',
    summary: 'Print what to paste into an MCP client.',
    usage: `<${CLIENTS.join('|')}>`,
    options: () => [
      { flag: 'windows', kind: 'switch', description: 'Only the form Windows needs.' },
      {
        flag: 'bin',
        kind: 'text',
        value: 'PATH',
        description: 'Command that starts Warrant, instead of this very program.',
      },
      ...configOptions(),
    ],
    choices: CLIENTS,
    run: async (invocation) => (await import('./commands/print-config.ts')).run(invocation),
  },
  {
    name: 'graph',
    summary: 'Look at belief graphs: list, show as a table or a picture, query a node, statistics.',
    usage: '<ls|show|query NODE|stats>',
    options: () => [
      { flag: 'svg', kind: 'switch', description: 'With show: an SVG picture.' },
      { flag: 'dot', kind: 'switch', description: 'With show: Graphviz source.' },
      { flag: 'mermaid', kind: 'switch', description: 'With show: Mermaid source.' },
      ...configOptions(),
    ],
    choices: ['ls', 'show', 'query', 'stats'],
    run: async (invocation) => (await import('./commands/graph.ts')).run(invocation),
  },
  {
    name: 'packet',
    summary: 'Build, publish, find, ask and verify knowledge packets.',
    usage:
      '<build SRC|publish DIR|pull REF|lookup NAME|query REF QUESTION|plan INTENT|digest REF QUESTION|inspect REF|verify|cache ls|cache prune DIGEST|serve>',
    options: () => [...PACKET_OPTIONS, ...configOptions()],
    choices: PACKET_VERBS,
    run: async (invocation) => (await import('./commands/packet.ts')).run(invocation),
  },
  {
    name: 'lineage',
    summary: 'Verify, replay, export, prove and repair the lineage of a belief graph.',
    usage: '<verify|replay [FROM]|export FILE|prove SEQ [SIZE]|consistency|checkpoint|repair>',
    options: () => [
      {
        flag: 'bundle',
        kind: 'switch',
        description: 'With export: add genesis, checkpoint and key, for the stand-alone verifier.',
      },
      {
        flag: 'checkpoint',
        kind: 'text',
        value: 'FILE',
        description: 'With consistency: the older checkpoint.',
      },
      {
        flag: 'key',
        kind: 'text',
        value: 'VERIFIER',
        description: 'With consistency: who signed it, when not we.',
      },
      ...configOptions(),
    ],
    choices: ['verify', 'replay', 'export', 'prove', 'consistency', 'checkpoint', 'repair'],
    run: async (invocation) => (await import('./commands/lineage.ts')).run(invocation),
  },
  {
    name: 'completion',
    summary: 'Print a completion script for a shell.',
    usage: `<${SHELLS.join('|')}>`,
    options: () => [],
    choices: SHELLS,
    run: async (invocation) => (await import('./commands/completion.ts')).run(invocation, commands()),
  },
]

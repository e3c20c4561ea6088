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
    name: 'lineage',
    summary: 'Verify, replay, export, prove, repair and erase from the lineage of a belief graph.',
    usage: '<verify|replay [FROM]|export FILE|prove SEQ [SIZE]|consistency|checkpoint|repair|erase SEQ>',
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
      { flag: 'reason', kind: 'text', value: 'TEXT', description: 'With erase: why, for the log.' },
      ...configOptions(),
    ],
    choices: ['verify', 'replay', 'export', 'prove', 'consistency', 'checkpoint', 'repair', 'erase'],
    run: async (invocation) => (await import('./commands/lineage.ts')).run(invocation),
  },
  {
    name: 'report',
    summary: 'Report on the architecture of a project: services, dependencies, diagram, suggestions.',
    usage: '[FOLDER]',
    options: () => [
      { flag: 'html', kind: 'switch', description: 'One HTML file with the diagram drawn, not Markdown.' },
      {
        flag: 'lang',
        kind: 'text',
        value: 'LANG',
        description: 'Language of the report.',
        choices: ['en', 'es'],
      },
      { flag: 'out', kind: 'text', value: 'FILE', description: 'Write to this new file instead of stdout.' },
      {
        flag: 'save',
        kind: 'switch',
        description: 'Save as SENTINEL_REPORT_YYYYMMDD[_NN].md under the root.',
      },
      ...configOptions(),
    ],
    choices: [],
    run: async (invocation) => (await import('./commands/report.ts')).run(invocation),
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

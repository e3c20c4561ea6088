import { CLIENTS, SERVERS } from '../../surfaces/cli/client-config.ts'
import type { Command, Option } from '../../surfaces/cli/command.ts'
import { SHELLS } from '../../surfaces/cli/completion.ts'
import { configOptions } from '../config/config-options.ts'
import { GATE_OPTIONS } from './gate/options.ts'
import { LINEAGE_OPTIONS } from './lineage/options.ts'
import { packetCommand } from './packet/options.ts'
import { PROJECT_COMMANDS } from './project/table.ts'

const OPENSPEC_OPTION: Option = {
  flag: 'openspec',
  kind: 'switch',
  description: 'Install OpenSpec with npm where it is missing or too old, and lay out openspec/.',
}

/** Every command, in the order help shows them. What each does is loaded when it runs. */
export const commands = (): readonly Command[] => [
  {
    name: 'mcp',
    summary: 'Serve MCP over stdio, as clients start it.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./server/mcp.ts')).run(invocation),
  },
  {
    name: 'serve',
    summary: 'Serve MCP over HTTP, with health and metrics, until stopped.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./server/serve.ts')).run(invocation),
  },
  {
    name: 'doctor',
    summary: 'Check that this machine can run Warrant, and time a handshake in both eras.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./server/doctor.ts')).run(invocation),
  },
  {
    name: 'install',
    summary: 'Put the gate into the hooks of this repository, and write a first evidence file.',
    usage: '',
    options: () => [OPENSPEC_OPTION, ...configOptions()],
    choices: [],
    run: async (invocation) => (await import('./gate/install.ts')).run(invocation),
  },
  {
    name: 'uninstall',
    summary: 'Take the gate out of the hooks again. Nothing else is touched.',
    usage: '',
    options: () => [
      {
        flag: 'purge-artifacts',
        kind: 'switch',
        description:
          'Remove the evidence file and OpenSpec files made by install too, unless git tracks them.',
      },
      ...configOptions(),
    ],
    choices: [],
    run: async (invocation) => (await import('./gate/uninstall.ts')).run(invocation),
  },
  {
    name: 'update',
    summary: 'Bring an installation to the version that runs. Fetches nothing.',
    usage: '',
    options: () => [OPENSPEC_OPTION, ...configOptions()],
    choices: [],
    run: async (invocation) => (await import('./gate/install.ts')).runUpdate(invocation),
  },
  {
    name: 'status',
    summary: 'Tell what is installed in this repository.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./gate/status.ts')).run(invocation),
  },
  {
    name: 'hooks',
    summary: 'Put the gate into pre-commit and pre-push, take it out, or tell whether it is there.',
    usage: '<install|uninstall|status>',
    maxPositionals: 1,
    options: configOptions,
    choices: ['install', 'uninstall', 'status'],
    run: async (invocation) => (await import('./gate/hooks.ts')).run(invocation),
  },
  {
    name: 'sdd',
    summary: 'Tell whether the specification lets work go on, and tie work to a change for a while.',
    usage: '<status|validate|session>',
    maxPositionals: 1,
    options: () => [
      {
        flag: 'stage',
        kind: 'text',
        value: 'STAGE',
        description: 'With validate: PRE_WRITE, PRE_COMMIT, PRE_PUSH or CI.',
      },
      { flag: 'open', kind: 'switch', description: 'With session: open one; needs --change.' },
      { flag: 'change', kind: 'text', value: 'ID', description: 'With session --open: the change.' },
      {
        flag: 'ttl-minutes',
        kind: 'text',
        value: 'N',
        description: 'With session --open or --refresh: how long it lasts; 45 when absent.',
      },
      { flag: 'refresh', kind: 'switch', description: 'With session: let it last again.' },
      { flag: 'close', kind: 'switch', description: 'With session: end it.' },
      ...configOptions(),
    ],
    choices: ['status', 'validate', 'session'],
    run: async (invocation) => (await import('./gate/sdd.ts')).run(invocation),
  },
  {
    name: 'tools',
    summary: 'List the tools as a client sees them, with their cost in bytes and tokens.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./server/tools.ts')).run(invocation),
  },
  {
    name: 'config',
    summary: 'Show the settings in force and where each came from.',
    usage: '',
    options: configOptions,
    choices: [],
    run: async (invocation) => (await import('./server/config.ts')).run(invocation),
  },
  {
    name: 'print-config',
    summary: 'Print what to paste into an MCP client.',
    usage: `<${CLIENTS.join('|')}>`,
    maxPositionals: 1,
    options: () => [
      { flag: 'windows', kind: 'switch', description: 'Only the form Windows needs.' },
      {
        flag: 'bin',
        kind: 'text',
        value: 'PATH',
        description: 'Command that starts it, instead of the path of this very program.',
      },
      {
        flag: 'server',
        kind: 'text',
        value: 'NAME',
        description: 'Which of the programs to start; warrant when absent.',
        choices: SERVERS,
      },
      ...configOptions(),
    ],
    choices: CLIENTS,
    run: async (invocation) => (await import('./server/print-config.ts')).run(invocation),
  },
  {
    name: 'gate',
    summary: 'Judge a change by the rules and write the evidence; exits 1 when it is blocked.',
    usage: '[baseline]',
    options: () => [...GATE_OPTIONS, ...configOptions()],
    choices: ['baseline'],
    run: async (invocation) => (await import('./gate/gate.ts')).run(invocation),
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
    run: async (invocation) => (await import('./lineage/graph.ts')).run(invocation),
  },
  packetCommand(async (invocation) => (await import('./packet/index.ts')).run(invocation)),
  {
    name: 'lineage',
    summary: 'Verify, replay, export, prove, repair and erase from the lineage of a belief graph.',
    usage:
      '<verify [FILE]|replay [FROM]|export FILE|prove SEQ [SIZE]|consistency|checkpoint|repair|erase SEQ>',
    options: () => [...LINEAGE_OPTIONS, ...configOptions()],
    choices: ['verify', 'replay', 'export', 'prove', 'consistency', 'checkpoint', 'repair', 'erase'],
    run: async (invocation) => (await import('./lineage/lineage.ts')).run(invocation),
  },
  ...PROJECT_COMMANDS,
  {
    name: 'completion',
    summary: 'Print a completion script for a shell.',
    usage: `<${SHELLS.join('|')}>`,
    maxPositionals: 1,
    options: () => [],
    choices: SHELLS,
    run: async (invocation) => (await import('./server/completion.ts')).run(invocation, commands()),
  },
]

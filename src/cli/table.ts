import { configOptions, type SettingGroup } from '../app/config/settings.ts'
import { GATE_STAGES } from '../evidence/stage.ts'
import { HOOK_CLIENTS } from '../hooks/clients.ts'
import { CLIENTS, SERVERS } from './command/client-config.ts'
import type { Command, CommandGroups, Option } from './command/command.ts'
import { SHELLS } from './command/completion.ts'
import { GATE_OPTIONS, REPLAY_OPTIONS, SDD_OPTIONS } from './gate/options.ts'
import { LOG_OPTIONS, LOG_VERBS } from './lineage/options.ts'
import { packetCommand } from './packet/options.ts'
import { RECEIPT_OPTIONS } from './receipts/options.ts'
import { INIT_OPTIONS, UNINSTALL_OPTIONS } from './setup/options.ts'

const CLIENT_OPTIONS: readonly Option[] = [
  { flag: 'windows', kind: 'switch', description: 'With client: print only the form for Windows.' },
  {
    flag: 'bin',
    kind: 'text',
    value: 'PATH',
    description: 'With client: command that starts the server. Default: the path of this program.',
  },
  {
    flag: 'server',
    kind: 'text',
    value: 'NAME',
    description: 'With client: server that it should start. Default: warrant.',
    choices: SERVERS,
  },
]

/** Options of `warrant report` in addition to the settings. */
const REPORT_OPTIONS: readonly Option[] = [
  {
    flag: 'diff',
    kind: 'text',
    value: 'FILE',
    description:
      'Show which services, relations and endpoints were added and removed since this file, which `warrant report --json` has printed.',
  },
  {
    flag: 'html',
    kind: 'switch',
    description: 'Write one HTML file with a drawn diagram instead of Markdown.',
  },
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
]

/** Options of `warrant hook` in addition to the settings. */
const AGENT_HOOK_OPTIONS: readonly Option[] = [
  {
    flag: 'on-timeout',
    kind: 'text',
    value: 'ANSWER',
    description: 'Answer when the budget was not enough. Default: deny.',
    choices: ['deny', 'allow'],
  },
  {
    flag: 'budget',
    kind: 'text',
    value: 'MS',
    description: 'Milliseconds until an answer is due, from the start of the process. Default: 1000.',
  },
]

/** The groups of the help text, in its order. A command that no group names is in the last one. */
export const COMMAND_GROUPS: CommandGroups = [
  ['Start here', ['init', 'doctor', 'gate', 'why']],
  ['Servers', ['mcp', 'serve', 'config']],
  ['Evidence and receipts', ['accept', 'checks', 'sdd', 'receipts', 'log']],
  ['Project', ['report', 'replay']],
  ['Packets', ['packet']],
  ['Other', ['uninstall']],
]

type Definition = Pick<Command, 'name' | 'summary' | 'run'> &
  Partial<Pick<Command, 'usage' | 'choices' | 'maxPositionals' | 'unlisted'>> & {
    readonly options?: readonly Option[]
    /** The settings that its help lists. Default: those of the repository and of the gate. */
    readonly settings?: readonly SettingGroup[] | 'all'
  }

/** A command that takes every setting, and options of its own. */
const define = ({ options = [], settings = ['repository', 'gate'], ...command }: Definition): Command => ({
  usage: '',
  choices: [],
  ...command,
  settings: settings === 'all' ? undefined : settings,
  options: () => [
    ...options,
    // An option of the command takes the place of a setting with the same flag.
    ...configOptions().filter(({ flag }) => !options.some((own) => own.flag === flag)),
  ],
})

/** Every command. The code of a command is loaded when it runs. */
export const commands = (): readonly Command[] => [
  define({
    name: 'mcp',
    summary: 'Serve MCP over stdio. MCP clients start this command.',
    settings: 'all',
    run: async (invocation) => (await import('./server/mcp.ts')).run(invocation),
  }),
  define({
    name: 'serve',
    summary: 'Serve MCP over HTTP, with health checks and metrics, until stopped.',
    settings: 'all',
    run: async (invocation) => (await import('./server/serve.ts')).run(invocation),
  }),
  define({
    name: 'doctor',
    summary: 'Check that Warrant works here. With --fire: prove what blocks.',
    options: [
      {
        flag: 'fire',
        kind: 'switch',
        description:
          'Instead, plant canaries in a copy of the repository, and show what blocks: hooks of agents and of git, server, CI.',
      },
    ],
    settings: ['repository', 'http', 'store', 'gate', 'receipts'],
    run: async (invocation) =>
      invocation.flags.fire === true
        ? (await import('./canaries/fire.ts')).run(invocation)
        : (await import('./server/doctor.ts')).run(invocation),
  }),
  define({
    name: 'init',
    summary:
      'Set up this repository: its coding agents and its git hooks. Shows what it would write, and asks.',
    options: INIT_OPTIONS,
    settings: ['repository', 'gate', 'receipts'],
    run: async (invocation) => (await import('./setup/init.ts')).run(invocation),
  }),
  define({
    name: 'uninstall',
    summary: 'Take out what init wrote. Leaves what was edited since, and says so.',
    options: UNINSTALL_OPTIONS,
    run: async (invocation) => (await import('./setup/uninstall.ts')).run(invocation),
  }),
  define({
    name: 'hook',
    summary: 'Answer an event of a coding agent, read from stdin. Clients start this command.',
    unlisted: true,
    usage: `<${HOOK_CLIENTS.join('|')}>`,
    maxPositionals: 1,
    options: AGENT_HOOK_OPTIONS,
    settings: ['repository', 'gate', 'store'],
    choices: HOOK_CLIENTS,
    run: async (invocation) => (await import('./hooks/hook.ts')).run(invocation),
  }),
  define({
    name: 'sdd',
    summary: 'Check the OpenSpec specification, and open or close a session for one change.',
    usage: '<status|validate|session|install>',
    maxPositionals: 1,
    options: SDD_OPTIONS,
    choices: ['status', 'validate', 'session', 'install'],
    run: async (invocation) => (await import('./gate/sdd.ts')).run(invocation),
  }),
  define({
    name: 'config',
    summary: 'Show the settings, the tools that a client gets, the configuration of a client.',
    usage: `[show|tools|client <${CLIENTS.join('|')}>|completion <${SHELLS.join('|')}>]`,
    maxPositionals: 2,
    options: CLIENT_OPTIONS,
    choices: ['show', 'tools', 'client', 'completion'],
    settings: 'all',
    run: async (invocation) => (await import('./server/describe.ts')).run(invocation, commands()),
  }),
  define({
    name: 'gate',
    summary: 'Judge the change. Exits with 1 when it is blocked.',
    usage: '[PATH...]',
    maxPositionals: 1_000,
    options: GATE_OPTIONS,
    settings: ['repository', 'gate', 'receipts', 'store'],
    run: async (invocation) => (await import('./gate/gate.ts')).run(invocation),
  }),
  define({
    name: 'why',
    summary: 'Explain the verdict: reasons, the smallest repair, the lines of the policy.',
    usage: '[FINGERPRINT | RULE | PATH]',
    maxPositionals: 1,
    options: [
      {
        flag: 'stage',
        kind: 'text',
        value: 'STAGE',
        description: 'Stage to explain. Default: the stage of the evidence.',
        choices: GATE_STAGES,
      },
    ],
    settings: ['repository', 'gate', 'receipts'],
    run: async (invocation) => (await import('./gate/why.ts')).run(invocation),
  }),
  define({
    name: 'replay',
    summary: 'Judge past commits by the rules: what they would have stopped, and what was fixed later.',
    options: REPLAY_OPTIONS,
    settings: ['repository', 'gate'],
    run: async (invocation) => (await import('./gate/replay.ts')).run(invocation),
  }),
  define({
    name: 'accept',
    summary: 'Accept a finding of the newest run in .warrant/acceptances.yml. Asks a person on a terminal.',
    usage: 'FINDING --reason TEXT',
    maxPositionals: 1,
    options: [
      { flag: 'reason', kind: 'text', value: 'TEXT', description: 'Why the finding is accepted.' },
      { flag: 'until', kind: 'text', value: 'DAY', description: 'The last day, such as 2027-01-31.' },
      { flag: 'by', kind: 'text', value: 'NAME', description: 'Who says so.' },
    ],
    run: async (invocation) => (await import('./gate/accept.ts')).run(invocation),
  }),
  define({
    name: 'checks',
    summary: 'List, allow, run and suggest the checks that .warrant/checks.yml declares.',
    usage: '<list|run [NAME...]|allow|suggest>',
    maxPositionals: 51,
    options: [{ flag: 'write', kind: 'switch', description: 'With suggest: create .warrant/checks.yml.' }],
    choices: ['list', 'run', 'allow', 'suggest'],
    run: async (invocation) => (await import('./gate/checks.ts')).run(invocation),
  }),
  define({
    name: 'receipts',
    summary: 'Show and check receipts, send and fetch them, list the keys that count, and require receipts.',
    usage:
      '<list|show [NAME]|verify [NAME|FILE]|check [RANGE]|export [NAME]|fetch [REMOTE]|push [REMOTE [RANGE]]|keys <show|list|add [KEY]|revoke NAME>|require>',
    options: RECEIPT_OPTIONS,
    choices: ['list', 'show', 'verify', 'check', 'export', 'fetch', 'push', 'keys', 'require'],
    settings: ['repository', 'receipts', 'store'],
    run: async (invocation) => (await import('./receipts/receipts.ts')).run(invocation),
  }),
  packetCommand(async (invocation) => (await import('./packet/index.ts')).run(invocation)),
  define({
    name: 'log',
    summary: 'Show what agents did. With a verb: verify, export and prove the record.',
    usage:
      '[entries|show SEQ|diff A B|verify [FILE]|replay [FROM]|export FILE|publish DIR|prove SEQ [SIZE]|consistency|checkpoint|repair|erase SEQ|adopt|graph <ls|show|query NODE|stats>]',
    options: LOG_OPTIONS,
    choices: LOG_VERBS,
    settings: ['repository', 'store', 'receipts', 'beliefs'],
    run: async (invocation) => {
      const done = await (await import('./lineage/events.ts')).runBare(invocation)
      return done ?? (await import('./lineage/lineage.ts')).run(invocation)
    },
  }),
  define({
    name: 'report',
    summary: 'Report on the architecture of a project: services, dependencies, diagram, suggestions.',
    usage: '[FOLDER]',
    options: REPORT_OPTIONS,
    settings: ['repository', 'project'],
    run: async (invocation) => (await import('./project/report.ts')).run(invocation),
  }),
]

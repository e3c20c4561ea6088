import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openspecFaults } from '../src/app/commands/gate/bootstrap-openspec.ts'
import { publishFaults } from '../src/app/commands/lineage/publish.ts'
import { reportFaults } from '../src/app/commands/project/report.ts'
import { commands } from '../src/app/commands/table.ts'
import { composeServer } from '../src/app/compose.ts'
import { configFaults, loadConfig } from '../src/app/config/load-config.ts'
import { SETTINGS } from '../src/app/config/settings.ts'
import { serveFaults } from '../src/app/servers/listen.ts'
import { systemFaults } from '../src/app/system-fault.ts'
import { beliefFaults } from '../src/beliefs/faults.ts'
import { replicaFaults } from '../src/beliefs/log/replica.ts'
import { evidenceFaults } from '../src/evidence/faults.ts'
import { CLIENT_TABLE } from '../src/gate/agent-hooks/clients.ts'
import { hookEventFaults } from '../src/gate/agent-hooks/faults.ts'
import { gateFaults } from '../src/gate/faults.ts'
import { hookFaults } from '../src/gate/install/hook-script.ts'
import { lifecycleFaults } from '../src/gate/install/install.ts'
import { repositoryFaults } from '../src/gate/install/repository-faults.ts'
import { ruleFaults } from '../src/gate/rules/rule-faults.ts'
import { sessionFaults } from '../src/gate/sdd/session.ts'
import { callFaults } from '../src/kernel/call-faults.ts'
import { catalogFaults } from '../src/kernel/catalog.ts'
import { canonicalFaults } from '../src/kernel/encoding/canonical.ts'
import { FAULT_KINDS, type FaultKind, type FaultMaker } from '../src/kernel/fault.ts'
import { jailFaults } from '../src/kernel/jail.ts'
import { xmlFaults } from '../src/kernel/text/xml.ts'
import type { ToolListing } from '../src/kernel/tool.ts'
import { storeFaults } from '../src/lineage/faults.ts'
import { proofFaults } from '../src/lineage/proof.ts'
import { packetFaults } from '../src/packets/faults.ts'
import { exportFaults } from '../src/platform/files/export-file.ts'
import { lockFaults } from '../src/platform/files/file-lock.ts'
import { placeFaults } from '../src/platform/files/no-symlinks.ts'
import { gitFaults } from '../src/platform/git/run.ts'
import { diskFaults } from '../src/platform/packets/drafts.ts'
import { registryFaults } from '../src/platform/registry/faults.ts'
import { projectFaults } from '../src/project/faults.ts'
import { receiptFaults } from '../src/receipts/faults.ts'
import {
  allOptions,
  EXIT_BUG,
  EXIT_CODE_EXCEPTIONS,
  EXIT_CODES,
  usageFaults,
} from '../src/surfaces/cli/command.ts'
import { combinedStatus, enterpriseRoutes } from '../src/surfaces/http/enterprise-routes.ts'
import { evidenceRoutes } from '../src/surfaces/http/evidence-routes.ts'
import { Metrics } from '../src/surfaces/http/metrics.ts'
import { metadataRoutes, operatorRoutes } from '../src/surfaces/http/routes.ts'
import type { Route } from '../src/surfaces/http/server.ts'
import { tileRoutes } from '../src/surfaces/http/tile-routes.ts'
import { serverFaults } from '../src/surfaces/mcp/dialect.ts'
import { mcpEndpoint } from '../src/surfaces/mcp/http.ts'
import { describeTool } from '../src/surfaces/mcp/listing.ts'
import { resourceFaults } from '../src/surfaces/mcp/resource-handlers.ts'
import { toolCosts } from '../src/surfaces/mcp/token-costs.ts'
import { BYPASSES } from '../test/attacks/bypasses.ts'
import { HOOK_ATTEMPTS } from '../test/attacks/hook-attempts.ts'
import { THREATS } from '../test/attacks/threats.ts'
import { EVERYTHING, FOLDERS } from '../test/folders.ts'
import type { Pledge } from '../test/requirements.ts'
import { renderManifests } from './distribution.ts'
import { frameworksPage } from './docs-frameworks.ts'
import { rulesPage } from './docs-rules.ts'
import { manPage } from './man-page.ts'

/** Every fault table in the program. A test compares this list with the sources. */
export const FAULT_TABLES: readonly Readonly<Record<string, FaultMaker>>[] = [
  beliefFaults,
  callFaults,
  serverFaults,
  canonicalFaults,
  catalogFaults,
  configFaults,
  diskFaults,
  evidenceFaults,
  exportFaults,
  gateFaults,
  gitFaults,
  lockFaults,
  hookFaults,
  hookEventFaults,
  lifecycleFaults,
  openspecFaults,
  jailFaults,
  projectFaults,
  packetFaults,
  placeFaults,
  proofFaults,
  resourceFaults,
  registryFaults,
  receiptFaults,
  replicaFaults,
  repositoryFaults,
  reportFaults,
  systemFaults,
  ruleFaults,
  publishFaults,
  serveFaults,
  sessionFaults,
  storeFaults,
  usageFaults,
  xmlFaults,
]

const everything = (flags: Readonly<Record<string, string>> = {}) =>
  composeServer(loadConfig(flags, { environment: {}, cwd: '/' }).config, {
    cwd: '/',
    environment: {},
    writeLog: () => {},
  })

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
const code = (text: string): string => `\`${text}\``

const NOTE = '<!-- Generated by `npm run docs`. Do not edit. -->'
const page = (title: string, ...parts: readonly string[]): string =>
  `${[`# ${title}`, NOTE, ...parts].join('\n\n')}\n`

/** One row a toolset, for the README. */
const toolsetTable = (): string => {
  const { catalog, toolsets } = everything()
  const costs = toolCosts(catalog, toolsets).tools
  return table(
    ['toolset', 'what it is about', 'tools', 'that write', 'tokens'],
    toolsets.map(({ name, title }) => {
      const own = costs.filter(({ toolset }) => toolset === name)
      const writers = own.filter(({ effect }) => effect === 'write').length
      const tokens = own.reduce((sum, tool) => sum + tool.tokens, 0)
      return [code(name), title, ...[own.length, writers, tokens].map(String)]
    }),
  )
}

const LISTINGS: Readonly<Record<ToolListing, string>> = {
  selected: 'with its toolset',
  named: 'by `--tools`',
}

const toolTable = (): string => {
  const { catalog, toolsets } = everything({ toolsets: 'all' })
  return table(
    ['tool', 'toolset', 'effect', 'what it does', 'listed', 'tokens'],
    toolCosts({ ...catalog, listedTools: catalog.tools }, toolsets).tools.map(
      ({ name, toolset, effect, tokens }) => {
        const tool = catalog.find(name)
        const listed = tool?.listing === undefined ? 'always' : LISTINGS[tool.listing]
        return [code(name), toolset, effect, tool?.description ?? '', listed, String(tokens)]
      },
    ),
  )
}

/** What older servers and versions call the tools. */
const formerNames = (): string => {
  const { catalog } = everything()
  const rows = catalog.tools.flatMap((tool) =>
    (tool.aliases ?? []).map((former) => [code(former), code(catalog.listed(tool))]),
  )
  return table(['former name', 'name'], rows)
}

const toolsPage = (): string => {
  const { catalog, toolsets } = everything()
  const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
  const sections = toolsets.map(({ name, title, tools, resources, prompts }) =>
    [
      `## ${name}: ${title}`,
      ...tools.map((tool) => {
        const { inputSchema, outputSchema, annotations } = describeTool(tool, catalog.listed(tool))
        const { unlistedArguments = [] } = tool
        return [
          `### ${code(catalog.listed(tool))}`,
          `${tool.title}. ${tool.description}`,
          `Effect: ${tool.effect}. Hints: ${JSON.stringify(annotations)}`,
          'Input:',
          json(inputSchema),
          ...(unlistedArguments.length === 0
            ? []
            : [`Accepted and not listed: ${unlistedArguments.map(code).join(', ')}.`]),
          'Output:',
          json(outputSchema),
        ].join('\n\n')
      }),
      '### Resources',
      table(
        ['address', 'type', 'what it holds'],
        resources.map(({ uri, mimeType, description }) => [code(uri), mimeType, description]),
      ),
      '### Prompts',
      table(
        ['prompt', 'what it is for', 'arguments'],
        prompts.map(({ name: prompt, description, args }) => [
          code(prompt),
          description,
          Object.keys(args.shape).join(', '),
        ]),
      ),
    ].join('\n\n'),
  )
  return page(
    'Tools',
    'The tools of `warrant mcp` and `warrant serve` ([the unified server](../server.md)). Tokens are estimated for name, description and input schema.',
    toolTable(),
    '## Former names',
    'They are accepted in calls and settings, with dots or underscores, and not listed.',
    formerNames(),
    ...sections,
  )
}

const faultsPage = (): string =>
  page(
    'Faults',
    'A fault is a failure that the caller can act on. It has a kind, a stable code, a message and a fix. Every other failure is a bug in Warrant: the caller gets "Internal error" with the code `server.internal`, and the details are in the log.',
    table(
      ['kind', 'meaning', 'exit code'],
      Object.entries(FAULT_KINDS).map(([kind, meaning]) => [
        code(kind),
        meaning,
        String(EXIT_CODES[kind as FaultKind]),
      ]),
    ),
    `Exceptions: ${Object.entries(EXIT_CODE_EXCEPTIONS)
      .map(([name, exit]) => `${code(name)} exits with ${exit}`)
      .join(', ')}. A bug ends the program with exit code ${EXIT_BUG}.`,
    table(
      ['code', 'kind', 'fix'],
      FAULT_TABLES.flatMap((faults) => Object.values(faults))
        .map(({ code: name, kind, fix }) => [code(name), kind, fix])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  )

const settingRows = (): string[][] =>
  SETTINGS.map(({ key, flag, variable, fallback, description, choices }) => [
    code(key),
    code(`--${flag}`),
    code(variable),
    fallback === undefined ? '' : code(JSON.stringify(fallback)),
    choices.length === 0 ? description : `${description} One of ${choices.map(code).join(', ')}.`,
  ])

const configPage = (): string =>
  page(
    'Settings',
    'Each setting can be given in three ways. A flag takes precedence over an environment variable, a variable over `warrant.json` in the current folder (or the file named by `--config` or `WARRANT_CONFIG`), and the file over the default. Unknown keys, variables and flags are errors. `warrant config` shows each value in force and its source.',
    'A `warrant.json` that was found in the current folder and not named with `--config` is not trusted. It must not name places outside its folder (`root`, `stateDir`, `packetRoot`, `exportRoot`, a file as `store` or `catalog`). It must not open connections to or from other machines (`embeddingUrl` and `host` off loopback, a database as `store`, `allowedHosts`, `allowedOrigins`, `registries`, `plainRegistries`, `token`, `issuer`). A `registry` or `catalog` address in it is used only if it is on the public internet.',
    'In a file, `limits.callMs` is the member `callMs` of the object `limits`, and lists are arrays. On the command line and in variables, lists are separated by commas, and switches are `true` or `false`.',
    table(['key', 'flag', 'variable', 'default', 'meaning'], settingRows()),
  )

const commandsPage = (): string =>
  page(
    'Commands',
    'Every command accepts `--json`. It then prints exactly one JSON document on stdout, also when it fails (`{"error": …}`). Messages for people go to stderr.',
    ...commands().map((command) => {
      const settings = new Set(SETTINGS.map(({ flag }) => flag))
      const own = allOptions(command).filter(({ flag }) => !settings.has(flag))
      const usage = ['warrant', command.name, command.usage].filter((part) => part !== '').join(' ')
      return [
        `## ${code(command.name)}`,
        command.summary,
        `\`\`\`\n${usage} [options]\n\`\`\``,
        table(
          ['option', 'meaning'],
          own.map(({ flag, kind, value, description }) => [
            code(kind === 'switch' ? `--${flag}` : `--${flag} ${value ?? 'VALUE'}`),
            description,
          ]),
        ),
        command.options().length > own.length
          ? 'This command also accepts every [setting](settings.md) as a flag.'
          : '',
      ]
        .filter((part) => part !== '')
        .join('\n\n')
    }),
  )

const httpPage = (): string => {
  const { service, store, evidence, enterprise } = everything()
  const routes: readonly Route[] = [
    mcpEndpoint(service).route,
    ...operatorRoutes({
      store,
      metrics: new Metrics(),
      gauges: async () => [],
      index: () => '',
    }),
    ...evidenceRoutes({ evidence, route: '/ai-evidence' }),
    ...tileRoutes({ checkpoint: async () => undefined, tile: async () => undefined }),
    combinedStatus(enterprise),
    ...enterpriseRoutes(enterprise),
    ...metadataRoutes(() => '', ''),
  ]
  return page(
    'HTTP',
    'All routes of `warrant serve`. `Host` and `Origin` must be loopback names or names that the operator allowed; a request that a browser marks as cross-site needs such an `Origin` (else 403). If a token is configured, every path needs it except those marked open (else 401). Bodies are limited to 1 MiB, on `/mcp` to `limits.bodyBytes` (else 413). Headers or bodies that arrive too slowly end in 408. The target must be a path (else 400). The server keeps up to 1,024 connections and 64 MiB of unfinished bodies, three quarters of them for one client (an IPv4 address, an IPv6 network, or this machine); beyond that it closes the connections that have waited longest, with 503.',
    table(
      ['path', 'methods', 'open', 'answer'],
      routes.map(({ path, methods, open, summary }) => [
        code(path),
        methods?.join(', ') ?? 'POST',
        open ? 'yes' : '',
        summary,
      ]),
    ),
  )
}

const commandTable = (): string =>
  table(
    ['command', 'what it does'],
    commands().map(({ name, summary }) => [code(`warrant ${name}`), summary]),
  )

/** The rooms below `app` in two words: every folder of `app` may import all of them. */
const importsCell = (imports: readonly string[]): string =>
  EVERYTHING.every((room) => imports.includes(room))
    ? [...imports.filter((one) => !EVERYTHING.includes(one)), 'all other rooms'].join(', ')
    : imports.join(', ')

const folderTable = (): string =>
  table(
    ['folder', 'what it holds', 'may import'],
    Object.entries(FOLDERS).map(([folder, { purpose, imports }]) => [
      code(`src/${folder}/`),
      purpose,
      importsCell(imports),
    ]),
  )

const citations = (shownBy: Pledge['shownBy']): string =>
  shownBy.map(([path, title]) => `${code(path)}: ${title}`).join('; ')

const threatTables = (): string =>
  Object.entries(THREATS)
    .map(([promise, threats]) =>
      [
        `### ${promise.replace(/\.$/, '')}`,
        table(
          ['attack', 'what holds', 'shown by'],
          threats.map(({ attack, defence, shownBy }) => [attack, defence, citations(shownBy)]),
        ),
      ].join('\n\n'),
    )
    .join('\n\n')

const bypassesPage = (): string =>
  page(
    'Ways round the gate',
    'What an agent with a shell can try, so that a change passes without being judged. "Stopped" is where the attempt fails; "found" is where it shows at the latest. CI means the action on a pull request, with all history. What is said of receipts holds where the target branch lists keys in `.warrant/keys.yml`; they are described in [receipts](receipts.md). The threats to the rest of Warrant are in the [threat model](threat-model.md).',
    table(
      ['#', 'bypass', 'stopped', 'found', 'by what', 'shown by'],
      BYPASSES.map(({ bypass, stopped, found, by, shownBy }, index) => [
        String(index + 1),
        bypass,
        stopped,
        found,
        by,
        citations(shownBy),
      ]),
    ),
  )

/** The events that a client sends, by the moment they are about. */
const eventsOf = (events: Readonly<Record<string, string>>, moment: string): string =>
  Object.keys(events)
    .filter((name) => events[name] === moment)
    .map(code)
    .join(', ')

const clientTable = (): string =>
  table(
    ['client', 'before', 'after', 'end of a turn', 'start', 'asks', 'compared with'],
    Object.entries(CLIENT_TABLE).map(([name, { product, version, events, asks }]) => [
      `${product} (${code(name)})`,
      ...['before', 'after', 'end', 'start'].map((moment) => eventsOf(events, moment)),
      asks ? 'yes' : 'no: refused',
      version,
    ]),
  )

const OUTCOMES = { deny: 'refused', ask: 'asked', limit: 'limit' } as const

/** An input on one line, as a table can hold it. */
const attemptCell = (
  tool: string,
  { command, file_path, notebook_path }: Readonly<Record<string, unknown>>,
): string => {
  const shown = String(command ?? file_path ?? notebook_path ?? '').replaceAll('ROOT/', '')
  const line = shown.split('\n').slice(0, 3).join(' ⏎ ')
  return `${tool}: ${code(line.length > 100 ? `${line.slice(0, 100)}…` : line)}`
}

const attemptTable = (): string =>
  table(
    ['#', 'attempt', 'tool', 'outcome', 'where a limit is found'],
    HOOK_ATTEMPTS.map(({ attempt, tool, input, outcome, found = '' }, index) => [
      String(index + 1),
      attempt,
      attemptCell(tool, input),
      OUTCOMES[outcome],
      found,
    ]),
  )

/** Replaces the text between the two markers of `name`. */
const fill = (text: string, name: string, body: string): string => {
  const pattern = new RegExp(`(<!-- ${name}:start -->)[\\s\\S]*?(<!-- ${name}:end -->)`)
  if (!pattern.test(text)) throw new Error(`no markers for ${name}`)
  return text.replace(pattern, (_, start: string, end: string) => `${start}\n${body}\n${end}`)
}

/** Every generated page, by its path. */
export const renderDocs = (): Readonly<Record<string, string>> => ({
  'README.md': fill(
    fill(readFileSync('README.md', 'utf8'), 'tools', toolsetTable()),
    'commands',
    commandTable(),
  ),
  'ARCHITECTURE.md': fill(readFileSync('ARCHITECTURE.md', 'utf8'), 'folders', folderTable()),
  'docs/threat-model.md': fill(readFileSync('docs/threat-model.md', 'utf8'), 'threats', threatTables()),
  'docs/bypasses.md': bypassesPage(),
  'docs/agent-hooks.md': fill(
    fill(readFileSync('docs/agent-hooks.md', 'utf8'), 'clients', clientTable()),
    'attempts',
    attemptTable(),
  ),
  'docs/reference/tools.md': toolsPage(),
  'docs/reference/faults.md': faultsPage(),
  'docs/reference/settings.md': configPage(),
  'docs/reference/commands.md': commandsPage(),
  'docs/reference/http.md': httpPage(),
  'docs/reference/rules.md': page('Rules', ...rulesPage(table, code)),
  'docs/reference/frameworks.md': page('Frameworks', ...frameworksPage(table)),
  'man/warrant.1': manPage(),
  ...renderManifests(),
})

export const main = async (): Promise<void> => {
  for (const [path, text] of Object.entries(renderDocs())) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

import { explainConfig } from '../../app/config/load-config.ts'
import { serveTokenPath } from '../../app/open/user-state.ts'
import { loadServer, loadSettings } from '../../app/process-context.ts'
import { toolCosts } from '../../mcp/listing.ts'
import { chosenFlags, serverCommand } from '../client-command.ts'
import { clientConfig } from '../command/client-config.ts'
import type { Command, Invocation } from '../command/command.ts'
import { completionScript } from '../command/completion.ts'
import { printOutput, runSubcommand } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'

const printClientConfig = async (invocation: Invocation, client: string | undefined): Promise<number> => {
  // Refuses settings that the printed command could not start with.
  const { host, port, token } = loadSettings(invocation).config
  const { terminal, json, flags } = invocation
  const config = clientConfig(client, serverCommand(flags, chosenFlags(flags)))
  if (json) terminal.print(JSON.stringify(config))
  else if (flags.windows) terminal.print(config.windows)
  else {
    terminal.printError(`# ${config.client}: ${config.file}`)
    terminal.print(config.text)
    if (config.note !== undefined) terminal.printError(`# ${config.note}`)
    if (!config.inProject && flags.root === undefined)
      terminal.printError(
        '# This client may start the server in any folder: add --root FOLDER to choose the project.',
      )
    terminal.printError(`\n# on Windows:\n${config.windows}`)
    if (flags.server === undefined || flags.server === 'warrant')
      terminal.printError(
        `\n# or over HTTP, where \`warrant serve\` runs: http://${host}:${port}/mcp with the header "Authorization: Bearer TOKEN". The token is ${token === undefined ? `in ${serveTokenPath()}` : 'in WARRANT_TOKEN'}; keep it out of the files of the repository.`,
      )
  }
  return 0
}

const printTools = async (invocation: Invocation): Promise<number> => {
  const { catalog, toolsets, listing } = await loadServer(loadSettings(invocation))
  const { tools, bytes, tokens } = toolCosts(catalog, toolsets, listing)
  const unlisted = catalog.tools
    .filter((tool) => !catalog.listedTools.includes(tool))
    .map((tool) => catalog.listed(tool))
  const rows = tools.map((tool) => [
    tool.name,
    tool.toolset,
    tool.effect,
    String(tool.bytes),
    String(tool.tokens),
    tool.title,
  ])
  const total = `${tools.length} tools, about ${tokens} tokens of names, descriptions and input schemas in a model's context; the list has ${bytes} bytes in all`
  const rest =
    unlisted.length === 0
      ? []
      : [`Callable, and listed with --toolsets all or --tools: ${unlisted.join(', ')}`]
  const head = ['tool', 'toolset', 'effect', 'bytes', 'tokens', 'title']
  return printOutput(invocation, { tools, bytes, tokens, unlisted }, () =>
    [writeTable(head, rows), total, ...rest].join('\n\n'),
  )
}

const printCompletion = async (
  invocation: Invocation,
  shell: string | undefined,
  commands: readonly Command[],
): Promise<number> => {
  const script = completionScript(shell, commands)
  return printOutput(invocation, { shell, script }, () => script.trimEnd())
}

const showConfig = async (invocation: Invocation): Promise<number> => {
  const effective = explainConfig(loadSettings(invocation))
  const rows = effective.map(({ key, value, source, variable }) => [
    key,
    JSON.stringify(value),
    source,
    variable,
  ])
  return printOutput(invocation, { settings: effective }, () =>
    writeTable(['key', 'value', 'from', 'variable'], rows),
  )
}

export const run = (invocation: Invocation, commands: readonly Command[]): Promise<number> =>
  runSubcommand(
    {
      show: showConfig,
      tools: printTools,
      client: (given, [name]) => printClientConfig(given, name),
      completion: (given, [shell]) => printCompletion(given, shell, commands),
    },
    invocation,
    { show: 0, tools: 0, client: 1, completion: 1 },
  )

import manifest from '../package.json' with { type: 'json' }
import { composeServer } from '../src/app/compose.ts'
import { loadConfig } from '../src/app/config/load-config.ts'

const DESCRIPTION = 'Judges changes by rules, with evidence and receipts; project, packet and belief tools.'

/** Where the program is in a bundle that npm has installed it into. */
const ENTRY_POINT = 'node_modules/warrant/dist/bin/warrant.js'

const toolList = () => {
  const { config } = loadConfig({}, { environment: {}, cwd: '/' })
  const { toolsets } = composeServer(config, { cwd: '/', environment: {}, writeLog: () => {} })
  return toolsets.flatMap(({ tools }) => tools.map(({ name, title }) => ({ name, description: title })))
}

/** The manifest of the MCP registry. `scripts/bundle.mjs` adds the packages of a release. */
const serverManifest = () => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: manifest.mcpName,
  title: 'Warrant',
  description: DESCRIPTION,
  version: manifest.version,
})

/** The manifest of a bundle (MCPB). `scripts/bundle.mjs` adds the platform that the bundle is for. */
const bundleManifest = () => ({
  manifest_version: '0.4',
  name: manifest.name,
  display_name: 'Warrant',
  version: manifest.version,
  description: DESCRIPTION,
  author: { name: 'The Warrant authors' },
  license: manifest.license,
  server: {
    type: 'node',
    entry_point: ENTRY_POINT,
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces these variables
      args: [`\${__dirname}/${ENTRY_POINT}`, 'mcp', '--root', '${user_config.root}'],
      env: {},
    },
  },
  user_config: {
    root: {
      type: 'directory',
      title: 'Repository',
      description: 'Folder of the project that is served.',
      required: true,
    },
  },
  tools: toolList(),
  tools_generated: false,
  compatibility: { runtimes: { node: manifest.engines.node } },
})

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** The manifests that describe Warrant to registries and hosts, by path. */
export const renderManifests = (): Readonly<Record<string, string>> => ({
  'server.json': json(serverManifest()),
  'packaging/mcpb/manifest.json': json(bundleManifest()),
})

import { NO_COMPAT } from '../../mcp/handshake.ts'
import { configFaults, type Flags, firstSet } from '../config/load-config.ts'
import { PROVIDER_OPTION, withProvider } from '../config/packet-provider.ts'
import { VERSION } from '../config/version.ts'
import type { CompatServer } from './compat-server.ts'

/** Settings from the variables of the packet tools. Newer names come first. */
export const packetVariables = (environment: NodeJS.ProcessEnv): Flags => {
  const mode = environment.RAG_EMBED_MODE?.trim() || 'http'
  if (mode.toLowerCase() !== 'http')
    throw configFaults.variable("RAG_EMBED_MODE: embeddings.mode must be 'http'")
  const [address] = ['EMBEDDING_URL', 'RAG_EMBED_URL'].filter((name) => environment[name]?.trim())
  // Checked here, so that the message names the variable and not the setting.
  if (address !== undefined && !/^https?:\/\/./i.test(environment[address]?.trim() ?? ''))
    throw configFaults.variable(`${address}: expected an http:// or https:// URL`, {
      fix: 'Correct the address, or unset the variable.',
    })
  return variableFlags(environment)
}

const variableFlags = (environment: NodeJS.ProcessEnv): Flags => ({
  ...firstSet('packet-root', environment.CPM_ROOT, environment.RAG_CPM_DIR),
  ...firstSet('registry', environment.REGISTRY),
  ...firstSet('embedding-url', environment.EMBEDDING_URL, environment.RAG_EMBED_URL),
  ...firstSet('embedding-model', environment.EMBEDDING_MODEL),
  ...firstSet('embedding-key', environment.EMBEDDING_API_KEY),
})

/** Knowledge packets for existing clients of `cpm-mcp`. */
export const cpmServer: CompatServer = {
  binary: 'cpm-mcp',
  summary: 'Serve knowledge packets over stdio.',
  profile: {
    identity: { name: 'context-packet-manager', title: 'Knowledge packets', version: VERSION },
    instructions:
      'Find a packet with lookup, then call query with its pinned_uri; evidence_digest summarizes the passages found. Answers cite files and lines of a packet that is pinned by its digest.',
    capabilities: { tools: {}, resources: {} },
    compat: { ...NO_COMPAT, ignoresUnknownArguments: true },
  },
  preset: new Map<string, unknown>([['toolsets', ['packets']]]),
  variables: packetVariables,
  aliases: {
    'cpm-dir': 'packet-root',
    'embed-url': 'embedding-url',
    'embed-model': 'embedding-model',
  },
  options: [PROVIDER_OPTION],
  settle: withProvider,
}

import type { Option } from '../../surfaces/cli/command.ts'
import { usageFaults } from '../../surfaces/cli/command.ts'
import type { Flags, LoadedConfig } from './load-config.ts'
import { packetRoot } from './packet-root.ts'

export const PROVIDER_OPTION = {
  flag: 'provider',
  kind: 'text',
  value: 'NAME',
  description:
    'Embed with this provider of config/embeddings.yml in the packet root; "default" is its default.',
} as const satisfies Option

const askedFor = ({ provider }: Flags, { EMBEDDING_PROVIDER }: NodeJS.ProcessEnv): string | undefined => {
  if (provider === '')
    throw usageFaults.option('--provider wants a name; "default" is the default of the file')
  return typeof provider === 'string' ? provider : EMBEDDING_PROVIDER?.trim() || undefined
}

const said = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * Settings with the provider that the operator asked for. What was said on the command line is stronger than it;
 * what it says is stronger than variables and files. Two things never travel to where they were not meant for: the
 * key of the environment to the provider, and the headers of the provider to an address said beside it.
 */
export const withProvider = async (
  loaded: LoadedConfig,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
): Promise<LoadedConfig> => {
  const asked = askedFor(flags, environment)
  if (asked === undefined) return loaded
  const { config } = loaded
  const { packetProvider } = await import('../../platform/packets/provider.ts')
  const found = await packetProvider(packetRoot(config), asked, environment)
  const [url, model, key] = ['embedding-url', 'embedding-model', 'embedding-key'].map((name) =>
    said(flags, name),
  )
  return {
    ...loaded,
    config: {
      ...config,
      embeddingUrl: url ?? found.url,
      embeddingModel: model ?? found.model ?? config.embeddingModel,
      embeddingKey: key ?? (url === undefined ? undefined : config.embeddingKey),
      provider: url === undefined ? found : { ...found, path: undefined, headers: undefined },
    },
  }
}

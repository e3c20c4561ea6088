import { type Option, usageFaults } from '../../cli/command/command.ts'
import type { Flags, LoadedConfig } from './load-config.ts'
import { packetRoot } from './packet-root.ts'

export const PROVIDER_OPTION = {
  flag: 'provider',
  kind: 'text',
  value: 'NAME',
  description:
    'Embed with this provider from config/embeddings.yml in the packet root; "default" takes its default.',
} as const satisfies Option

const requestedProvider = (
  { provider }: Flags,
  { EMBEDDING_PROVIDER }: NodeJS.ProcessEnv,
): string | undefined => {
  if (provider === '')
    throw usageFaults.option('--provider needs a name; "default" takes the default provider of the file')
  return typeof provider === 'string' ? provider : EMBEDDING_PROVIDER?.trim() || undefined
}

const readTextFlag = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * Applies the provider that the operator chose. Flags override the provider; the provider overrides variables and
 * files. Credentials stay with their address: a key from the environment is not sent to the provider's URL, and the
 * provider's headers are not sent to a URL given by flag.
 */
export const withProvider = async (
  loaded: LoadedConfig,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
): Promise<LoadedConfig> => {
  const name = requestedProvider(flags, environment)
  if (name === undefined) return loaded
  const { config } = loaded
  const { packetProvider } = await import('../../platform/packets/provider.ts')
  const found = await packetProvider(packetRoot(config), name, environment)
  const [url, model, key] = ['embedding-url', 'embedding-model', 'embedding-key'].map((flag) =>
    readTextFlag(flags, flag),
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

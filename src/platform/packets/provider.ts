import { join } from 'node:path'
import { readProvider, refuseProvider } from '../../packets/ask/provider-file.ts'
import type { Provider } from '../../packets/embed.ts'
import { openAsyncJail } from '../jail/async.ts'
import { parseYaml } from '../system/safe-yaml.ts'

const FILE = join('config', 'embeddings.yml')
const MAX_BYTES = 64 * 1024

/**
 * Reads a provider of `config/embeddings.yml` in a packet folder. The folder may come from a repository: it is
 * read in a jail, and only when a provider was requested by name.
 */
export const packetProvider = async (
  home: string,
  asked: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Provider> => {
  const bytes = await openAsyncJail(home)
    .read(FILE, MAX_BYTES + 1)
    .catch(() => refuseProvider('it cannot be read'))
  if (bytes === undefined)
    return refuseProvider(
      'the packet folder has no such file',
      'Write it there, set CPM_ROOT to the folder that has it, or leave --provider and EMBEDDING_PROVIDER out.',
    )
  if (bytes.length > MAX_BYTES) return refuseProvider(`it is larger than ${MAX_BYTES} bytes`)
  // The parser's message is dropped: it quotes the file, which may contain keys.
  const value = await parseYaml(bytes.toString('utf8')).catch(() =>
    refuseProvider('it is not YAML, or has aliases'),
  )
  return readProvider(value, asked, environment)
}

import { join } from 'node:path'
import { readProvider, refuseProvider } from '../../packets/ask/provider-file.ts'
import type { Provider } from '../../packets/embed.ts'
import { openAsyncJail } from '../jail/async.ts'
import { parseYaml } from '../system/safe-yaml.ts'

const FILE = join('config', 'embeddings.yml')
const MAX_BYTES = 64 * 1024

/**
 * A provider of `config/embeddings.yml` below a folder for packets. The folder may have come with a repository, so
 * no link leads out of it, and the file is read for those alone who asked for it by name.
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
      'there is no such file in the folder for packets',
      'Write it there, set CPM_ROOT to the folder that has it, or leave --provider and EMBEDDING_PROVIDER out.',
    )
  if (bytes.length > MAX_BYTES) return refuseProvider(`it is larger than ${MAX_BYTES} bytes`)
  // What the parser says is not passed on: it quotes the file, and the file may hold keys.
  const value = await parseYaml(bytes.toString('utf8')).catch(() =>
    refuseProvider('it is not YAML, or has aliases'),
  )
  return readProvider(value, asked, environment)
}

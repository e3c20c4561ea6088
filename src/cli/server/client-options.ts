import { SERVERS } from '../command/client-config.ts'
import type { Option } from '../command/command.ts'

export const CLIENT_OPTIONS: readonly Option[] = [
  { flag: 'windows', kind: 'switch', description: 'Print only the form for Windows.' },
  {
    flag: 'bin',
    kind: 'text',
    value: 'PATH',
    description: 'Command that starts the server. Default: the path of this program.',
  },
  {
    flag: 'server',
    kind: 'text',
    value: 'NAME',
    description: 'Server that the client should start. Default: warrant.',
    choices: SERVERS,
  },
]

import { SETUP_CLIENT_NAMES } from '../../setup/clients.ts'
import type { Option } from '../command/command.ts'

export const INIT_OPTIONS: readonly Option[] = [
  { flag: 'yes', kind: 'switch', description: 'Write without asking.' },
  { flag: 'dry-run', kind: 'switch', description: 'Show what would be written, and write nothing.' },
  {
    flag: 'clients',
    kind: 'text',
    value: 'LIST',
    description: `Clients to set up, separated by commas: ${SETUP_CLIENT_NAMES.join(', ')}; none; or mine, for those of your home too, hidden from git. Default: those that files of the repository name.`,
  },
  {
    flag: 'strict',
    kind: 'switch',
    description: 'Committed hooks refuse the commits of colleagues who do not have Warrant.',
  },
  {
    flag: 'action',
    kind: 'text',
    value: 'ACTION',
    description:
      'Also create a CI workflow with the action of a release: OWNER/REPOSITORY@COMMIT, with the full id of the commit.',
  },
  {
    flag: 'checks',
    kind: 'switch',
    description:
      'Also create .warrant/checks.yml with the checks that `warrant checks suggest` prints. They block until a person allows them.',
  },
  {
    flag: 'sandbox',
    kind: 'switch',
    description:
      "Also write the clients' own sandbox and permission settings that make the files of the gate read-only for agents.",
  },
]

export const UNINSTALL_OPTIONS: readonly Option[] = [
  { flag: 'yes', kind: 'switch', description: 'Remove without asking.' },
  {
    flag: 'purge-artifacts',
    kind: 'switch',
    description:
      'Also remove the evidence file and the files that `sdd install` created, unless git tracks them.',
  },
  {
    flag: 'purge',
    kind: 'switch',
    description:
      'Also remove the state folder, with the log of decisions and the receipts of this clone, and what --purge-artifacts removes.',
  },
]

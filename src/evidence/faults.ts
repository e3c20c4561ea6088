import { defineFaults } from '../kernel/fault.ts'

export const evidenceFaults = defineFaults('evidence', {
  unusable: { kind: 'missing', fix: 'Run `warrant gate` in the repository to write new evidence.' },
  query: { kind: 'invalid', fix: 'Send a value as the message describes it.' },
  unwritable: { kind: 'unavailable', fix: 'Check permissions and free disk space of the repository folder.' },
})

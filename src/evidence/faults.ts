import { defineFaults } from '../kernel/fault.ts'

export const evidenceFaults = defineFaults('evidence', {
  unusable: { kind: 'missing', fix: 'Run `warrant gate` in the repository: it writes fresh evidence.' },
  query: { kind: 'invalid', fix: 'Send what the message says is expected.' },
  unwritable: { kind: 'unavailable', fix: 'Check the rights and the free space of the repository folder.' },
})

import { defineFaults } from '../kernel/fault.ts'

export const gateFaults = defineFaults('gate', {
  policy_invalid: {
    kind: 'invalid',
    fix: 'Correct the policy named, or remove it to have the default one.',
  },
})

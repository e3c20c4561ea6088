import { defineFaults } from '../../kernel/fault.ts'

export const repositoryFaults = defineFaults('repository', {
  absent: {
    kind: 'missing',
    fix: 'Run it inside a git repository with a working tree; `git status` tells when git refuses this one.',
  },
})

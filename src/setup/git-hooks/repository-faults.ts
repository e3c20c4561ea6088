import { defineFaults } from '../../kernel/fault.ts'

export const repositoryFaults = defineFaults('repository', {
  absent: {
    kind: 'missing',
    fix: 'Run it in the working tree of a git repository. `git status` shows why git rejects this folder.',
  },
})

import { GATE_STAGES } from '../../../gate/stage.ts'
import type { Option } from '../../../surfaces/cli/command.ts'

/** What can be asked of `warrant gate`, beside the settings. */
export const GATE_OPTIONS: readonly Option[] = [
  {
    flag: 'stage',
    kind: 'text',
    value: 'STAGE',
    description: 'How far the change has come; guessed when absent.',
    choices: GATE_STAGES,
  },
  {
    flag: 'scope',
    kind: 'text',
    value: 'SCOPE',
    description: 'Files to judge, instead of those of the stage.',
    choices: ['staged', 'worktree', 'repository'],
  },
  { flag: 'all', kind: 'switch', description: 'Judge the whole repository.' },
  { flag: 'range', kind: 'text', value: 'A..B', description: 'Judge what B brought since it parted from A.' },
  { flag: 'sarif', kind: 'switch', description: 'Print SARIF 2.1.0, for code scanning.' },
  { flag: 'junit', kind: 'switch', description: 'Print JUnit XML, for build servers.' },
  { flag: 'output', kind: 'text', value: 'FILE', description: 'Write the report there and not to stdout.' },
  { flag: 'no-evidence', kind: 'switch', description: 'Judge only: write and record nothing.' },
  {
    flag: 'baseline',
    kind: 'text',
    value: 'FILE',
    description:
      'Findings to take as known, instead of warrant.baseline.json; with baseline: where to write.',
  },
  { flag: 'new-only', kind: 'switch', description: 'Show new findings only; there must be a baseline.' },
  { flag: 'quiet', kind: 'switch', description: 'Say nothing unless the change is blocked.' },
]

import type { Option } from '../command/command.ts'

/** Options of `warrant hook` in addition to the settings. */
export const AGENT_HOOK_OPTIONS: readonly Option[] = [
  {
    flag: 'on-timeout',
    kind: 'text',
    value: 'ANSWER',
    description: 'Answer when the budget was not enough. Default: deny.',
    choices: ['deny', 'allow'],
  },
  {
    flag: 'budget',
    kind: 'text',
    value: 'MS',
    description: 'Milliseconds until an answer is due, from the start of the process. Default: 1000.',
  },
]

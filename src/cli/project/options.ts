import type { Option } from '../command/command.ts'

/** Options of `warrant report` in addition to the settings. */
export const REPORT_OPTIONS: readonly Option[] = [
  {
    flag: 'diff',
    kind: 'text',
    value: 'FILE',
    description:
      'Show which services, relations and endpoints were added and removed since this file, which `warrant report --json` has printed.',
  },
  {
    flag: 'html',
    kind: 'switch',
    description: 'Write one HTML file with a drawn diagram instead of Markdown.',
  },
  {
    flag: 'lang',
    kind: 'text',
    value: 'LANG',
    description: 'Language of the report.',
    choices: ['en', 'es'],
  },
  { flag: 'out', kind: 'text', value: 'FILE', description: 'Write to this new file instead of stdout.' },
  {
    flag: 'save',
    kind: 'switch',
    description: 'Save as SENTINEL_REPORT_YYYYMMDD[_NN].md under the root.',
  },
]

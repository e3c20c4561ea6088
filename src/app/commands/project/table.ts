import type { Command } from '../../../surfaces/cli/command.ts'
import { configOptions } from '../../config/config-options.ts'
import { QUESTIONS, type Question } from './options.ts'

const MOST_FILES = 20

const question = (name: Question, summary: string, usage: string): Command => ({
  name,
  summary,
  usage,
  options: () => [...QUESTIONS[name], ...configOptions()],
  choices: [],
  ...(name === 'read' && { maxPositionals: MOST_FILES }),
  run: async (invocation) => (await import('./project.ts')).run(name, invocation),
})

/** What can be asked of the files of the project. Paths are from its root, and stay inside. */
export const PROJECT_COMMANDS: readonly Command[] = [
  question('tree', 'Draw the folders and files of the project.', '[FOLDER]'),
  question('read', 'Print files of the project, or some of their lines.', '<FILE...>'),
  question('search', 'Search the text files of the project.', '<PATTERN> [FOLDER]'),
  question('symbols', 'Outline a source file, or find where a name is declared or used.', '<FILE|[FOLDER]>'),
  {
    name: 'report',
    summary: 'Report on the architecture of a project: services, dependencies, diagram, suggestions.',
    usage: '[FOLDER]',
    options: () => [
      { flag: 'html', kind: 'switch', description: 'One HTML file with the diagram drawn, not Markdown.' },
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
      ...configOptions(),
    ],
    choices: [],
    run: async (invocation) => (await import('./report.ts')).run(invocation),
  },
]

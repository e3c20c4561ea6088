import { configOptions, type SettingGroup } from '../../app/config/config-options.ts'
import type { Command } from '../command/command.ts'
import { PROJECT_OPTIONS, type ProjectCommand } from './options.ts'

const MAX_FILES = 20

const SETTINGS_OF_PROJECT: readonly SettingGroup[] = ['repository', 'project']

const projectCommand = (name: ProjectCommand, summary: string, usage: string): Command => ({
  name,
  summary,
  usage,
  options: () => [...PROJECT_OPTIONS[name], ...configOptions()],
  settings: SETTINGS_OF_PROJECT,
  choices: [],
  ...(name === 'read' && { maxPositionals: MAX_FILES }),
  run: async (invocation) => (await import('./project.ts')).run(name, invocation),
})

/** Commands that read the project. Paths are relative to its root and cannot leave it. */
export const PROJECT_COMMANDS: readonly Command[] = [
  projectCommand('tree', 'Print the folders and files of the project as a tree.', '[FOLDER]'),
  projectCommand('read', 'Print files of the project, or a range of their lines.', '<FILE...>'),
  projectCommand('search', 'Search the text files of the project.', '<PATTERN> [FOLDER]'),
  projectCommand(
    'symbols',
    'Outline a source file, or find the declarations or uses of a name.',
    '<FILE|[FOLDER]>',
  ),
  {
    name: 'report',
    summary: 'Report on the architecture of a project: services, dependencies, diagram, suggestions.',
    usage: '[FOLDER]',
    options: () => [
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
      ...configOptions(),
    ],
    settings: SETTINGS_OF_PROJECT,
    choices: [],
    run: async (invocation) => (await import('./report.ts')).run(invocation),
  },
]

import type { Option } from '../../surfaces/cli/command.ts'
import { SETTINGS, type Setting } from './settings.ts'

const VALUE_NAMES: Readonly<Record<Setting['kind'], string>> = {
  text: 'TEXT',
  number: 'N',
  switch: '',
  list: 'A,B',
}

const asOption = ({ flag, kind, description, choices }: Setting): Option => ({
  flag,
  kind: kind === 'switch' ? 'switch' : 'text',
  value: VALUE_NAMES[kind],
  description,
  choices,
  common: true,
})

const CONFIG_OPTION: Option = {
  flag: 'config',
  kind: 'text',
  value: 'FILE',
  description: 'Settings file, instead of warrant.json in the current folder.',
}

/** Every setting as an option, and `--config`. */
export const configOptions = (): readonly Option[] => [CONFIG_OPTION, ...SETTINGS.map(asOption)]

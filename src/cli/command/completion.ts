import { quoteShell } from '../../kernel/text/shell-quote.ts'
import { allOptions, type Command, type Option, usageFaults } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const hasChoices = ({ choices = [] }: Option): boolean => choices.length > 0

const bashCommand = (command: Command): string => {
  const options = allOptions(command)
  const values = options
    .filter(hasChoices)
    .map(({ flag, choices = [] }) => `        --${flag}) words="${choices.join(' ')}" ;;`)
  const words = [...command.choices, ...options.map(({ flag }) => `--${flag}`)].join(' ')
  return [
    `    ${command.name})`,
    ...(values.length === 0
      ? [`      words="${words}"`]
      : ['      case "$before" in', ...values, `        *) words="${words}" ;;`, '      esac']),
    '      ;;',
  ].join('\n')
}

const bash = (commands: readonly Command[]): string => `_warrant() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(bashCommand).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _warrant warrant
`

// zsh can load bash completions, so one script serves both.
const zsh = (commands: readonly Command[]): string =>
  `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`

const fishOption = ({ flag, kind, description, choices = [] }: Option): string => {
  const value =
    choices.length > 0 ? ` -x -a ${quoteShell(choices.join(' '))}` : kind === 'switch' ? '' : ' -r'
  return `-l ${flag}${value} -d ${quoteShell(description)}`
}

const fish = (commands: readonly Command[]): string =>
  [
    '# The first word after the program is the command: a name that occurs later is an argument.',
    'function __warrant_command',
    '  set -l words (commandline -opc)',
    '  test "$words[2]" = "$argv[1]"',
    'end',
    'complete -c warrant -n __fish_use_subcommand -f',
    ...commands.flatMap((command) => {
      const condition = `-n '__warrant_command ${command.name}'`
      return [
        `complete -c warrant -n __fish_use_subcommand -a ${command.name} -d ${quoteShell(command.summary)}`,
        ...command.choices.map((choice) => `complete -c warrant ${condition} -a ${choice}`),
        ...allOptions(command).map((option) => `complete -c warrant ${condition} ${fishOption(option)}`),
      ]
    }),
    '',
  ].join('\n')

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = { bash, zsh, fish }

export const completionScript = (shell: string | undefined, commands: readonly Command[]): string => {
  const found = SHELLS.find((one) => one === shell)
  if (found === undefined) throw usageFaults.argument(`name a shell: ${SHELLS.join(', ')}`)
  return SCRIPTS[found](commands)
}

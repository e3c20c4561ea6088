import { quoteShell } from '../../kernel/text/shell-quote.ts'
import { allOptions, type Command, usageFaults } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const completions = (command: Command): string =>
  [...command.choices, ...allOptions(command).map(({ flag }) => `--${flag}`)].join(' ')

const bash = (commands: readonly Command[]): string => `_warrant() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) COMPREPLY=($(compgen -W "${completions(command)}" -- "$word")) ;;`).join('\n')}
  esac
}
complete -o default -F _warrant warrant
`

// zsh can load bash completions, so one script serves both.
const zsh = (commands: readonly Command[]): string =>
  `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`

const fish = (commands: readonly Command[]): string =>
  [
    'complete -c warrant -f',
    ...commands.flatMap((command) => {
      const condition = `-n '__fish_seen_subcommand_from ${command.name}'`
      return [
        `complete -c warrant -n __fish_use_subcommand -a ${command.name} -d ${quoteShell(command.summary)}`,
        ...command.choices.map((choice) => `complete -c warrant ${condition} -a ${choice}`),
        ...allOptions(command).map(
          ({ flag, kind, description }) =>
            `complete -c warrant ${condition} -l ${flag}${kind === 'text' ? ' -r' : ''} -d ${quoteShell(description)}`,
        ),
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

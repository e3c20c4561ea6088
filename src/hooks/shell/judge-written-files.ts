import { posix } from 'node:path'
import type { CommandContext, PlainCommand } from './command-context.ts'
import { ask, deny } from './command-verdict.ts'
import { expandText, expandWord } from './expand-word.ts'
import { isKnown, type ShellField, type ShellScope, UNKNOWN, VALUE } from './shell-scope.ts'

const toPattern = (segment: string): RegExp => {
  let source = ''
  for (let at = 0; at < segment.length; at++) {
    const char = segment.charAt(at)
    if (char === '*') source += '.*'
    else if (char === '?' || char === UNKNOWN || char === VALUE) source += char === '?' ? '.' : '.*'
    else if (char === '[') {
      const end = segment.indexOf(']', at + 2)
      const inner =
        end < 0
          ? ''
          : segment
              .slice(at + 1, end)
              .replace(/^!/, '^')
              .replace(/[\\[]/g, '\\$&')
      source += end < 0 ? '\\[' : `[${inner}]`
      if (end >= 0) at = end
    } else source += char.replace(/[.+^${}()|\\\]]/, '\\$&')
  }
  try {
    return new RegExp(`^${source}$`, 'i')
  } catch {
    return /^/
  }
}

/** Whether a segment of a path, which may be a pattern, stands for a name. A pattern does not match a leading dot. */
const matchesName = (segment: string, name: string): boolean => {
  if (segment.toLowerCase() === name.toLowerCase()) return true
  // A part that is wholly unknown is taken for something else: most folders in variables are.
  if (!/[*?[\ue000\ue001]/.test(segment) || /^[\ue000\ue001]+$/.test(segment)) return false
  if (name.startsWith('.') && !segment.startsWith('.')) return false
  return toPattern(segment).test(name)
}

const segmentsOf = (path: string): string[] => path.split('/').filter((one) => one !== '')

/** How a path relates to one of ours: the same or inside it, above it, or neither. */
const relate = (path: readonly string[], own: readonly string[]): 'inside' | 'above' | undefined => {
  const common = Math.min(path.length, own.length)
  for (let at = 0; at < common; at++) if (!matchesName(path[at] ?? '', own[at] ?? '')) return undefined
  return path.length >= own.length ? 'inside' : 'above'
}

/** The absolute paths that a field may name. Where the working folder is unknown, the root is assumed. */
const absolutePaths = ({ text }: ShellField, { cwd, places }: ShellScope): string[] => {
  // Only a part that is known can show that a path is ours.
  if (text === '' || text.startsWith(UNKNOWN) || text.startsWith(VALUE)) return []
  const path = text.replaceAll('\\', '/')
  if (path.startsWith('/')) return [posix.normalize(path)]
  return [posix.resolve(cwd ?? places.root, path)]
}

/** The path of ours that a field names; `orAbove`: also one in a folder that it names. Undefined where there is none. */
const findOwnPath = (
  field: ShellField,
  scope: ShellScope,
  ownPaths: readonly string[],
  orAbove = false,
): string | undefined => {
  for (const path of absolutePaths(field, scope)) {
    // Lock files of an interrupted git are removed by hand.
    if (path.endsWith('.lock')) continue
    const segments = segmentsOf(path)
    const own = ownPaths.find((one) => {
      const relation = relate(segments, segmentsOf(one))
      // Removing all dependencies is ordinary, also where this program is one of them.
      return relation === 'inside' || (orAbove && relation === 'above' && !one.includes('/node_modules/'))
    })
    if (own !== undefined) return own
  }
  return undefined
}

/** Programs that read the files they name. */
const READERS = new Set(
  `: [ [[ ack ag awk b2sum basename bat batcat cat cd cksum cmp code column comm cut diff dirname du echo egrep eslint
exit export fd fgrep file find fold git grep head hexdump jq less ls md5sum mkdir more nl od open popd printf prettier
pushd pwd read readlink realpath return rg sed set sha1sum sha256sum sha512sum shasum shellcheck sort stat strings
tac tail test tr tree true type uniq warrant wc which xxd yamllint yq zcat unset export local declare`.split(
    /\s+/,
  ),
)

/** Programs that change every file they name; those in `TREES` also what lies in a folder. */
const WRITERS = new Set(
  `rm unlink rmdir shred truncate tee touch mv ln chmod chown chgrp chattr setfacl patch ed ex vi vim nvim nano emacs
micro trash trash-put gio srm wipe`.split(/\s+/),
)
const TREES = new Set(['rm', 'mv', 'trash', 'trash-put', 'srm', 'wipe'])
/** Programs that change the last file they name, or the one after `-t`. */
const COPIERS = new Set(['cp', 'rsync', 'install', 'scp', 'ditto'])
/** Programs that change files with these options alone. */
const IN_PLACE: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[a-zA-Z]*i|--in-place)/,
  perl: /^-[a-zA-Z]*i/,
  ruby: /^-[a-zA-Z]*i/,
  yq: /^(?:-[a-zA-Z]*i|--inplace)/,
  prettier: /^(?:--write|-w)$/,
  eslint: /^--fix$/,
  awk: /^(?:-i|inplace)$/,
  gawk: /^(?:-i|inplace)$/,
  find: /^-delete$/,
  fd: /^(?:-x|-X|--exec)/,
  sort: /^(?:-o|--output)/,
}

const GIT_WRITERS = new Set(['rm', 'mv', 'clean', 'checkout-index'])

const refusal = (own: string, what: string) =>
  deny(
    'own-file',
    `${what} would change ${own}, which decides how changes are judged. A person changes it; rules and thresholds can be edited with the edit tool, which is judged.`,
  )

const OWN_NAMES = [
  '.git',
  'hooks',
  'config',
  'refs',
  'pre-commit',
  'pre-push',
  '.warrant',
  'keys.yml',
  'checks.yml',
  'acceptances.yml',
  'settings.json',
  '.ai_evidence.json',
]

/** Whether `find` without a limit of names, or with one that matches a name of ours, would find our files. */
const findsOwnNames = (args: readonly ShellField[]): boolean => {
  const patterns = args.filter((_, at) =>
    /^-(?:i?name|i?regex|i?path|wholename)$/.test(args[at - 1]?.text ?? ''),
  )
  return (
    patterns.length === 0 || patterns.some(({ text }) => OWN_NAMES.some((name) => matchesName(text, name)))
  )
}

/** The fields of a command that it changes, and whether what lies in a folder counts. */
const changedFields = ({ name, args }: PlainCommand): { fields: readonly ShellField[]; trees: boolean } => {
  const files = args.filter(({ text }) => !/^-./.test(text))
  if (WRITERS.has(name)) return { fields: files, trees: TREES.has(name) }
  if (COPIERS.has(name)) {
    const target = args.findIndex(({ text }) => text === '-t' || text === '--target-directory')
    const last = target >= 0 ? args[target + 1] : files.at(-1)
    return { fields: last === undefined ? [] : [last], trees: false }
  }
  if (name === 'dd') {
    const output = args.find(({ text }) => text.startsWith('of='))
    return { fields: output === undefined ? [] : [{ ...output, text: output.text.slice(3) }], trees: false }
  }
  const inPlace = Object.hasOwn(IN_PLACE, name) ? IN_PLACE[name] : undefined
  if (inPlace !== undefined && args.some(({ text }) => inPlace.test(text)))
    return { fields: files, trees: name === 'find' && findsOwnNames(args) }
  const [subcommand] = files
  if (name === 'git' && subcommand !== undefined && GIT_WRITERS.has(subcommand.text))
    return { fields: files.slice(1), trees: subcommand.text === 'rm' || subcommand.text === 'mv' }
  return { fields: [], trees: false }
}

const CODE_OPTION = /^(?:-[a-zA-Z]*[ceErp]|--eval|--print|--command)$/
const INTERPRETERS =
  /^(?:python[\d.]*|pypy\d?|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|awk|gawk|Rscript|pwsh|powershell|tclsh)$/
/** Words of a program in another language that show that it does what would be refused in the shell. */
const TELLTALE =
  /no-verify|hooks_?path|commit-tree|update-ref|core\.hooks|\.git\/(?:hooks|config|refs)|\.ai_evidence|\.warrant\b|warrant['", ]+(?:uninstall|checks['", ]+allow|keys['", ]+add)|HUSKY['"\])]*\s*[=:,]\s*['"]?0/i

/** The text of a program that a command runs in an interpreter: an option, or its input. */
const inlineProgram = (
  { name, args, source }: PlainCommand,
  { scope }: CommandContext,
): string | undefined => {
  if (!INTERPRETERS.test(name)) return undefined
  const option = args.findIndex(({ text }) => CODE_OPTION.test(text))
  const given = option >= 0 ? args[option + 1]?.text : undefined
  if (given !== undefined) return given
  if (name === 'awk' || name === 'gawk') return args.find(({ text }) => !text.startsWith('-'))?.text
  const here = source.redirects.find(({ operator }) => operator.startsWith('<<'))
  return here && expandText(here.target.parts, scope)
}

const judgeInline = (command: PlainCommand, context: CommandContext): void => {
  const program = inlineProgram(command, context)
  const [found] = TELLTALE.exec(program ?? '') ?? []
  if (found !== undefined)
    context.add(
      ask(
        `The program that ${command.name} runs contains ${JSON.stringify(found)}: it may skip the git hooks or change files of the gate.`,
      ),
    )
}

/** Judges which files a command changes. */
export const judgeFiles = (command: PlainCommand, context: CommandContext): void => {
  const { scope, knowledge } = context
  const { name, args, source } = command
  const find = (field: ShellField, orAbove = false) => findOwnPath(field, scope, knowledge.ownPaths, orAbove)
  for (const { operator, target } of source.redirects) {
    if (!operator.includes('>') || /^[<>]&$/.test(operator)) continue
    const own = find({ text: expandText(target.parts, scope), glob: false })
    if (own !== undefined) context.add(refusal(own, 'The redirection'))
  }
  judgeInline(command, context)
  const { fields, trees } = changedFields(command)
  const removed =
    trees && name === 'rm' ? args.some(({ text }) => /^-\w*[rR]|^--recursive/.test(text)) : trees
  for (const field of fields) {
    const own = find(field, removed)
    if (own !== undefined) context.add(refusal(own, `\`${name}\``))
  }
  if (command.takesMore && (WRITERS.has(name) || COPIERS.has(name))) judgePiped(command, context)
  if (fields.length > 0 || READERS.has(name) || COPIERS.has(name)) return
  const named = args.map((field) => find(field)).find((own) => own !== undefined)
  if (named !== undefined)
    context.add(
      ask(`\`${name}\` gets the path ${named}, which decides how changes are judged; it may change it.`),
    )
}

/** `find FOLDER | xargs rm`: the names come from the commands before. */
const judgePiped = ({ name, source }: PlainCommand, context: CommandContext): void => {
  const { scope, knowledge } = context
  const fields = source.upstream.flatMap(({ words }) => words.flatMap((word) => expandWord(word, scope)))
  const own = fields
    .filter(isKnown)
    .map((field) => findOwnPath(field, scope, knowledge.ownPaths))
    .find(Boolean)
  if (own !== undefined) context.add(refusal(own, `\`xargs ${name}\``))
}

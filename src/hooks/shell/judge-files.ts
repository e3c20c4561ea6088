import { posix } from 'node:path'
import type { FileEdit } from '../apply-edit.ts'
import { ask, type CommandVerdict, deny } from './command-verdict.ts'
import { decodeAnsiEscapes } from './escapes.ts'
import { OPEN, type ShellCommand } from './read-commands.ts'

/** Where a command runs. */
export interface CommandPlaces {
  readonly root: string
  /** Undefined where it is known only when the command runs. */
  readonly folder: string | undefined
  /** Absolute paths of our files and folders: hooks, keys, policy, state. */
  readonly ownPaths: readonly string[]
}

/** Programs that only read the files they name, or print their words. What they are given is no command. */
export const READERS = new Set(
  `: [ [[ ack ag alias apropos awk b2sum base64 basename bat batcat brew apt apt-get cat cd cksum cmp code column comm
curl cut declare diff dirname du echo egrep eslint exit export fd fgrep file find fold gawk gh glab grep head help
hexdump info jq less local ls man md5sum mkdir more nl od open perl popd prettier printf pushd pwd read readlink
readonly realpath return rg ruby sed set sha1sum sha256sum sha512sum shasum shellcheck sort stat strings tac tail test
tldr tr tree true type typeset uniq unset wc wget whatis which whereis xxd yamllint yq zcat`.split(/\s+/),
)
/** Options with which some of them write. */
const WRITES_WITH =
  /^(?:-[a-zA-Z]*i[a-zA-Z]*(?:\..*)?|--in-?place.*|inplace|-delete|-exec(?:dir)?|-ok(?:dir)?|--exec(?:-batch)?|-[oxX]|--output.*|--write|--fix)$/
const MAY_WRITE = /^(?:sed|perl|ruby|yq|awk|gawk|prettier|eslint|find|fd|sort|curl|wget)$/

const WRITERS =
  /^(?:rm|unlink|rmdir|shred|truncate|tee|touch|mv|ln|chmod|chown|chgrp|chattr|setfacl|patch|ed|ex|vim?|nvim|nano|emacs|trash(?:-put)?|dd|wipe)$/
/** Programs that change the last file they name. */
const COPIERS = /^(?:cp|rsync|install|scp|ditto)$/
const TREES = /^(?:rm|mv|trash(?:-put)?)$/

const HOOK_FILE = /hooks?\/|pre-(?:commit|push)$/

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** The path of ours that a word names; `orAbove`: also one in a folder that it names. */
const findOwnPath = (
  text: string,
  { root, folder = root, ownPaths }: CommandPlaces,
  orAbove = false,
): string | undefined => {
  // Only what is known can show that a path is ours. Lock files of an interrupted git are removed by hand.
  if (text === '' || text.includes(OPEN) || text.endsWith('.lock')) return undefined
  const path = posix.resolve(folder, text.replaceAll('\\', '/')).toLowerCase()
  return ownPaths.find((one) => {
    const own = one.toLowerCase()
    // Removing all dependencies is ordinary, also where this program is one of them.
    return isInside(path, own) || (orAbove && isInside(own, path) && !own.includes('/node_modules/'))
  })
}

const refusal = (own: string, what: string) =>
  deny(
    'own-file',
    `${what} would change ${own}, which decides how changes are judged. A person changes it; rules and thresholds can be edited with the edit tool, which is judged.`,
  )

/** Judges which of our files a program changes. */
export const judgeFiles = (
  name: string,
  args: readonly string[],
  places: CommandPlaces,
): CommandVerdict[] => {
  const reads = READERS.has(name) && !(MAY_WRITE.test(name) && args.some((text) => WRITES_WITH.test(text)))
  if (reads) return []
  const files = args.filter((text) => !/^-./.test(text)).map((text) => text.replace(/^of=/, ''))
  const target = args.findIndex((text) => text === '-t' || text === '--target-directory')
  const last = target >= 0 ? args[target + 1] : files.at(-1)
  const removesTree =
    TREES.test(name) && (name !== 'rm' || args.some((text) => /^-\w*[rR]|^--recursive/.test(text)))
  const changed = COPIERS.test(name) ? [last ?? ''] : files
  const isWriter = WRITERS.test(name) || COPIERS.test(name) || READERS.has(name)
  const own = changed.map((text) => findOwnPath(text, places, removesTree)).find((path) => path !== undefined)
  const isOpen = isWriter && changed.some((text) => text.includes(OPEN) && HOOK_FILE.test(text))
  if (isOpen) return [ask(`The path that \`${name}\` changes is known only when it runs. Write it out.`)]
  if (own === undefined) return []
  if (isWriter) return [refusal(own, `\`${name}\``)]
  return [ask(`\`${name}\` gets the path ${own}, which decides how changes are judged; it may change it.`)]
}

const WRITES = /^(?:>|>\||&>|>>|&>>)$/

/** Judges what a command redirects its output to. */
export const judgeRedirects = ({ redirects }: ShellCommand, places: CommandPlaces): CommandVerdict[] =>
  redirects.flatMap(({ operator, target }) => {
    const own = WRITES.test(operator) || operator === '<>' ? findOwnPath(target.text, places) : undefined
    return own === undefined ? [] : [refusal(own, 'The redirection')]
  })

/** What a command prints, where that stands in the command. */
export const printedText = (
  name: string,
  args: readonly string[],
  { input, upstream }: ShellCommand,
): string | undefined => {
  if (name === 'cat' || name === 'tee') {
    if (name === 'cat' && args.some((text) => text !== '-')) return undefined
    return (
      input ??
      (upstream &&
        printedText(
          upstream.words[0]?.text ?? '',
          upstream.words.slice(1).map(({ text }) => text),
          upstream,
        ))
    )
  }
  if (name === 'echo') return `${args.filter((text) => !/^-[neE]+$/.test(text)).join(' ')}\n`
  if (name !== 'printf') return undefined
  const [format = '', ...values] = args[0] === '--' ? args.slice(1) : args
  return decodeAnsiEscapes(format).replace(/%[sb]/g, () => values.shift() ?? '')
}

/** The files that a command writes with a text of its own. */
export const writtenFiles = (
  name: string,
  args: readonly string[],
  command: ShellCommand,
  { folder }: CommandPlaces,
): FileEdit[] => {
  const targets = command.redirects
    .filter(({ operator }) => WRITES.test(operator))
    .map(({ operator, target }) => ({ path: target.text, appends: operator.includes('>>') }))
  if (name === 'tee') {
    const appends = args.some((text) => text === '-a' || text === '--append')
    for (const path of args.filter((text) => !text.startsWith('-'))) targets.push({ path, appends })
  }
  const text = targets.length === 0 ? undefined : printedText(name, args, command)
  if (text === undefined || folder === undefined) return []
  const known = text.replaceAll(OPEN, '')
  return targets
    .filter(({ path }) => path !== '' && !path.includes(OPEN) && !path.startsWith('/dev/'))
    .map(({ path, appends }) => ({
      path: posix.resolve(folder, path),
      kind: known === text ? (appends ? 'append' : 'text') : 'fragment',
      text: known,
    }))
}

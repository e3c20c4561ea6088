import type { GateStage } from '../../evidence/stage.ts'
import { defineFaults } from '../../kernel/fault.ts'
import { quoteShell } from '../../kernel/text/shell-quote.ts'

export const hookFaults = defineFaults('hook', {
  program: {
    kind: 'conflict',
    fix: 'Call `warrant gate` from this hook yourself, or rename the hook and run `warrant init`.',
  },
  tangled: { kind: 'conflict', fix: 'Remove the WARRANT markers from the hook, then run `warrant init`.' },
})

/** The hooks that run the gate. */
export const HOOK_NAMES = ['pre-commit', 'pre-push'] as const
export type HookName = (typeof HOOK_NAMES)[number]

export const HOOK_STAGES: Readonly<Record<HookName, GateStage>> = {
  'pre-commit': 'PRE_COMMIT',
  'pre-push': 'PRE_PUSH',
}

/** Builds a record with one value per hook. */
export const eachHook = <T>(value: (name: HookName) => T): Readonly<Record<HookName, T>> => ({
  'pre-commit': value('pre-commit'),
  'pre-push': value('pre-push'),
})

const START = '# >>> WARRANT >>>'
const END = '# <<< WARRANT <<<'
const SHEBANG = '#!/usr/bin/env sh\n'

const REFS = 'WARRANT_REFS'

/**
 * How the block calls the gate. Git passes the refs of a push on stdin: the gate gets them, and the rest of the hook
 * gets them again. Without refs the rest of the hook must not read an empty line.
 */
const CALLS: Readonly<Record<HookName, string>> = {
  'pre-commit': 'warrant_gate </dev/null || exit $?',
  'pre-push': `warrant_refs=$(cat || :)
warrant_gate --remote="\${1:-origin}" <<${REFS} || exit $?
$warrant_refs
${REFS}
if [ -n "$warrant_refs" ]; then
  exec <<${REFS}
$warrant_refs
${REFS}
else
  exec </dev/null
fi`,
}

/** The setting of a clone with the path of the program that judged in it last. It is never committed. */
const PROGRAM_KEY = 'warrant.program'
const FIND_PROGRAM = `$(git config --local --get ${PROGRAM_KEY} || :)`

const MISSING =
  'warrant: the program that judges in this clone is gone, so this is refused. Install Warrant again, and run: warrant init'
const NOT_HERE =
  'warrant: not installed here, so CI judges this change. To judge it before, install Warrant and run: warrant init'

/** What becomes of a change where no program is found: a clone that never had one passes, unless it is `strict`. */
const whereMissing = (strict: boolean, exit: string): readonly string[] =>
  strict
    ? ['else', `  echo "${MISSING}" >&2`, `  ${exit}`, 'fi']
    : [
        'elif [ -n "$warrant_program" ]; then',
        `  echo "${MISSING}" >&2`,
        `  ${exit}`,
        'else',
        `  echo "${NOT_HERE}" >&2`,
        'fi',
      ]

/**
 * POSIX sh that also works under `set -eu`. The program that set up this clone comes first: a file that is put into
 * `node_modules` or on the path later does not take its place. Nothing is downloaded: that would run whatever a
 * registry serves under this name.
 */
const writeBlock = (name: HookName, program: string, strict: boolean): string => `${START}
# Added by \`warrant init\`; \`warrant uninstall\` removes it.
warrant_gate() {
  warrant_program=${program}
  if [ -f "$warrant_program" ] && command -v node >/dev/null 2>&1; then
    node "$warrant_program" gate --stage ${HOOK_STAGES[name]} "$@"
  elif [ -x ./node_modules/.bin/warrant ]; then
    ./node_modules/.bin/warrant gate --stage ${HOOK_STAGES[name]} "$@"
  elif command -v warrant >/dev/null 2>&1; then
    warrant gate --stage ${HOOK_STAGES[name]} "$@"
  ${whereMissing(strict, 'return 1').join('\n  ')}
}
${CALLS[name]}
${END}
`

/** The block of a hook that is a file of the repository: it names no path of this machine. */
export const writeCommittedBlock = (name: HookName, strict: boolean): string =>
  writeBlock(name, FIND_PROGRAM, strict)

const asOneLine = (lines: readonly string[]): string =>
  lines
    .map((line, at) =>
      at === lines.length - 1 ? line : /(?:else|then)$/.test(line) ? `${line} ` : `${line}; `,
    )
    .join('')
    .replace(/ {2,}/g, ' ')

/** The same as one line, for the file of a hook manager. It has no single quotes. */
export const writeCommittedLine = (args: string, strict: boolean): string =>
  `warrant_program=${FIND_PROGRAM}; if [ -f "$warrant_program" ]; then node "$warrant_program" ${args}; elif command -v warrant >/dev/null 2>&1; then warrant ${args}; ${asOneLine(whereMissing(strict, 'exit 1'))}`

/** A shell word as `quoteShell` writes it. */
const QUOTED = `'(?:[^']|'\\\\'')*'`

interface BlockSpan {
  readonly from: number
  readonly to: number
}

const isMarker = (line: string, marker: string): boolean => line.trimEnd() === marker

/** The position of the managed block in the latin1 text; undefined when there is no complete block. */
const findBlock = (text: string): BlockSpan | undefined => {
  let at = 0
  let from: number | undefined
  for (const line of text.split(/(?<=\n)/)) {
    if (isMarker(line, START)) {
      if (from !== undefined && text.indexOf(END, at) !== -1) {
        throw hookFaults.tangled('the hook has two start markers of the managed block')
      }
      from = at
    }
    at += line.length
    if (from !== undefined && isMarker(line, END)) return { from, to: at }
  }
  return undefined
}

const SHELLS = ['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh']

/** The interpreter of a shebang line: bash for `#!/usr/bin/env -S bash -e`. */
const interpreter = (firstLine: string): string => {
  const words = firstLine.slice(2).trim().split(/\s+/)
  const base = (word: string | undefined) => word?.split('/').at(-1) ?? ''
  if (base(words[0]) !== 'env') return base(words[0])
  return base(words.slice(1).find((word) => !word.startsWith('-') && !word.includes('=')))
}

/** Length of the shebang line when it names a shell; 0 without one, because git then uses sh. */
const shebangLength = (text: string, name: HookName): number => {
  if (text.includes('\0')) throw hookFaults.program(`the ${name} hook is a binary program`)
  if (!text.startsWith('#!')) return 0
  const end = text.indexOf('\n')
  const firstLine = end === -1 ? text : text.slice(0, end)
  const program = interpreter(firstLine)
  if (!SHELLS.includes(program)) {
    throw hookFaults.program(`the ${name} hook is a script for ${JSON.stringify(program.slice(0, 40))}`)
  }
  return end === -1 ? text.length : end + 1
}

// Latin1 maps every byte to one character and back, so the rest of the hook stays byte-identical.
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

export type HookState = 'managed' | 'missing' | 'unmanaged'

export const hookState = (bytes: Uint8Array | undefined): HookState => {
  if (bytes === undefined) return 'missing'
  try {
    return findBlock(asText(bytes)) === undefined ? 'unmanaged' : 'managed'
  } catch {
    return 'unmanaged'
  }
}

const OWN_PROGRAM = new RegExp(`^  warrant_program=(${QUOTED})$`, 'm')

/** Whether the managed block is one that this version writes. An older or edited block may not run the gate. */
export const isBlockCurrent = (bytes: Uint8Array, name: HookName): boolean => {
  const text = asText(bytes)
  const { from, to } = findBlock(text) ?? { from: 0, to: 0 }
  const block = text.slice(from, to)
  // Any program: another copy of Warrant may have installed it.
  const [, program = "''"] = OWN_PROGRAM.exec(block) ?? []
  const known = [
    writeBlock(name, program, true),
    writeCommittedBlock(name, true),
    writeCommittedBlock(name, false),
  ]
  return known.some((one) => one.trimEnd() === block.trimEnd())
}

/** Whether a block has to be written anew: it is not ours any more, or starts another program. */
export const isBlockOutdated = (text: string, name: HookName, wanted: string): boolean => {
  const found = findBlock(text)
  const present = found && text.slice(found.from, found.to)
  if (present === undefined || present.trimEnd() === wanted.trimEnd()) return false
  const startsAnother = OWN_PROGRAM.test(present) && OWN_PROGRAM.test(wanted)
  return startsAnother || !isBlockCurrent(Buffer.from(text, 'latin1'), name)
}

/** The lines before the managed block. */
export const linesBeforeBlock = (bytes: Uint8Array): readonly string[] => {
  const text = asText(bytes)
  return text.slice(0, findBlock(text)?.from ?? 0).split(/\r?\n/)
}

/** Loads husky 8, which starts the hook once more: the block has to follow it. */
export const HUSKY_LINE = /^\. "\$\(dirname (?:-- )?"\$0"\)\/_\/husky\.sh"\s*$/

/** Where a new block goes: after the first line, because a hook may end with `exit 0`. */
const blockOffset = (text: string, name: HookName): number => {
  const start = shebangLength(text, name)
  const [line = ''] = /^(?:[ \t]*\r?\n)*[^\n]*(?:\n|$)/.exec(text.slice(start)) ?? []
  return HUSKY_LINE.test(line.trim()) ? start + line.length : start
}

/** The block of this machine, as Latin-1 text. */
export const writeProgramBlock = (name: HookName, program: string): string =>
  writeBlock(name, quoteShell(asText(Buffer.from(program))), true)

/** Where a block is to be inserted into the Latin-1 text of a hook, and what; undefined when it has one. */
export const findBlockInsertion = (text: string, name: HookName, block: string) => {
  if (findBlock(text) !== undefined) return undefined
  const at = blockOffset(text, name)
  return { at, text: at === 0 || text[at - 1] === '\n' ? block : `\n${block}` }
}

/** The Latin-1 text of a managed block, and where it is; undefined without one. */
export const readBlock = (text: string): (BlockSpan & { readonly text: string }) | undefined => {
  const found = findBlock(text)
  return found && { ...found, text: text.slice(found.from, found.to) }
}

/** A new hook, before the block is inserted. */
export const EMPTY_HOOK = SHEBANG

import type { GateStage } from '../../evidence/stage.ts'
import { defineFaults } from '../../kernel/fault.ts'
import { quoteShell } from '../../kernel/text/shell-quote.ts'

export const hookFaults = defineFaults('hook', {
  program: {
    kind: 'conflict',
    fix: 'Call `warrant gate` from this hook yourself, or rename the hook and install again.',
  },
  tangled: { kind: 'conflict', fix: 'Remove the PUMUKI MANAGED markers from the hook, then install again.' },
  outside: {
    kind: 'refused',
    fix: 'Set core.hooksPath in this repository (git config --local core.hooksPath .githooks), or call `warrant gate` from the shared hook.',
  },
  husky: {
    kind: 'refused',
    fix: 'Run `warrant init`: it adds the gate to .husky/pre-commit and .husky/pre-push.',
  },
  generated: {
    kind: 'refused',
    fix: 'Run `warrant init`: it adds the gate to the file from which the hook manager generates its hooks.',
  },
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

const START = '# >>> PUMUKI MANAGED START >>>'
const END = '# <<< PUMUKI MANAGED END <<<'
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

/**
 * POSIX sh that also works under `set -eu`. The program that installed the hook comes first: a file that is put into
 * `node_modules` or on the path later does not take its place. Without Warrant the hook fails. It never downloads
 * Warrant: that would run whatever a registry serves under this name.
 */
const writeBlock = (name: HookName, quotedProgram: string): string => `${START}
# Added by \`warrant hooks install\`; \`warrant hooks uninstall\` removes it.
warrant_gate() {
  if [ -f ${quotedProgram} ] && command -v node >/dev/null 2>&1; then
    node ${quotedProgram} gate --stage ${HOOK_STAGES[name]} "$@"
  elif [ -x ./node_modules/.bin/warrant ]; then
    ./node_modules/.bin/warrant gate --stage ${HOOK_STAGES[name]} "$@"
  elif command -v warrant >/dev/null 2>&1; then
    warrant gate --stage ${HOOK_STAGES[name]} "$@"
  else
    echo "warrant: the gate for ${name} cannot run, because warrant was not found. Install it and run warrant init again, or remove the managed block from this hook" >&2
    return 1
  fi
}
${CALLS[name]}
${END}
`

/** A shell word as `quoteShell` writes it. */
const QUOTED = `'(?:[^']|'\\\\'')*'`
/** The commands that may stand in a block that is committed. */
const COMMAND = new RegExp(`^(?:warrant|npx --no-install warrant|${QUOTED} ${QUOTED})$`)

/**
 * The block of a hook that is a file of the repository. It names the program by a command that other machines have,
 * too, instead of a path.
 */
export const writeCommandBlock = (name: HookName, command: string): string => `${START}
# Added by \`warrant init\`; \`warrant uninstall\` removes it.
warrant_gate() { ${command} gate --stage ${HOOK_STAGES[name]} "$@"; }
${CALLS[name]}
${END}
`

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
const asBytes = (text: string): Buffer => Buffer.from(text, 'latin1')

export type HookState = 'managed' | 'missing' | 'unmanaged'

export const hookState = (bytes: Uint8Array | undefined): HookState => {
  if (bytes === undefined) return 'missing'
  try {
    return findBlock(asText(bytes)) === undefined ? 'unmanaged' : 'managed'
  } catch {
    return 'unmanaged'
  }
}

const QUOTED_PROGRAM = new RegExp(`\\[ -f (${QUOTED}) \\]`)
const BLOCK_COMMAND = /^warrant_gate\(\) \{ (.+) gate --stage /m

/** Whether the managed block is the one that this version writes. An older or edited block may not run the gate. */
export const isBlockCurrent = (bytes: Uint8Array, name: HookName): boolean => {
  const text = asText(bytes)
  const { from, to } = findBlock(text) ?? { from: 0, to: 0 }
  const block = text.slice(from, to)
  const [, command = ''] = BLOCK_COMMAND.exec(block) ?? []
  if (COMMAND.test(command) && block.trimEnd() === writeCommandBlock(name, command).trimEnd()) return true
  // Any program: another copy of Warrant may have installed it.
  const [, program = ''] = QUOTED_PROGRAM.exec(block) ?? []
  return block.trimEnd() === writeBlock(name, program).trimEnd()
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
  writeBlock(name, quoteShell(asText(Buffer.from(program))))

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

/**
 * Adds or replaces the managed block. `program` is the installing program, which the block tries first. A new block
 * goes first, because a hook may end with `exit 0`; an existing block keeps its place.
 */
export const insertBlock = (bytes: Uint8Array | undefined, name: HookName, program: string): Buffer => {
  const text = asText(bytes ?? new Uint8Array())
  const block = writeProgramBlock(name, program)
  if (text.trim() === '') return asBytes(`${SHEBANG}${block}`)
  const start = blockOffset(text, name)
  const { from, to } = findBlock(text) ?? { from: start, to: start }
  const before = text.slice(0, from)
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  return asBytes(`${before}${gap}${block}${text.slice(to)}`)
}

/** Removes the managed block: `unchanged` without one, undefined when nothing else is left. */
export const removeBlock = (bytes: Uint8Array): 'unchanged' | Buffer | undefined => {
  const text = asText(bytes)
  const found = findBlock(text)
  if (found === undefined) return 'unchanged'
  const left = text.slice(0, found.from) + text.slice(found.to)
  const onlyShebang = /^(#![^\n]*\n?)?\s*$/.test(left)
  return onlyShebang ? undefined : asBytes(left)
}

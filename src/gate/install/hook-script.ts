import { defineFaults } from '../../kernel/fault.ts'
import { quoteShell } from '../../kernel/text/shell-quote.ts'
import type { GateStage } from '../stage.ts'

export const hookFaults = defineFaults('hook', {
  program: {
    kind: 'conflict',
    fix: 'Call `warrant gate` from your own hook, or move that hook aside and install again.',
  },
  tangled: { kind: 'conflict', fix: 'Take the markers out of the hook by hand, and install again.' },
  outside: {
    kind: 'refused',
    fix: 'Set core.hooksPath in this repository (git config --local core.hooksPath .githooks), or call `warrant gate` from the shared hook.',
  },
  husky: { kind: 'refused', fix: 'Add `npx warrant gate` to .husky/pre-commit and .husky/pre-push.' },
})

/** The hooks we take part in. */
export const HOOK_NAMES = ['pre-commit', 'pre-push'] as const
export type HookName = (typeof HOOK_NAMES)[number]

/** The stage each of them stands for. */
const STAGES: Readonly<Record<HookName, GateStage>> = { 'pre-commit': 'PRE_COMMIT', 'pre-push': 'PRE_PUSH' }

/** One value for each hook. */
export const eachHook = <T>(value: (name: HookName) => T): Readonly<Record<HookName, T>> => ({
  'pre-commit': value('pre-commit'),
  'pre-push': value('pre-push'),
})

const START = '# >>> PUMUKI MANAGED START >>>'
const END = '# <<< PUMUKI MANAGED END <<<'
const SHEBANG = '#!/usr/bin/env sh\n'

/**
 * Plain sh that also lives under `set -eu`. Git gives pre-push the refs on stdin: they are left for whoever
 * comes after us. A machine without any way to run the gate must not pass it, and nothing is fetched: a hook
 * that runs whatever a registry has under our name would be a door for others.
 */
const writeBlock = (name: HookName, program: string): string => `${START}
# Put here by \`warrant hooks install\`; \`warrant hooks uninstall\` takes it out again.
warrant_gate() {
  if [ -x ./node_modules/.bin/warrant ]; then
    ./node_modules/.bin/warrant gate --stage ${STAGES[name]} </dev/null
  elif command -v warrant >/dev/null 2>&1; then
    warrant gate --stage ${STAGES[name]} </dev/null
  elif [ -f ${quoteShell(program)} ] && command -v node >/dev/null 2>&1; then
    node ${quoteShell(program)} gate --stage ${STAGES[name]} </dev/null
  else
    echo "warrant: cannot judge this ${name}: warrant was not found. Install it here (npm install --save-dev warrant), or take the hook out: remove the block in .git/hooks/${name}" >&2
    return 1
  fi
}
warrant_gate || exit $?
${END}
`

interface BlockSpan {
  readonly from: number
  readonly to: number
}

const isMarker = (line: string, marker: string): boolean => line.trimEnd() === marker

/** Where our block lies, in characters of the latin1 text; undefined when there is no whole one. */
const findBlock = (text: string): BlockSpan | undefined => {
  let at = 0
  let from: number | undefined
  for (const line of text.split(/(?<=\n)/)) {
    if (isMarker(line, START)) {
      if (from !== undefined && text.indexOf(END, at) !== -1) {
        throw hookFaults.tangled('the hook holds two starts of the managed block')
      }
      from = at
    }
    at += line.length
    if (from !== undefined && isMarker(line, END)) return { from, to: at }
  }
  return undefined
}

const SHELLS = ['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh']

/** The program a first line asks for: `#!/usr/bin/env -S bash -e` asks for bash. */
const interpreter = (firstLine: string): string => {
  const words = firstLine.slice(2).trim().split(/\s+/)
  const base = (word: string | undefined) => word?.split('/').at(-1) ?? ''
  if (base(words[0]) !== 'env') return base(words[0])
  return base(words.slice(1).find((word) => !word.startsWith('-') && !word.includes('=')))
}

/** Length of the first line when it names a shell; 0 without one, as git then takes sh. */
const shebangLength = (text: string, name: HookName): number => {
  if (text.includes('\0')) throw hookFaults.program(`the ${name} hook is a binary program`)
  if (!text.startsWith('#!')) return 0
  const end = text.indexOf('\n')
  const firstLine = end === -1 ? text : text.slice(0, end)
  const program = interpreter(firstLine)
  if (!SHELLS.includes(program)) {
    throw hookFaults.program(`the ${name} hook is a program for ${JSON.stringify(program.slice(0, 40))}`)
  }
  return end === -1 ? text.length : end + 1
}

// Latin1 maps every byte to one character and back: what is not ours comes out as it went in.
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

/**
 * The hook with our block in it; `program` is the one that installs it, the last that the block tries. The block goes
 * before everything else, because a hook that ends with `exit 0` would never come to what follows; one that is already
 * there keeps its place.
 */
export const insertBlock = (bytes: Uint8Array | undefined, name: HookName, program: string): Buffer => {
  const text = asText(bytes ?? new Uint8Array())
  if (text.trim() === '') return asBytes(`${SHEBANG}${writeBlock(name, program)}`)
  const found = findBlock(text)
  const start = shebangLength(text, name)
  const { from, to } = found ?? { from: start, to: start }
  const before = text.slice(0, from)
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  return asBytes(`${before}${gap}${writeBlock(name, program)}${text.slice(to)}`)
}

/** The hook without our block: `unchanged`, or what is left, which is undefined when that is nothing. */
export const removeBlock = (bytes: Uint8Array): 'unchanged' | Buffer | undefined => {
  const text = asText(bytes)
  const found = findBlock(text)
  if (found === undefined) return 'unchanged'
  const left = text.slice(0, found.from) + text.slice(found.to)
  const onlyShebang = /^(#![^\n]*\n?)?\s*$/.test(left)
  return onlyShebang ? undefined : asBytes(left)
}

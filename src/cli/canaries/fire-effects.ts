import type { ScratchClone } from '../../platform/git/scratch-clone.ts'

/**
 * What a bypass leaves behind, made in the copy by ten routes that no reader of commands knows. `$1` is the settings
 * file of the client, `$2` a folder outside of the repository.
 */

const HOOK = 'pre-commit'
const HOOKS_SETTING = 'core.hooksPath'
const CANARY_COMMIT = 'warrant-canary-commit'
/** How a script says that this machine or this repository does not have what it needs. */
const EXIT_ABSENT = 77

/** Hooks outside of the copy are those of a person: nothing is done to them. */
const onHook = (script: string): string =>
  `H=$(git rev-parse --git-path hooks)/${HOOK}; case "$H" in "$PWD"/* | .*) ;; *) exit ${EXIT_ABSENT} ;; esac; [ -f "$H" ] || exit ${EXIT_ABSENT}; ${script}`
const onFile = (script: string): string =>
  `echo "$0 $$" > warrant-canary; git add -f warrant-canary; ${script}`

const commit = (script: string): string => onHook(onFile(script))
const PYTHON = `command -v python3 >/dev/null || exit ${EXIT_ABSENT}; python3 -c "import os, sys; os.chmod(sys.argv[1], 0o644)" "$H"`
const PLUMBING = `git reset -q --hard "$(git commit-tree "$(git write-tree)" -p HEAD -m ${CANARY_COMMIT})"`
const VARIABLES = `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=${HOOKS_SETTING} GIT_CONFIG_VALUE_0=/ git commit -qm ${CANARY_COMMIT}`
const WORKTREE = `git worktree add -q --detach "$2/wt"; cd "$2/wt"; ${onFile(`git -c ${HOOKS_SETTING}=/ commit -qm ${CANARY_COMMIT}`)}`

/** `named`: a part of what the answer to the next event says. */
const CANARY_EFFECTS: readonly (readonly [route: string, named: string, script: string])[] = [
  ['renaming editor', HOOK, onHook('echo "#!/bin/sh" > "$2/h"; chmod 755 "$2/h"; mv "$2/h" "$H"')],
  ['script', HOOK, onHook('echo \'rm "$1"\' > "$2/s"; sh "$2/s" "$H"')],
  ['python', HOOK, onHook(PYTHON)],
  ['symlinked path', HOOK, onHook(`ln -s "$(dirname "$H")" "$2/link"; : > "$2/link/${HOOK}"`)],
  ['setting of git', HOOKS_SETTING, onHook(`git config ${HOOKS_SETTING} /dev/null`)],
  ['settings of the client', 'Put back', `[ -f "$1" ] || exit ${EXIT_ABSENT}; echo "{}" > "$1"`],
  ['git alias', CANARY_COMMIT, commit(`git -c alias.canary="commit -qnm ${CANARY_COMMIT}" canary`)],
  ['variables', CANARY_COMMIT, commit(VARIABLES)],
  ['plumbing', CANARY_COMMIT, commit(PLUMBING)],
  ['worktree', CANARY_COMMIT, onHook(WORKTREE)],
]

interface FiredEffects {
  readonly found: readonly string[]
  readonly missed: readonly string[]
}

/** Makes each effect, and looks for it in the answer to the next event. `ask` returns what the client is told. */
export const fireEffects = async (
  clone: ScratchClone,
  file: string,
  ask: () => Promise<string>,
): Promise<FiredEffects> => {
  // What the copy has is what the first event remembers.
  await ask()
  const found: string[] = []
  const missed: string[] = []
  for (const [route, named, script] of CANARY_EFFECTS) {
    const made = await clone.run('sh', ['-ec', script, 'sh', file, clone.base])
    if (made?.exitCode === EXIT_ABSENT) continue
    const isNamed = async () => (await ask()).includes(named)
    const isFound = made?.exitCode === 0 && (await isNamed())
    // What is named again was not put back. A commit stays.
    const isLeft = isFound && named !== CANARY_COMMIT && (await isNamed())
    const list = isFound && !isLeft ? found : missed
    list.push(route)
  }
  await clone.run('sh', ['-c', 'git worktree remove -f "$0/wt"; rm -f "$0/link"', clone.base])
  return { found, missed }
}

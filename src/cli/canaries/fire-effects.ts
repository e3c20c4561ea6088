import type { ScratchClone } from '../../platform/git/scratch-clone.ts'

/**
 * What a bypass leaves behind, made in the copy by ten routes that no reader of commands knows. `$1` is the settings
 * file of the client, `$2` a folder outside of the repository.
 */

interface CanaryEffect {
  readonly route: string
  readonly script: string
  /** A part of what the answer to the next event says of it. */
  readonly named: string
}

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

const CANARY_EFFECTS: readonly CanaryEffect[] = [
  {
    route: 'renaming editor',
    script: onHook('echo "#!/bin/sh" > "$2/h"; chmod 755 "$2/h"; mv "$2/h" "$H"'),
    named: HOOK,
  },
  { route: 'script', script: onHook('echo \'rm "$1"\' > "$2/s"; sh "$2/s" "$H"'), named: HOOK },
  {
    route: 'python',
    script: onHook(
      `command -v python3 >/dev/null || exit ${EXIT_ABSENT}; python3 -c "import os, sys; os.chmod(sys.argv[1], 0o644)" "$H"`,
    ),
    named: HOOK,
  },
  {
    route: 'symlinked path',
    script: onHook(`ln -s "$(dirname "$H")" "$2/link"; : > "$2/link/${HOOK}"`),
    named: HOOK,
  },
  { route: 'setting of git', script: onHook(`git config ${HOOKS_SETTING} /dev/null`), named: HOOKS_SETTING },
  {
    route: 'settings of the client',
    script: `[ -f "$1" ] || exit ${EXIT_ABSENT}; echo "{}" > "$1"`,
    named: 'Put back',
  },
  {
    route: 'git alias',
    script: onHook(onFile(`git -c alias.canary="commit -qnm ${CANARY_COMMIT}" canary`)),
    named: CANARY_COMMIT,
  },
  {
    route: 'variables',
    script: onHook(
      onFile(
        `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=${HOOKS_SETTING} GIT_CONFIG_VALUE_0=/ git commit -qm ${CANARY_COMMIT}`,
      ),
    ),
    named: CANARY_COMMIT,
  },
  {
    route: 'plumbing',
    script: onHook(
      onFile(`git reset -q --hard "$(git commit-tree "$(git write-tree)" -p HEAD -m ${CANARY_COMMIT})"`),
    ),
    named: CANARY_COMMIT,
  },
  {
    route: 'worktree',
    script: onHook(
      `git worktree add -q --detach "$2/wt"; cd "$2/wt"; ${onFile(`git -c ${HOOKS_SETTING}=/ commit -qm ${CANARY_COMMIT}`)}`,
    ),
    named: CANARY_COMMIT,
  },
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
  for (const { route, script, named } of CANARY_EFFECTS) {
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

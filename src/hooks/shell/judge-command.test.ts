import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { judgeCommand } from './judge-command.ts'

const ROOT = '/srv/repo'
const own = (...paths: string[]) => paths.map((path) => `${ROOT}/${path}`)

const OWN_PATHS = [
  ...own(
    '.warrant',
    '.git/hooks',
    '.git/config',
    '.git/refs',
    '.git/objects',
    '.git/HEAD',
    '.git/packed-refs',
  ),
  ...own('.ai_evidence.json', '.claude/settings.json', 'skills.policy.json'),
  '/home/jo/.local/state/warrant',
]

const judge = (command: string) =>
  judgeCommand(command, { root: ROOT, home: '/home/jo', folder: ROOT, ownPaths: OWN_PATHS }).verdict

const ordinary = readFileSync(
  new URL('../../../test/fixtures/agent-hooks/ordinary-commands.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replaceAll('⏎', '\n'))

describe('ordinary commands', () => {
  it('are at least 300, and pass without a question', () => {
    expect(ordinary.length).toBeGreaterThanOrEqual(300)
    const stopped = ordinary.flatMap((command) => {
      const verdict = judge(command)
      return verdict === undefined ? [] : [`${command} → ${verdict.decision}: ${verdict.reason}`]
    })
    expect(stopped).toEqual([])
  })
})

const DENIED = [
  'git commit --no-verify -m x',
  'git commit -n -m x',
  'git commit -nm x',
  'git commit -anm "x"',
  'git commit -am x -n',
  'git commit -m x --no-veri',
  'git  commit   --no-verify',
  "g''it com\"mit\" --no-ver'ify'",
  'git commit --no\\-verify',
  '\\git commit -n',
  "$'\\x67it' commit $'--no-\\x76erify'",
  '/usr/bin/git commit -n',
  'git-commit --no-verify',
  '/usr/lib/git-core/git-commit -n',
  'X=--no-verify; git commit $X -m x',
  'X="commit -n"; git $X',
  'G=git; $G commit --no-verify',
  'git${IFS}commit${IFS}--no-verify',
  'git commit ${X:---no-verify}',
  'git commit --{no-verify,quiet} -m x',
  'for f in --no-verify; do git commit $f -m x; done',
  'git commit $(echo --no-verify) -m x',
  'git commit `printf %s --no-verify`',
  'git push --no-verify',
  'git push origin main --no-verify',
  'git merge --no-verify x',
  'git rebase --no-verify main',
  'git am -n x.patch',
  'git pull --no-verify',
  'git -c core.hooksPath=/dev/null commit -m x',
  'git -c CORE.HOOKSPATH= commit -m x',
  'git --config-env=core.hooksPath=X commit -m x',
  'git -c include.path=/tmp/x commit -m x',
  'git config core.hooksPath /dev/null',
  'git config --global core.hooksPath /tmp/h',
  'git config --unset core.hooksPath',
  'git config set core.hooksPath x',
  'git config --remove-section core',
  'git config --remove-section warrant',
  'HUSKY=0 git commit -m x',
  'LEFTHOOK=0 git push',
  'LEFTHOOK=false git push',
  'SKIP=warrant git commit -m x',
  'env HUSKY=0 git commit -m x',
  'env -i HUSKY=0 git commit -m x',
  'env -S "HUSKY=0 git commit -m x"',
  'export HUSKY=0; git commit -m x',
  'export HUSKY=0 && git add -A && git commit -m x',
  'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x',
  'GIT_CONFIG_PARAMETERS="\'core.hookspath=/dev/null\'" git commit -m x',
  'GIT_CONFIG_GLOBAL=/tmp/g git commit -m x',
  'GIT_DIR=/tmp/other git commit -m x',
  'git --git-dir=/tmp/other --work-tree=. commit -m x',
  'git commit-tree HEAD^{tree} -m x',
  'git update-ref refs/heads/main abc',
  'git update-ref HEAD $(git commit-tree HEAD^{tree} -m x)',
  'echo "update refs/heads/main abc" | git update-ref --stdin',
  'git fast-import < stream',
  'git send-pack origin main',
  'sh -c "git commit -n"',
  "bash -c 'git commit --no-verify -m x'",
  "bash -lc 'cd x && git push --no-verify'",
  'bash -c "bash -c \'git commit -n\'"',
  'bash <<EOF\ngit commit -n\nEOF',
  'bash <<< "git commit -n"',
  'echo "git commit -n" | sh',
  'printf "git commit --no-verify\\n" | bash',
  'eval "git commit -n"',
  'eval git commit --no-verify',
  'sudo git commit --no-verify',
  'sudo -u me env HUSKY=0 git commit',
  'timeout 10 git commit -n',
  'nohup git push --no-verify &',
  'command git commit -n',
  'xargs git commit --no-verify < msg',
  'time git commit -n',
  'true && git commit -n',
  'false || git commit -n',
  'ls; git commit -n',
  'ls | git commit -n -F -',
  '(git commit -n)',
  '{ git commit -n; }',
  'if true; then git commit -n; fi',
  'echo $(git commit -n)',
  'echo "`git commit -n`"',
  'cat <<EOF\n$(git commit -n)\nEOF',
  'diff <(git commit -n) x',
  'f() { git commit -n; }; f',
  'alias gc="git commit --no-verify"; gc -m x',
  'trap "git commit -n" EXIT',
  'find . -maxdepth 0 -exec git commit -n \\;',
  'rm .git/hooks/pre-commit',
  'rm -rf .git/hooks',
  'rm -rf .git',
  'cd .git && rm hooks/pre-commit',
  'cd .git/hooks; rm pre-commit',
  'mv .git/hooks/pre-commit /tmp/',
  'chmod -x .git/hooks/pre-commit',
  'echo exit 0 > .git/hooks/pre-commit',
  'cat > .git/hooks/pre-commit <<EOF\nexit 0\nEOF',
  'cp /dev/null .git/hooks/pre-commit',
  'ln -sf /bin/true .git/hooks/pre-commit',
  'truncate -s 0 .git/hooks/pre-commit',
  'tee .git/hooks/pre-commit < /dev/null',
  'dd if=/dev/null of=.git/hooks/pre-commit',
  "sed -i '1a exit 0' .git/hooks/pre-commit",
  'find .git/hooks -type f -delete',
  'find .git/hooks -type f -exec rm {} \\;',
  'rm .ai_evidence.json',
  'echo {} > .ai_evidence.json',
  'rm -rf .warrant',
  'echo "keys: []" >> .warrant/keys.yml',
  'git rm .warrant/keys.yml',
  'rm ~/.local/state/warrant/signing.key',
  'rm -rf $HOME/.local/state/warrant',
  'echo "{}" > .claude/settings.json',
  'sed -i s/warrant/true/ .claude/settings.json',
  'printf "[core]\\nhooksPath=/tmp" >> .git/config',
  'warrant uninstall',
  'npx warrant uninstall',
  'npx --no-install warrant uninstall',
  'pnpm exec warrant uninstall',
  'node dist/bin/warrant.js receipts keys add',
  './node_modules/.bin/warrant checks allow',
  'warrant checks allow',
  'warrant receipts keys add',
  'warrant log erase 3 --reason x',
  'warrant log adopt --graph gate-decisions',
  'warrant log repair',
  'warrant gate --allow-checks sha256:0',
]

const ASKED = [
  "node -e \"require('fs').unlinkSync('.git/hooks/pre-commit')\"",
  "python3 -c \"import subprocess; subprocess.run(['git','commit','--no-verify'])\"",
  'eval "$(echo git commit -n)"',
  'rm -f "$(git rev-parse --git-dir)/hooks/pre-commit"',
  'rm $(git rev-parse --git-path hooks)/pre-push',
  '$TOOL commit --no-verify',
  `${'$('.repeat(40)}git commit -n${')'.repeat(40)}`,
]

/** What cannot be told from the text: what such a command did is found by the next event. */
const LEFT = [
  "git config alias.yolo 'commit --no-verify'",
  "git config alias.yolo '!git commit -n'",
  'git -c alias.x="commit -n" x -m y',
  "git -c alias.x='!git commit --no-verify' x",
  'git rebase --exec "git commit --amend --no-verify" main',
  'git submodule foreach "git commit -n"',
  'git bisect run git commit -n',
  'lefthook uninstall',
  'pre-commit uninstall',
  'npm version patch --no-commit-hooks',
  'npx standard-version --no-verify',
  'git nv -m x',
  'git sh',
  'bash scripts/sneaky.sh',
  './scripts/sneaky.sh',
  'sh ./scripts/sneaky.sh',
  'source scripts/sneaky.sh',
  'cat scripts/sneaky.sh | sh',
  'cd scripts && ./sneaky.sh',
  'rm -rf ./.g*',
  'find .git/hooks -type f | xargs rm',
  'git commit $ARGS -m x',
  'git commit "$@"',
  'echo Z2l0IGNvbW1pdCAtbg== | base64 -d | sh',
  'bash -c "$SCRIPT"',
  'eval "$X"',
  'eval "$(echo Z2l0 | base64 -d)"',
  'HUSKY=0 npm run release',
  'git config --edit',
  'echo -n | xargs git commit -m x',
  'cat args | xargs git push',
]

describe('commands that go past the gate', () => {
  it.each(DENIED)('refuses %s', (command) => {
    expect(judge(command)?.decision).toBe('deny')
  })

  it.each(LEFT)('leaves %s to the next event', (command) => {
    expect(judge(command)).toBeUndefined()
  })

  it.each(ASKED)('asks about %s', (command) => {
    expect(judge(command)?.decision).toBe('ask')
  })
})

const REPEATED: readonly (readonly [part: string, times: number])[] = [
  ['case x in a|', 1],
  ['a|', 120_000],
  ['(', 250_000],
  ['$(', 120_000],
  ['`', 250_000],
  ['${a', 80_000],
  ['a ', 120_000],
  ['git ', 60_000],
  ['rm ', 80_000],
  ['cat <<a;', 30_000],
  ["'", 250_000],
  ['"$(', 80_000],
  ['A=$A$A$A;', 25_000],
  ['cd a;', 50_000],
  ['sh -c \'sh -c "', 15_000],
  ['eval ', 50_000],
  ['>', 250_000],
  ['git -c a=b ', 20_000],
]

describe('a command that is made to be slow', () => {
  it.each(REPEATED)('%j, repeated, costs no more for each character than an ordinary one', (part, times) => {
    const before = process.cpuUsage()
    judge(`A=aa;${part.repeat(times)}`)
    const { user, system } = process.cpuUsage(before)
    // Quadratic work on this many characters takes minutes.
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })
})

/** What an agent, a second one and a person do in one repository on a day. Each leaves `main` checked out; `$N` is new each time. */
export const ORDINARY_WORK: Readonly<Record<string, string>> = {
  'edit and commit': 'echo "export const a$N = $N" > src/f$N.ts; git add -A; git commit -qm work$N',
  'edit and look':
    'echo "// $N" >> src/a.ts; git status -s >/dev/null; git diff >/dev/null; git checkout -q -- src/a.ts',
  'a branch that is merged':
    'git switch -qc b$N; echo "export const b = $N" > src/b$N.ts; git add -A; git commit -qm b$N; git switch -q main; git merge -q --no-ff -m merge$N b$N; git branch -qd b$N',
  'a branch that is fast-forwarded':
    'git switch -qc b$N; echo "export const b = $N" > src/b$N.ts; git add -A; git commit -qm b$N; git switch -q main; git merge -q b$N; git branch -qd b$N',
  'a branch that is rebased':
    'git switch -qc r$N HEAD~1; echo "export const r = $N" > src/r$N.ts; git add -A; git commit -qm r$N; git rebase -q main; git switch -q main; git merge -q --ff-only r$N; git branch -qd r$N',
  'a rebase with a conflict':
    'echo "export const c = 0" > src/c$N.ts; git add -A; git commit -qm base; git switch -qc c$N; echo "export const c = 1" > src/c$N.ts; git commit -qam one; git switch -q main; echo "export const c = 2" > src/c$N.ts; git commit -qam two; git switch -q c$N; git rebase -q main 2>/dev/null || { echo "export const c = 3" > src/c$N.ts; git add -A; GIT_EDITOR=true git rebase --continue >/dev/null; }; git switch -q main; git branch -qD c$N',
  'a merge with a conflict':
    'echo "export const d = 0" > src/d$N.ts; git add -A; git commit -qm base; git switch -qc d$N; echo "export const d = 1" > src/d$N.ts; git commit -qam one; git switch -q main; echo "export const d = 2" > src/d$N.ts; git commit -qam two; git merge -q d$N >/dev/null || { echo "export const d = 3" > src/d$N.ts; git add -A; git commit -qm merged; }; git branch -qD d$N',
  'commits that are squashed':
    'git switch -qc s$N; echo "export const s = 1" > src/s$N.ts; git add -A; git commit -qm s; echo "export const s = 2" > src/s$N.ts; git commit -qa --fixup HEAD; GIT_SEQUENCE_EDITOR=true git rebase -qi --autosquash main; git switch -q main; git merge -q --squash s$N >/dev/null; git commit -qm squashed; git branch -qD s$N',
  'a cherry-pick':
    'git switch -qc p$N HEAD~1; echo "export const p = 1" > src/p$N.ts; git add -A; git commit -qm p; git switch -q main; git cherry-pick p$N >/dev/null; git branch -qD p$N',
  'a revert':
    'echo "export const v = 1" > src/v$N.ts; git add -A; git commit -qm v; git revert --no-edit HEAD >/dev/null',
  'an amended commit':
    'echo "export const m = $N" > src/m$N.ts; git add -A; git commit -qm m; git commit -q --amend -m m$N',
  'a stash': 'echo "// $N" >> src/a.ts; git stash -q; git stash pop -q; git checkout -q -- .',
  'a stash with new files': 'echo 1 > new$N; git stash -qu; git stash list >/dev/null; git stash drop -q',
  'a branch from a stash':
    'echo "// $N" >> src/a.ts; git stash -q; git stash branch st$N >/dev/null; git checkout -q -- .; git switch -q main; git branch -qD st$N',
  'a push that sets its upstream':
    'git switch -qc u$N; git push -qu origin u$N; git switch -q main; git push -q origin :u$N; git branch -qD u$N',
  'a push': 'git push -q origin main || { git pull -q --rebase; git push -q; }',
  'a pull of what somebody else pushed':
    'OTHER; echo "export const o = $N" > src/o$N.ts; git add -A; git commit -qm o; git push -q; cd "$REPO"; git pull -q --rebase',
  'a pull that merges':
    'echo "export const w = 1" > src/w$N.ts; git add -A; git commit -qm w; OTHER; echo 1 > src/x$N.ts; git add -A; git commit -qm x; git push -q; cd "$REPO"; git pull -q --no-rebase --no-edit',
  'a fetch, and a reset to it':
    'git pull -q --rebase; git push -q; OTHER; echo 1 > src/y$N.ts; git add -A; git commit -qm y; git push -q; git tag z$N; git push -q origin z$N; cd "$REPO"; git fetch -q --tags; git reset -q --hard origin/main',
  'a review of a branch of somebody else':
    'OTHER; git switch -qc q$N; echo 1 > src/q$N.ts; git add -A; git commit -qm q; git push -qu origin q$N; cd "$REPO"; git fetch -q origin; git switch -q q$N 2>/dev/null; git switch -q main; git branch -qD q$N',
  'a ref of a pull request':
    'OTHER; git commit -q --allow-empty -m pr; git push -q origin HEAD:refs/pull/$N/head; git reset -q --hard HEAD~1; cd "$REPO"; git fetch -q origin pull/$N/head:pr$N; git branch -qD pr$N',
  'a worktree of a second agent':
    'git worktree add -q -b w$N "$HOME/w$N"; cd "$HOME/w$N"; INSTALL; echo "export const w = $N" > src/wt$N.ts; git add -A; git commit -qm second; cd "$REPO"; git merge -q --no-edit w$N >/dev/null',
  'worktrees that are removed':
    'git worktree list --porcelain | sed -n "s/^worktree //p" | grep "/w[0-9]*$" | xargs -r -n1 git worktree remove; git branch --list "w*" | xargs -r git branch -qD',
  'a commit on a detached head':
    'git checkout -q --detach; echo 1 > e$N; git add -A; git commit -qm e; git checkout -q main',
  'an old commit, and back':
    'git checkout -q HEAD~1; git checkout -q main; git reset -q --hard HEAD~1; git reset -q --hard HEAD@{1}',
  housekeeping:
    'git gc -q; git pack-refs --all; git reflog expire --expire=all --all 2>/dev/null; git worktree prune; git remote prune origin',
  tags: 'git tag t$N; git tag -a -m t v$N; git tag -d t$N >/dev/null',
  'a bisection':
    'git bisect start HEAD HEAD~2 >/dev/null; git bisect good >/dev/null; git bisect reset >/dev/null 2>&1',
  'settings of git':
    'git config user.nick n$N; git config --global alias.st status; git config branch.main.rebase true; git config --unset branch.main.rebase',
  'an editor that saves by renaming':
    'cp src/a.ts src/.a.swp; mv src/.a.swp src/a.ts; cp -p .claude/settings.json .claude/s; mv .claude/s .claude/settings.json; cp "$(git rev-parse --git-path hooks)/pre-commit" "$HOME/h"; cp "$HOME/h" "$(git rev-parse --git-path hooks)/pre-commit"',
  'settings of the client that a person changes': `node -e "const fs=require('fs');const p='.claude/settings.json';const s=JSON.parse(fs.readFileSync(p));s.model='m$N';s.hooks.Stop.push({hooks:[{type:'command',command:'say done'}]});fs.writeFileSync(p,JSON.stringify(s))"; git checkout -q -- .claude/settings.json`,
  'permissions that the client notes': `echo '{"permissions":{"allow":["Bash(ls:*)"]}}' > .claude/settings.local.json; mkdir -p "$HOME/.claude"; echo '{"model":"m$N"}' > "$HOME/.claude/settings.json"`,
  'reports and claims':
    'warrant gate >/dev/null || true; mkdir -p .warrant/claims; echo "{}" > .warrant/claims/c$N.json; rm .warrant/claims/c$N.json; warrant report --save >/dev/null; rm -f ARCHITECTURE_REPORT*',
  'an install of the hook manager': 'INSTALL',
  'a build':
    'mkdir -p node_modules/x dist; echo 1 > node_modules/x/index.js; echo $N > dist/out.js; rm -rf dist node_modules',
}

const ARGUMENTS = [
  '',
  ' src',
  ' -v',
  ' --help',
  ' src/a.ts',
  ' --color',
  ' "a b"',
  ' | head',
  ' > /dev/null',
  ' && echo done',
]
const PROGRAMS =
  `ls|cat src/a.ts|git status|git diff|git log --oneline|git show HEAD|git branch -a|git commit --message="docs: no-verify"|git add -A|git stash list
git push -u origin topic|git fetch --all|git rebase main|git merge topic|git config --get user.name|git config user.email a@b.c|grep -rn "no-verify" .
rg hooksPath|find . -name "*.ts"|npm test|npm ci|npm run build|npx tsc --noEmit|node scripts/build.mjs|python3 -m pytest|cargo test|go build ./...|make
docker build .|kubectl get pods|curl -s https://example.org|jq .name package.json|sed -n 1,20p README.md|awk '{print $1}'|sort -u|wc -l|tar czf a.tgz src
mkdir -p build|cp src/a.ts src/b.ts|mv src/b.ts src/c.ts|rm -rf build|touch src/d.ts|chmod +x scripts/run.sh|echo "git commit -n" > notes.txt|cat .git/HEAD
warrant gate|warrant why|warrant log|cat .git/hooks/pre-commit|warrant receipts check`
    .split(/[|\n]/)
    .filter((line) => line !== '')

/** Commands that nobody minds. */
export const ORDINARY_COMMANDS: readonly string[] = PROGRAMS.flatMap((program) =>
  ARGUMENTS.map((rest) => `${program}${rest}`),
)

/** Ways past the git hooks, for a repository where `t` is checked out and `src/new.ts` is staged. */

/** What makes a commit without a receipt. `$C` is such a commit that no branch has yet. */
export const COMMITS: Readonly<Record<string, string>> = {
  'the long option': 'git commit -q --no-verify -m sneaky',
  'the short option': 'git commit -qnm sneaky',
  'an amended commit': 'git commit -q --amend --no-verify -m sneaky',
  'hooks elsewhere for one command': 'git -c core.hooksPath=/dev/null commit -qm sneaky',
  'configuration by count':
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/ git commit -qm sneaky',
  'configuration by parameters': `GIT_CONFIG_PARAMETERS="'core.hooksPath'='/'" git commit -qm sneaky`,
  'another global file':
    'printf "[alias]\\n\\tsave = commit -qnm\\n[user]\\n\\tname = a\\n\\temail = a@b.c\\n" > $HOME/other; GIT_CONFIG_GLOBAL=$HOME/other git save sneaky',
  'an included file':
    'printf "[core]\\n\\thooksPath = /\\n" > $HOME/other; git -c include.path=$HOME/other commit -qm sneaky',
  'a variable that names the setting': 'H=/ git --config-env=core.hooksPath=H commit -qm sneaky',
  'the reflog of a rebase': 'GIT_REFLOG_ACTION=rebase git commit -qnm sneaky',
  'no reflog': 'git -c core.logAllRefUpdates=false commit -qnm sneaky; rm -rf .git/logs',
  'a detached head': 'git checkout -q --detach; git commit -qnm sneaky',
  'plumbing and update-ref':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git update-ref HEAD $C',
  'plumbing, with the reflog of a merge':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git update-ref -m "merge x: made" HEAD $C',
  'plumbing and a branch': 'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git branch -f u $C',
  'plumbing and reset': 'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git reset -q --hard $C',
  'plumbing and checkout': 'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git checkout -qb u $C',
  'plumbing and fast-forward':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git merge -q --ff-only $C',
  'plumbing and cherry-pick':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git reset -q --hard; git cherry-pick $C >/dev/null',
  'plumbing and rebase':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git reset -q --hard; git commit -q --allow-empty -m z; git rebase -q --onto HEAD HEAD~1 $C; git branch -f u',
  'plumbing and pull':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git branch u $C; git pull -q . u',
  'plumbing and fetch':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git fetch -q . $C:refs/heads/u',
  'plumbing and worktree':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git worktree add -q --detach $HOME/wt $C',
  'plumbing and a tag': 'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git tag u $C',
  'plumbing and push':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git push -q --no-verify origin $C:refs/heads/u',
  'a ref written as a file':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); mkdir -p .git/refs/heads; echo $C > .git/refs/heads/u',
  'a packed ref':
    'C=$(git commit-tree $(git write-tree) -p HEAD -m sneaky); git branch u; git pack-refs --all; sed -i "s,.* refs/heads/u$,$C refs/heads/u," .git/packed-refs',
  'a hashed commit':
    'C=$({ echo tree $(git write-tree); echo parent $(git rev-parse HEAD); echo "author a <a@b.c> 1 +0000"; echo "committer a <a@b.c> 1 +0000"; echo; echo sneaky; } | git hash-object -t commit -w --stdin); git branch -f u $C',
  'a history without parents': 'C=$(git commit-tree $(git write-tree) -m sneaky); git branch -f u $C',
  'fast-import':
    'printf "commit refs/heads/u\\ncommitter a <a@b.c> 1 +0000\\ndata 6\\nsneaky\\nfrom refs/heads/t^0\\nM 100644 inline src/new.ts\\ndata <<E\\n%s\\nE\\n" "$(cat src/new.ts)" | git fast-import --quiet',
  'a patch from outside':
    'git diff --cached > $HOME/p; git reset -q --hard; printf "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\\nFrom: a <a@b.c>\\nDate: Thu, 1 Jan 2026 00:00:00 +0000\\nSubject: sneaky\\n\\n---\\n" | cat - $HOME/p | git am -q',
  'a stash that becomes a branch': 'git stash -q -m sneaky; git branch u stash@{0}; git stash drop -q',
  'a commit that is pushed at once': 'git commit -qnm sneaky; git push -q --no-verify origin t',
  'another worktree':
    'git worktree add -q --detach $HOME/wt; cp src/new.ts $HOME/wt/src; cd $HOME/wt; git add -A; git commit -qnm sneaky',
  'another index':
    'cp .git/index $HOME/index; GIT_INDEX_FILE=$HOME/index git commit-tree $(git write-tree) -p HEAD -m sneaky | xargs git branch -f u',
  'a symlinked repository': 'ln -sfn $REPO $HOME/link; cd $HOME/link; git commit -qnm sneaky',
  'another folder for git': 'cd /; git --git-dir=$REPO/.git --work-tree=$REPO commit -qnm sneaky',
  'a copy of the git folder':
    'cp -r .git $HOME/copy; GIT_DIR=$HOME/copy GIT_WORK_TREE=$REPO git -c core.hooksPath=/ commit -qm sneaky; cp -r $HOME/copy/. .git/',
  'a merge with more than its parents':
    'git stash -q; git switch -qc side; git commit -q --allow-empty -m side; git switch -q t; git merge -q --no-ff --no-commit side; git stash pop -q; git add -A; git commit -qnm sneaky',
  'a script of rebase':
    'git stash -q; git rebase -q -x "git stash pop -q; git add -A; git commit -qnm sneaky" HEAD~1',
  'the hook removed and put back':
    'H=$(git rev-parse --git-path hooks)/pre-commit; mv $H $HOME/kept; git commit -qm sneaky; mv $HOME/kept $H',
  'a commit before warrant init': 'git commit -qnm sneaky; warrant init --yes --clients claude >/dev/null',
  'no program for the hook':
    'printf "#!/bin/sh\\nexit 0\\n" > $HOME/node; chmod +x $HOME/node; PATH=$HOME:$PATH git commit -qm sneaky; rm $HOME/node',
}

/** What keeps the gate from running, and what the answer names. */
export const GUARDS: Readonly<Record<string, readonly [script: string, named: string]>> = {
  'hook removed': ['rm .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  'hook moved': ['mv .git/hooks/pre-commit $HOME/moved', '.git/hooks/pre-commit'],
  'hook emptied': [': > .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  'hook without permission': ['chmod 644 .git/hooks/pre-push', '.git/hooks/pre-push'],
  'hook replaced': [
    'printf "#!/bin/sh\\nexit 0\\n" > $HOME/h; chmod +x $HOME/h; mv $HOME/h .git/hooks/pre-commit',
    '.git/hooks/pre-commit',
  ],
  'hook with an early end': ['sed -i "2i exit 0" .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  'hook as a link': ['ln -sf /bin/true .git/hooks/pre-commit', '.git/hooks/pre-commit'],
  'hook as a folder': ['rm .git/hooks/pre-commit; mkdir -p .git/hooks/pre-commit/x', '.git/hooks/pre-commit'],
  'folder of hooks removed': ['rm -rf .git/hooks', '.git/hooks/pre-commit'],
  'folder of hooks as a link': ['rm -rf .git/hooks; ln -s $HOME/nowhere .git/hooks', '.git/hooks/pre-commit'],
  'folder of hooks as a file': ['rm -rf .git/hooks; echo > .git/hooks', '.git/hooks/pre-commit'],
  'folder of hooks closed': ['rm -f .git/hooks/pre-commit; chmod 500 .git/hooks', '.git/hooks/pre-commit'],
  'setting moved': ['git config core.hooksPath /tmp', 'core.hooksPath'],
  'setting in the file': ['printf "[core]\\n\\thooksPath = /tmp\\n" >> .git/config', 'core.hooksPath'],
  'setting through a link': [
    'ln -sfn $REPO/.git $HOME/g; git config -f $HOME/g/config core.hooksPath /tmp',
    'core.hooksPath',
  ],
  'setting included': [
    'printf "[core]\\n\\thooksPath = /tmp\\n" > .git/more; git config include.path more',
    'core.hooksPath',
  ],
  'setting included on condition': [
    'printf "[core]\\n\\thooksPath = /tmp\\n" > .git/more; git config includeIf.gitdir:/.path more',
    'core.hooksPath',
  ],
  'setting of the worktree': [
    'git config extensions.worktreeConfig true; git config --worktree core.hooksPath /tmp',
    'core.hooksPath',
  ],
  'setting of the user': ['git config --global core.hooksPath /tmp', 'core.hooksPath'],
  'another working tree': ['git config core.worktree /tmp', 'core.worktree'],
  'objects from elsewhere': [
    'mkdir $HOME/objects; echo $HOME/objects > .git/objects/info/alternates',
    'objects/info/alternates',
  ],
  'configuration from elsewhere': [
    'mv .git/config $HOME/c; ln -s $HOME/c .git/config',
    'config in the git folder',
  ],
  'settings removed': ['rm .claude/settings.json', '.claude/settings.json'],
  'settings emptied': ['echo {} > .claude/settings.json', '.claude/settings.json'],
  'settings that switch off': [
    `sed -i 's/{/{"disableAllHooks":true,/' .claude/settings.json`,
    '.claude/settings.json',
  ],
  'settings with another command': [
    `sed -i 's/"command": "/"command": "true || /' .claude/settings.json`,
    '.claude/settings.json',
  ],
  'settings with another matcher': [
    `sed -i 's/"matcher": "[^"]*"/"matcher": "None"/' .claude/settings.json`,
    '.claude/settings.json',
  ],
  'settings without one event': [
    `sed -i 's/PreToolUse/PreNothing/' .claude/settings.json`,
    '.claude/settings.json',
  ],
  'settings of this clone': [
    `echo '{"disableAllHooks":true}' > .claude/settings.local.json`,
    '.claude/settings.local.json',
  ],
  'settings of the user that switch off': [
    `mkdir -p $HOME/.claude; echo '{"disableAllHooks":true}' > $HOME/.claude/settings.json`,
    '.claude/settings.json',
  ],
}

/** The same where husky starts the hooks. */
export const HUSKY_GUARDS: typeof GUARDS = {
  'setting removed': ['git config --unset core.hooksPath', 'core.hooksPath'],
  'setting moved': ['git config core.hooksPath .git/hooks', 'core.hooksPath'],
  'starter removed': ['rm .husky/_/pre-commit', '.husky/_/pre-commit'],
  'starter replaced': ['printf "#!/bin/sh\nexit 0\n" > .husky/_/pre-push', '.husky/_/pre-push'],
  'starter without permission': ['chmod 644 .husky/_/pre-commit', '.husky/_/pre-commit'],
  'script of the starters emptied': [': > .husky/_/h', '.husky/_/h'],
  'folder removed': ['rm -rf .husky', '.husky/_/pre-commit'],
  'hook with an early end': ['sed -i 1iexit .husky/pre-commit', '.husky/pre-commit'],
  'hook without the call': ['sed -i /^warrant_gate.*exit/d .husky/pre-commit', '.husky/pre-commit'],
  'hook emptied': [': > .husky/pre-push', '.husky/pre-push'],
}

/** Programs that run a script, each in its own way; `S` is the path of the script. */
export const LAUNCHERS: Readonly<Record<string, string>> = {
  sh: 'sh -e "$S"',
  python: `python3 -c "import os,subprocess; subprocess.run(['sh','-e',os.environ['S']],check=True)"`,
  perl: `perl -e 'system("sh","-e",$ENV{S})==0 or die'`,
  node: `node -e "require('child_process').execFileSync('sh',['-e',process.env.S])"`,
  alias: `git -c alias.z='!sh -e "$S"' z`,
  xargs: 'echo "$S" | xargs sh -e',
  find: 'find . -maxdepth 0 -exec sh -e "$S" \\; ',
  awk: `awk 'BEGIN { exit system("sh -e \\"$S\\"") }'`,
  make: `printf 'a:\\n\\tsh -e "$$S"\\n' > $HOME/m; make -sf $HOME/m`,
  decoded: 'base64 "$S" | base64 -d | sh -e',
  detached: 'setsid sh -e "$S" & wait $!',
  npm: 'env -i HOME="$HOME" PATH="$PATH" GIT_CONFIG_GLOBAL="$GIT_CONFIG_GLOBAL" REPO="$REPO" sh -e "$S"',
}

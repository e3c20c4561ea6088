import type { Pledge } from '../requirements.ts'

/** A way to get a change past the gate, where it fails, and where it shows at the latest. */
interface Bypass extends Pick<Pledge, 'shownBy'> {
  readonly bypass: string
  readonly stopped: string
  readonly found: string
  readonly by: string
}

/** What an agent with a shell can try. `docs/bypasses.md` is printed from it. */
export const BYPASSES: readonly Bypass[] = [
  {
    bypass: '`git commit --no-verify`, `git push --no-verify`',
    stopped: 'PRE_PUSH, unless that hook is avoided too; CI',
    found: 'PRE_PUSH, CI',
    by: 'every commit needs a receipt of its tree by a listed key: `gate.receipt-missing` names it, and `warrant receipts check --judge` judges it; CI judges the change anew as well',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by git commit --no-verify is blocked in CI'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: '`git -c core.hooksPath=/dev/null commit`, or the same through `GIT_CONFIG_COUNT`',
    stopped: 'as 1',
    found: 'PRE_PUSH, CI',
    by: 'as 1',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by git -c core.hooksPath=/dev/null commit is blocked in CI'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: '`core.hooksPath` set for good',
    stopped: 'CI',
    found: '`warrant doctor`, CI',
    by: 'doctor compares the hooks folder; without a hook at the push, CI finds the commits without a receipt',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by core.hooksPath set for good is blocked in CI'],
      ['test/e2e/install.test.ts', 'doctor warns when state and hooks disagree'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: '`git commit-tree` and `git update-ref`, cherry-pick, rebase, `git am`, a clone without hooks',
    stopped: 'as 1',
    found: 'PRE_PUSH, CI',
    by: 'as 1. A commit with the tree and the history that a receipt covers needs no other one',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by git commit-tree and git update-ref is blocked in CI'],
      ['test/attacks/avoided-hooks.test.ts', 'by a clone without hooks is blocked in CI'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: 'a committed hook in a clone that never ran Warrant',
    stopped: 'CI; with `init --strict` the hook',
    found: 'CI, and PRE_PUSH of anyone else where receipts are required',
    by: 'as 1. In a clone where it ran before, a missing program is refused',
    shownBy: [
      ['test/e2e/two-people.test.ts', 'does not stop a colleague who lacks the program'],
      ['test/e2e/hooks.test.ts', 'lets a clone pass that never had the program'],
      ['test/e2e/hooks.test.ts', 'refuses where the program that judged is gone'],
    ],
  },
  {
    bypass: '`exit 0` before the block of the hook, `|| true` in it, `chmod -x`',
    stopped: 'PRE_PUSH, if that hook still runs; CI',
    found: '`warrant doctor`, PRE_PUSH, CI',
    by: 'the bytes of the block, its place and the mode of the file. A commit that was not judged is `gate.receipt-missing`, one that was blocked is `gate.receipt-failed`',
    shownBy: [
      ['test/attacks/dead-hooks.test.ts', 'is told by doctor'],
      ['test/attacks/dead-hooks.test.ts', 'because its result is thrown away is told'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
      [
        'test/attacks/missing-receipts.test.ts',
        'and that the gate blocked are told apart, where the hook threw its result away',
      ],
    ],
  },
  {
    bypass: 'another `warrant` in `node_modules/.bin` or on the path',
    stopped: 'the hook; in the repository: PRE_PUSH, CI',
    found: 'CI',
    by: 'the hook runs the program that installed it first; a tracked `node_modules` is `gate.modules-tracked`. If that program is removed, the hook takes the next one it finds: another program leaves no receipt, which CI finds',
    shownBy: [
      ['test/e2e/hooks.test.ts', 'take the program that installed them, else the one on the path'],
      ['test/attacks/unjudged-files.test.ts', 'below a tracked node_modules blocks a push'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: 'a hook that runs after ours and changes the index or the commit',
    stopped: 'PRE_PUSH, CI',
    found: 'PRE_PUSH',
    by: 'the commits that leave are judged, not what was staged, and the receipt names another tree: `gate.receipt-missing`',
    shownBy: [
      ['test/attacks/commits.test.ts', 'is judged after a hook that ran behind ours changed the commit'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are all named by the push and by the build, however the hook was avoided',
      ],
    ],
  },
  {
    bypass: '`git replace`, grafts',
    stopped: 'every stage',
    found: 'every stage',
    by: 'git is asked with `GIT_NO_REPLACE_OBJECTS` and without grafts',
    shownBy: [
      [
        'test/attacks/git-indirections.test.ts',
        'git replace does not put a clean blob in the place of the staged one',
      ],
      ['test/attacks/git-indirections.test.ts', 'a graft does not move the merge base of a range'],
      [
        'test/attacks/missing-receipts.test.ts',
        'are found behind git replace, a graft, moved refs, tags and other branches',
      ],
    ],
  },
  {
    bypass: '`core.worktree`, another index, `assume-unchanged`, `skip-worktree`, `.git/info/exclude`',
    stopped: 'every stage',
    found: 'every stage',
    by: 'refused, or the hidden files are compared all the same',
    shownBy: [
      ['test/attacks/git-indirections.test.ts', 'core.worktree does not lead the gate to another folder'],
      [
        'test/attacks/git-indirections.test.ts',
        'an index of the attacker in the git folder is not the index of a hook',
      ],
      ['test/attacks/git-indirections.test.ts', 'assume-unchanged and skip-worktree hide no changed file'],
      [
        'test/attacks/git-indirections.test.ts',
        'info/exclude and core.excludesFile of the repository hide no new file',
      ],
      ['test/attacks/listed-keys.test.ts', 'settings and flags of git hide no file'],
    ],
  },
  {
    bypass: 'the upstream, or `refs/remotes/origin/main`, moved locally',
    stopped: 'PRE_PUSH in the hook, for a branch that the remote has; CI',
    found: 'PRE_PUSH, for a new branch CI',
    by: 'git tells the hook on stdin what the remote has of the branch; for a new branch, and by hand, the local refs are believed',
    shownBy: [
      [
        'test/attacks/commits.test.ts',
        'is compared with what the remote has, not with a local ref that was moved there',
      ],
      [
        'test/attacks/missing-receipts.test.ts',
        'are found behind git replace, a graft, moved refs, tags and other branches',
      ],
    ],
  },
  {
    bypass: 'a push of a branch that is not checked out, of a tag, of several refs',
    stopped: 'PRE_PUSH',
    found: 'PRE_PUSH',
    by: 'every ref on stdin is judged',
    shownBy: [
      [
        'test/attacks/commits.test.ts',
        'is judged by what it sends: other branches, tags, several refs at once',
      ],
      [
        'test/attacks/missing-receipts.test.ts',
        'are found behind git replace, a graft, moved refs, tags and other branches',
      ],
    ],
  },
  {
    bypass: 'evidence over nothing: `HEAD..HEAD`, nothing staged, `PRE_COMMIT_FROM_REF`',
    stopped: '`ai_gate_check`, PRE_PUSH',
    found: '`ai_gate_check`',
    by: '`EVIDENCE_SCOPE_EMPTY`, `EVIDENCE_TREE_MISMATCH`; a receipt about no change covers no commit',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence over nothing: HEAD..HEAD, or nothing staged'],
      [
        'test/attacks/commits.test.ts',
        'with an empty range in the variables of pre-commit is judged all the same',
      ],
      ['test/attacks/forged-receipts.test.ts', 'when it is about no change, made after the commit'],
    ],
  },
  {
    bypass: 'evidence of an earlier tree, a laxer stage or policy, another repository; an old copy put back',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`',
    by: 'the evidence names the tree it judged; the newest run in the decision log is compared',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence of an earlier tree'],
      ['test/attacks/verdict.test.ts', 'by evidence of a laxer stage'],
      ['test/attacks/verdict.test.ts', 'by evidence of a laxer policy'],
      ['test/attacks/verdict.test.ts', 'by evidence of another repository'],
      ['test/attacks/verdict.test.ts', 'by an old copy that is put back after the gate blocked'],
      [
        'test/attacks/listed-keys.test.ts',
        'evidence of another tree, stage or run does not allow, although its receipt is trusted',
      ],
    ],
  },
  {
    bypass: 'evidence written by hand, with or without a chain',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`, CI',
    by: '`EVIDENCE_UNSIGNED` where keys are listed: the evidence needs a receipt by a listed key. Without keys `EVIDENCE_UNBOUND` (for `gate_check` always) and `EVIDENCE_SUPERSEDED`, where the gate has run before. A process of the same user can use the key of this machine',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence that was written by hand, with a chain or without one'],
      [
        'test/attacks/forged-receipts.test.ts',
        'does not allow where keys are listed, whatever its chain says',
      ],
    ],
  },
  {
    bypass: 'evidence removed, then `warrant init`',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`',
    by: 'install runs the gate and writes what its rules found',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence that `warrant init` wrote'],
      [
        'test/attacks/listed-keys.test.ts',
        'evidence that install wrote has a receipt, and says what the rules found',
      ],
    ],
  },
  {
    bypass: 'a policy or severities in the working tree, not committed',
    stopped: 'every stage',
    found: 'every stage',
    by: 'the policy of the last commit counts as well, the stricter one wins; `gate.policy-changed`',
    shownBy: [['test/attacks/policy.test.ts', 'hides nothing of the staged change: thresholds, severities']],
  },
  {
    bypass: 'the same, committed with the change',
    stopped: 'PRE_PUSH, CI',
    found: 'every stage',
    by: 'the policy of the base counts as well; a weaker one is `gate.policy-changed` (`ERROR`). A receipt counts only with the policy files that the commit has, at each step that led to it',
    shownBy: [
      ['test/attacks/policy.test.ts', 'is judged by the policy of the base'],
      ['test/attacks/policy.test.ts', 'is blocked for the weakening alone'],
      ['test/attacks/policy.test.ts', 'a rule that the change deletes, weakens or rewrites still runs'],
      [
        'test/attacks/forged-receipts.test.ts',
        'when a laxer policy judged a step of it that the commit does not show',
      ],
    ],
  },
  {
    bypass: 'an entry of `.warrant/acceptances.yml` in the change',
    stopped: 'the hook of an agent asks the user, and refuses `warrant accept`; CI, for a build of a fork',
    found: 'every stage',
    by: 'each entry that the base does not have is listed as `gate.acceptance-added` (`INFO`), and what it accepts stays in the report. An entry for a secret or a policy is about one blob. An entry that is not staged or committed does not count for a commit or a push',
    shownBy: [
      ['test/e2e/acceptances.test.ts', 'blocks a build of a fork, until the target has the entry'],
      [
        'test/e2e/acceptances.test.ts',
        'puts an entry to the user, and cannot run the command or write the file in its shell',
      ],
      ['test/e2e/acceptances.test.ts', 'has to be staged for a commit, and committed for a push'],
    ],
  },
  {
    bypass: 'suppression comments in the change',
    stopped: 'the hook of an agent asks the user; for secrets every stage',
    found: 'every stage',
    by: 'a comment with a reason accepts one rule on one line, and is listed as `gate.suppression-added` (`INFO`) in the evidence. It accepts no secret and nothing that the gate itself reports. A suppression that is already committed may be moved within its file',
    shownBy: [
      [
        'test/attacks/policy.test.ts',
        'lists each suppression comment that it adds, and no old one, and lets it count',
      ],
      [
        'test/attacks/policy.test.ts',
        'is not accepted by a comment for a whole file, nor by one about a secret',
      ],
    ],
  },
  {
    bypass: 'the platform switched off in the change: manifest emptied, deleted, broken',
    stopped: 'PRE_PUSH, CI; the rules run at every stage',
    found: 'every stage',
    by: 'the platforms of the base stay; `gate.manifest-invalid`',
    shownBy: [
      ['test/attacks/policy.test.ts', 'is judged by the policy of the base: a manifest without the platform'],
      [
        'test/attacks/policy.test.ts',
        'keeps the platform of a manifest that is deleted, replaced by a link, or made unreadable',
      ],
    ],
  },
  {
    bypass: 'a policy as a link, a folder, or longer than 1 MiB',
    stopped: 'every stage',
    found: 'every stage, `warrant doctor`',
    by: 'what exists and cannot be used stops the gate (`gate.file_unusable`)',
    shownBy: [
      ['test/attacks/policy.test.ts', 'stops the gate:'],
      ['test/attacks/policy.test.ts', 'stops the answer to an agent and is named by doctor'],
    ],
  },
  {
    bypass: 'padding that looks binary, byte order marks, encodings, `.TS`, a link with program text',
    stopped: 'every stage',
    found: 'every stage',
    by: 'the file is scanned all the same, in each reading that programs use; `gate.ambiguous-encoding`, `gate.file-unread` and `gate.link-content` are `CRITICAL`. A submodule is only named (`gate.submodule`, `WARN`)',
    shownBy: [
      ['test/attacks/bytes.test.ts', 'is judged in both'],
      ['test/attacks/bytes.long.ts', 'a secret or a marker in every encoding, under every name'],
      ['test/attacks/unjudged-files.test.ts', 'look binary blocks at PRE_COMMIT'],
      ['test/attacks/unjudged-files.test.ts', 'in a declared encoding that hides lines'],
      ['test/attacks/unjudged-files.test.ts', 'is judged by rules with file patterns too'],
      ['test/attacks/unjudged-files.test.ts', 'as the content of a symbolic link blocks'],
      ['test/attacks/unjudged-files.test.ts', 'in a submodule is named as not judged'],
    ],
  },
  {
    bypass: 'a source file that says it is generated',
    stopped: 'every stage',
    found: 'every stage',
    by: 'a comment and long lines do not count for a change, `.gitattributes` only as the base has it; adding an attribute is `gate.policy-changed` (`ERROR`). New files with the name of a generated or vendored one are read for secrets and conflict markers, and named in the report',
    shownBy: [
      [
        'test/attacks/generated-files.test.ts',
        'by a comment, long lines or attributes of the change is judged',
      ],
      ['test/attacks/generated-files.test.ts', 'is counted and named'],
      ['test/attacks/bytes.test.ts', 'that takes files from the rules is a change of policy'],
    ],
  },
  {
    bypass: 'an attribute that lets git write another text into checkouts: `working-tree-encoding`, `filter`',
    stopped: 'every stage',
    found: 'every stage',
    by: 'an encoding that is unknown is `gate.ambiguous-encoding` (`CRITICAL`), any other attribute that changes programs `gate.policy-changed` (`ERROR`). Line ends may be changed',
    shownBy: [
      ['test/attacks/bytes.test.ts', 'that lets git write another encoding into checkouts blocks'],
      ['test/attacks/bytes.long.ts', 'attributes that change texts, in any folder'],
    ],
  },
  {
    bypass: 'names that are not UTF-8, a name twice in a tree, a tree with the content of another one',
    stopped: 'every stage; the tree: PRE_PUSH, CI',
    found: 'every stage; the tree: PRE_PUSH, CI',
    by: 'names are escaped byte by byte; a name that occurs twice, and a tree that is not what its id says, stop the gate. At a commit git is believed about the last commit; its receipt is about the tree as it is',
    shownBy: [
      ['test/attacks/bytes.test.ts', 'are two files'],
      ['test/attacks/bytes.test.ts', 'of which a tree holds one twice are a fault'],
      ['test/attacks/bytes.test.ts', 'with the content of another tree under the id of'],
      ['test/attacks/bytes.long.ts', 'programs under names of any bytes'],
    ],
  },
  {
    bypass: 'a flood of matches, a file over 2 MiB',
    stopped: 'every stage',
    found: 'every stage',
    by: '`gate.file-given-up` is `CRITICAL`; the most severe matches are kept',
    shownBy: [
      ['test/attacks/unjudged-files.test.ts', 'of 10,050 harmless matches does not push out the evil one'],
      ['test/attacks/unjudged-files.test.ts', 'in a file beyond the size limit blocks at PRE_COMMIT'],
    ],
  },
  {
    bypass: 'a tag named `main` or `origin/main`',
    stopped: 'CI',
    found: 'CI',
    by: 'base and head are object ids of the event; refs are used by their full names',
    shownBy: [
      ['test/attacks/commits.test.ts', 'is not a tag that is named like it'],
      ['test/attacks/commits.test.ts', 'does not start at a tag that is named like the branch'],
      ['test/attacks/listed-keys.test.ts', 'a tag with the name of the target hides no commit'],
    ],
  },
  {
    bypass: 'several commits pushed to the base branch at once',
    stopped: 'CI',
    found: 'CI',
    by: 'the range of the push is judged, from its start',
    shownBy: [
      ['test/attacks/commits.test.ts', 'is where a push started, whatever number of commits it brings'],
      [
        'test/attacks/listed-keys.test.ts',
        'every commit of a push to the target is asked for, from where the push started',
      ],
    ],
  },
  {
    bypass: '`PUMUKI_HARD_MODE=0`, `PUMUKI_HARD_MODE_PROFILE=critical-high`',
    stopped: 'PRE_PUSH, CI; not in PRE_COMMIT: existing clients rely on the variables',
    found: 'report, evidence, receipt, PRE_PUSH, CI',
    by: '`gate.policy-changed` (`WARN`); the receipt names the variable and does not cover the commit: `gate.receipt-policy`. CI has its own environment',
    shownBy: [
      ['test/attacks/policy.test.ts', 'is shown when the environment relaxes hard mode'],
      [
        'test/attacks/forged-receipts.test.ts',
        'when variables relaxed hard mode or the specification, and the receipt says which',
      ],
    ],
  },
  {
    bypass: '`PUMUKI_SDD_BYPASS=1`',
    stopped: 'PRE_PUSH, CI; not in PRE_COMMIT: existing clients rely on the variable',
    found: 'report, evidence, receipt, PRE_PUSH, CI',
    by: '`sdd.policy.bypassed` (`WARN`); the receipt names the variable and does not cover the commit: `gate.receipt-policy`',
    shownBy: [
      ['test/e2e/gate-cli.test.ts', 'can be switched off, and the evidence says so'],
      [
        'test/attacks/forged-receipts.test.ts',
        'when variables relaxed hard mode or the specification, and the receipt says which',
      ],
    ],
  },
  {
    bypass: 'a planted `openspec`, `openspec/` as a link, the folder removed',
    stopped: 'every stage; the folder removed: PRE_PUSH, CI',
    found: 'every stage, `warrant doctor`',
    by: 'no program of the repository runs; a link stops the gate. A session is a key of the local git configuration: who may write that can open one',
    shownBy: [
      ['test/attacks/programs.test.ts', 'is not started by warrant'],
      ['test/attacks/policy.test.ts', 'is told to keep its specification'],
      [
        'test/attacks/listed-keys.test.ts',
        'a planted openspec does not run, and a link in its place stops the gate',
      ],
    ],
  },
  {
    bypass: '`warrant.json` with `readOnly`, `store`, `stateDir`; `--no-evidence`',
    stopped: 'found settings have no effect',
    found: 'the output of the run',
    by: 'the settings are left out with a notice; what the operator chose is said, and is `recorded: false`',
    shownBy: [
      ['test/e2e/planted-links.test.ts', 'Settings that came with a repository'],
      ['test/attacks/lineage.test.ts', 'by choice of the operator is said in the output'],
      [
        'test/attacks/listed-keys.test.ts',
        'settings of the repository take no receipt away, and what the operator leaves out covers nothing',
      ],
    ],
  },
  {
    bypass: 'the decision log cut, rewritten, rolled back, deleted, a payload taken out',
    stopped: 'the next `warrant gate`, `log checkpoint`; PRE_PUSH, CI',
    found: '`log verify`, `log consistency`, `warrant doctor`, PRE_PUSH, CI',
    by: "all entries are read, and this machine remembers size and newest checksum in the user's state folder. Where a process of the same user changed that too, the log contradicts the checkpoints that were published and cosigned: `gate.lineage-contradiction` shows both. A log that is deleted before anything of it was published is begun again",
    shownBy: [
      ['test/attacks/lineage.test.ts', 'with entry 5 changed is not consistent'],
      ['test/attacks/lineage.test.ts', 'without the payload of a decision is damaged'],
      ['test/attacks/lineage.test.ts', 'and that was rolled back is not continued'],
      ['test/attacks/lineage.test.ts', 'and whose last verdict was rewritten, chained anew, is found'],
      ['test/attacks/lineage.test.ts', 'and that was deleted is begun again with a warning'],
      ['test/attacks/forged-receipts.test.ts', 'contradicts what was published of it, with both checkpoints'],
    ],
  },
  {
    bypass: 'a broken database, or a full disk for the log',
    stopped: '`warrant gate`, MCP, HTTP',
    found: 'the same, `warrant doctor`',
    by: 'a decision that cannot be recorded fails (exit code 8)',
    shownBy: [
      ['test/attacks/lineage.test.ts', 'because the database is planted makes the gate fail'],
      ['test/attacks/lineage.test.ts', 'because the disk takes no more makes the gate fail'],
      ['test/attacks/lineage.test.ts', 'is an error with a code and a fix over MCP, not a verdict'],
      ['test/attacks/listed-keys.test.ts', 'a log that cannot be written stops the commit'],
    ],
  },
  {
    bypass: '`SOURCE_DATE_EPOCH`, the system clock',
    stopped:
      '`ai_gate_check`, for `SOURCE_DATE_EPOCH`; PRE_PUSH and CI, for a clock that is set back by more than a receipt is valid',
    found: '`ai_gate_check`, PRE_PUSH, CI',
    by: 'the age of the run in the decision log counts where it is greater. Receipts do not take `SOURCE_DATE_EPOCH`; one that is older than 30 days at the time of the commit is `gate.receipt-expired`. The times of a commit and of a receipt are the word of their maker; a clock that is set back by less is not noticed',
    shownBy: [
      ['src/gate/judge-evidence.test.ts', 'takes the age of the decision log where that is greater'],
      [
        'test/attacks/forged-receipts.test.ts',
        'when the clock was set back for it, and SOURCE_DATE_EPOCH is no clock',
      ],
    ],
  },
  {
    bypass: 'a detached head, or `Main` for `main`',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`',
    by: 'branch names are compared without case; a detached head counts as the branches that point at it',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'on a protected branch in other letters, or on a detached head of it'],
      [
        'test/attacks/listed-keys.test.ts',
        'a protected branch in other letters, or a detached head of it, is not allowed',
      ],
    ],
  },
  {
    bypass: 'what a rule reports, such as a secret, added and taken out again within one push',
    stopped: 'PRE_COMMIT; PRE_PUSH and CI, where that hook was avoided',
    found: 'PRE_PUSH, CI',
    by: 'a range is judged by its two ends, so the files are clean; the commit in between has no receipt (`gate.receipt-missing`), and `warrant receipts check --judge` blocks it. Without listed keys nothing finds it',
    shownBy: [
      [
        'test/attacks/missing-receipts.test.ts',
        'are found where what they brought was taken out again before the push',
      ],
    ],
  },
  {
    bypass: 'an empty run of the gate after a commit that avoided it, so that its tree has a receipt',
    stopped: 'PRE_PUSH, CI',
    found: '`warrant receipts check`, PRE_PUSH, CI',
    by: 'receipts lead from the tree that was compared with to the tree that was judged; one about no change leads nowhere',
    shownBy: [['test/attacks/forged-receipts.test.ts', 'when it is about no change, made after the commit']],
  },
  {
    bypass:
      'a verdict on the working tree while `skip-worktree`, `assume-unchanged` or a sparse checkout keeps another text in the index',
    stopped: 'PRE_PUSH, CI',
    found: 'PRE_PUSH, CI',
    by: 'the receipt is partial and covers nothing; the hook of a commit judges the index itself',
    shownBy: [['test/attacks/unread-blobs.test.ts', 'behind skip-worktree']],
  },
  {
    bypass: 'a merge that has the tree of an old commit, and so takes a repair away',
    stopped: 'PRE_PUSH, CI',
    found: 'PRE_PUSH, CI',
    by: '`gate.receipt-missing`: receipts lead back to the merge base or to a commit of the range alone',
    shownBy: [['test/attacks/restored-trees.test.ts', 'is covered by no receipt']],
  },
  {
    bypass: 'a receipt copied to another tree, or rewritten for it',
    stopped: 'PRE_PUSH, CI',
    found: '`warrant receipts check`, PRE_PUSH, CI',
    by: 'the signed statement names the tree: `gate.receipt-missing`, `gate.receipt-foreign`',
    shownBy: [['test/attacks/forged-receipts.test.ts', 'when it is of another tree, as it is or rewritten']],
  },
  {
    bypass: 'a receipt by another key, also one that the same change lists',
    stopped: 'PRE_PUSH, CI',
    found: 'PRE_PUSH, CI',
    by: 'the keys of the target count: `gate.receipt-foreign`, and `gate.policy-changed` (`ERROR`) for the key that is added',
    shownBy: [
      [
        'test/attacks/forged-receipts.test.ts',
        'when its key is not listed, or is listed by the change itself',
      ],
    ],
  },
  {
    bypass: 'a branch from before keys were listed, or before a key was revoked',
    stopped: 'PRE_PUSH for a new branch, CI',
    found: 'PRE_PUSH for a new branch, CI',
    by: 'the keys of the newest commit of the target count. A receipt says itself when it was made; one of a revoked key counts only if another key witnessed it before',
    shownBy: [
      [
        'test/attacks/missing-receipts.test.ts',
        'are asked for by the newest commit of the target, not by one from before it listed keys',
      ],
      [
        'test/attacks/forged-receipts.test.ts',
        'that was revoked after the branch left the target covers nothing',
      ],
    ],
  },
  {
    bypass: 'receipts taken out of the notes of the remote, by deleting the ref or setting it back',
    stopped: 'CI',
    found: 'CI',
    by: 'a commit whose receipt is gone is not covered; the next push restores what this clone has',
    shownBy: [
      [
        'test/attacks/forged-receipts.test.ts',
        'that were deleted or set back leave commits uncovered, and the next push restores them',
      ],
    ],
  },
  {
    bypass: '`policyFrom: worktree` in `warrant.json`, with a laxer policy in the same change',
    stopped: 'every stage',
    found: 'every stage',
    by: 'a setting of the repository about whose policy judges is left out with a notice, so the policy of the base counts. An operator who asks for the other one gets a receipt that covers nothing: `gate.receipt-policy`',
    shownBy: [
      [
        'test/attacks/listed-keys.test.ts',
        'settings of the repository take no receipt away, and what the operator leaves out covers nothing',
      ],
      [
        'test/attacks/listed-keys.test.ts',
        'a policy of the working tree passes the hook where the operator asks for it, and covers nothing',
      ],
    ],
  },
  {
    bypass: 'a receipt of `--policy-from worktree`, or of `WARRANT_POLICY_FROM`',
    stopped: 'PRE_PUSH, CI',
    found: '`warrant receipts check`, PRE_PUSH, CI',
    by: 'the receipt says so: `gate.receipt-policy`',
    shownBy: [
      ['test/attacks/forged-receipts.test.ts', 'when the policy of the working tree alone judged it'],
    ],
  },
  {
    bypass: 'a push to the address of the remote instead of its name',
    stopped: 'CI',
    found: 'CI',
    by: 'nothing says what the remote has: all files are judged at PRE_PUSH, and the receipts of the commits by CI',
    shownBy: [
      [
        'test/attacks/missing-receipts.test.ts',
        'are found where what they brought was taken out again before the push',
      ],
    ],
  },
  {
    bypass: '`--receipts off` or `--receipts report` at the push',
    stopped: 'CI',
    found: 'CI',
    by: 'the build has options of its own',
    shownBy: [
      [
        'test/attacks/missing-receipts.test.ts',
        'are not allowed by --receipts off: the build decides for itself',
      ],
    ],
  },
]

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
    stopped: 'CI',
    found: 'CI',
    by: 'the action judges every commit of the change; locally nothing shows it',
    shownBy: [['test/attacks/avoided-hooks.test.ts', 'by git commit --no-verify is blocked in CI']],
  },
  {
    bypass: '`git -c core.hooksPath=/dev/null commit`, or the same through `GIT_CONFIG_COUNT`',
    stopped: 'CI',
    found: 'CI',
    by: 'as 1',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by git -c core.hooksPath=/dev/null commit is blocked in CI'],
    ],
  },
  {
    bypass: '`core.hooksPath` set for good',
    stopped: 'CI',
    found: '`warrant doctor`, CI',
    by: 'doctor compares the hooks folder; the action judges the commits',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by core.hooksPath set for good is blocked in CI'],
      ['test/e2e/install.test.ts', 'doctor warns when state and hooks disagree'],
    ],
  },
  {
    bypass: '`git commit-tree` and `git update-ref`, cherry-pick, rebase, `git am`, a clone without hooks',
    stopped: 'CI',
    found: 'CI',
    by: 'as 1',
    shownBy: [
      ['test/attacks/avoided-hooks.test.ts', 'by git commit-tree and git update-ref is blocked in CI'],
      ['test/attacks/avoided-hooks.test.ts', 'by a clone without hooks is blocked in CI'],
    ],
  },
  {
    bypass: '`exit 0` before the block of the hook, `|| true` in it, `chmod -x`',
    stopped: 'CI',
    found: '`warrant doctor`, `warrant status`, CI',
    by: 'the bytes of the block, its place and the mode of the file',
    shownBy: [
      ['test/attacks/dead-hooks.test.ts', 'is told by doctor'],
      ['test/attacks/dead-hooks.test.ts', 'because its result is thrown away is told'],
    ],
  },
  {
    bypass: 'another `warrant` in `node_modules/.bin` or on the path',
    stopped: 'the hook; in the repository: PRE_PUSH, CI',
    found: 'CI',
    by: 'the hook runs the program that installed it first; a tracked `node_modules` is `gate.modules-tracked`. If that program is removed, the hook takes the next one it finds',
    shownBy: [
      ['test/e2e/hooks.test.ts', 'take the program that installed them, else the one on the path'],
      ['test/attacks/unjudged-files.test.ts', 'below a tracked node_modules blocks a push'],
    ],
  },
  {
    bypass: 'a hook that runs after ours and changes the index or the commit',
    stopped: 'PRE_PUSH, CI',
    found: 'PRE_PUSH',
    by: 'the commits that leave are judged, not what was staged',
    shownBy: [
      ['test/attacks/commits.test.ts', 'is judged after a hook that ran behind ours changed the commit'],
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
    ],
  },
  {
    bypass: 'the upstream, or `refs/remotes/origin/main`, moved locally',
    stopped: 'PRE_PUSH in the hook, CI',
    found: 'PRE_PUSH',
    by: 'git tells the hook on stdin what the remote has; by hand, without stdin, the local refs are believed',
    shownBy: [
      [
        'test/attacks/commits.test.ts',
        'is compared with what the remote has, not with a local ref that was moved there',
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
    ],
  },
  {
    bypass: 'evidence over nothing: `HEAD..HEAD`, nothing staged, `PRE_COMMIT_FROM_REF`',
    stopped: '`ai_gate_check`, PRE_PUSH',
    found: '`ai_gate_check`',
    by: '`EVIDENCE_SCOPE_EMPTY`, `EVIDENCE_TREE_MISMATCH`',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence over nothing: HEAD..HEAD, or nothing staged'],
      [
        'test/attacks/commits.test.ts',
        'with an empty range in the variables of pre-commit is judged all the same',
      ],
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
    ],
  },
  {
    bypass: 'evidence written by hand, with or without a chain',
    stopped: '`ai_gate_check`, where the gate has run before',
    found: 'CI',
    by: '`EVIDENCE_UNBOUND`, `EVIDENCE_SUPERSEDED`. Evidence is not signed: a process that may write the file, the log and the memory of this machine can forge all three',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'by evidence that was written by hand, with a chain or without one'],
    ],
  },
  {
    bypass: 'evidence removed, then `warrant install`',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`',
    by: 'install runs the gate and writes what its rules found',
    shownBy: [['test/attacks/verdict.test.ts', 'by evidence that `warrant install` wrote']],
  },
  {
    bypass: 'a baseline, policy or severities in the working tree, not committed',
    stopped: 'every stage',
    found: 'every stage',
    by: 'the policy of the last commit counts as well, the stricter one wins; `gate.policy-changed`',
    shownBy: [
      ['test/attacks/policy.test.ts', 'hides nothing of the staged change: baseline, thresholds, severities'],
    ],
  },
  {
    bypass: 'the same, committed with the change',
    stopped: 'PRE_PUSH, CI',
    found: 'every stage',
    by: 'the policy of the base counts as well; a weaker one is `gate.policy-changed` (`ERROR`)',
    shownBy: [
      ['test/attacks/policy.test.ts', 'is judged by the policy of the base'],
      ['test/attacks/policy.test.ts', 'is blocked for the weakening alone'],
      ['test/attacks/policy.test.ts', 'a rule that the change deletes, weakens or rewrites still runs'],
    ],
  },
  {
    bypass: 'suppression comments in the change',
    stopped: 'PRE_PUSH and CI, for rules that are `CRITICAL`',
    found: 'every stage',
    by: '`gate.suppression-added` (`WARN`, `ERROR` for a `CRITICAL` rule). A suppression that is already committed may be moved within its file',
    shownBy: [['test/attacks/policy.test.ts', 'shows each suppression comment that it adds, and no old one']],
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
    bypass: 'padding that looks binary, encodings, `.TS`, a link with program text',
    stopped: 'every stage',
    found: 'every stage',
    by: 'the file is scanned all the same; `gate.file-unread` and `gate.link-content` are `CRITICAL`. A submodule is only named (`gate.submodule`, `WARN`)',
    shownBy: [
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
    by: 'a comment, long lines and `.gitattributes` count only as the base has them. New files with the name of a generated or vendored one are read for secrets and conflict markers, and named in the report',
    shownBy: [
      [
        'test/attacks/generated-files.test.ts',
        'by a comment, long lines or attributes of the change is judged',
      ],
      ['test/attacks/generated-files.test.ts', 'is counted and named'],
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
    ],
  },
  {
    bypass: 'several commits pushed to the base branch at once',
    stopped: 'CI',
    found: 'CI',
    by: 'the range of the push is judged, from its start',
    shownBy: [
      ['test/attacks/commits.test.ts', 'is where a push started, whatever number of commits it brings'],
    ],
  },
  {
    bypass: '`PUMUKI_HARD_MODE=0`, `PUMUKI_HARD_MODE_PROFILE=critical-high`',
    stopped: 'not locally: existing clients rely on the variables',
    found: 'report, evidence, CI',
    by: '`gate.policy-changed` (`WARN`); CI has its own environment',
    shownBy: [['test/attacks/policy.test.ts', 'is shown when the environment relaxes hard mode']],
  },
  {
    bypass: '`PUMUKI_SDD_BYPASS=1`',
    stopped: 'not locally: existing clients rely on the variable',
    found: 'report, evidence',
    by: '`sdd.policy.bypassed` (`WARN`)',
    shownBy: [['test/e2e/gate-cli.test.ts', 'can be switched off, and the evidence says so']],
  },
  {
    bypass: 'a planted `openspec`, `openspec/` as a link, the folder removed',
    stopped: 'every stage; the folder removed: PRE_PUSH, CI',
    found: 'every stage, `warrant doctor`',
    by: 'no program of the repository runs; a link stops the gate. A session is a key of the local git configuration: who may write that can open one',
    shownBy: [
      ['test/attacks/programs.test.ts', 'is not started by warrant'],
      ['test/attacks/policy.test.ts', 'is told to keep its specification'],
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
    ],
  },
  {
    bypass: 'the decision log cut, rewritten, rolled back, deleted, a payload taken out',
    stopped: 'the next `warrant gate`, `lineage checkpoint`',
    found: '`lineage verify`, `lineage consistency`, `warrant doctor`',
    by: "all entries are read; this machine remembers the size and the newest checksum of the log in the user's state folder, which a process of the same user can change too",
    shownBy: [
      ['test/attacks/lineage.test.ts', 'with entry 5 changed is not consistent'],
      ['test/attacks/lineage.test.ts', 'without the payload of a decision is damaged'],
      ['test/attacks/lineage.test.ts', 'and that was rolled back is not continued'],
      ['test/attacks/lineage.test.ts', 'and whose last verdict was rewritten, chained anew, is found'],
      ['test/attacks/lineage.test.ts', 'and that was deleted is begun again with a warning'],
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
    ],
  },
  {
    bypass: '`SOURCE_DATE_EPOCH`, the system clock',
    stopped: '`ai_gate_check`, for `SOURCE_DATE_EPOCH`',
    found: '`ai_gate_check`',
    by: 'the age of the run in the decision log counts where it is greater; a system clock that is set back is not noticed',
    shownBy: [['src/gate/judge.test.ts', 'takes the age of the decision log where that is greater']],
  },
  {
    bypass: 'a detached head, or `Main` for `main`',
    stopped: '`ai_gate_check`',
    found: '`ai_gate_check`',
    by: 'branch names are compared without case; a detached head counts as the branches that point at it',
    shownBy: [
      ['test/attacks/verdict.test.ts', 'on a protected branch in other letters, or on a detached head of it'],
    ],
  },
]

import type { Pledge } from '../requirements.ts'

/** An attack on a promise, what holds against it, and the tests that carry out the attack. */
interface Threat extends Pick<Pledge, 'shownBy'> {
  readonly attack: string
  readonly defence: string
}

/** The threat model: promise → attacks. `docs/threat-model.md` is printed from it. */
export const THREATS: Readonly<Record<string, readonly Threat[]>> = {
  'A hostile client costs one error, bounded memory and nothing else.': [
    {
      attack: 'malformed, deeply nested, huge or endless frames',
      defence: 'bounded line reader; one error, then the next line is served',
      shownBy: [
        ['test/e2e/wire-probe.test.ts', 'A line after initialize'],
        ['test/e2e/wire-hostile.test.ts', 'costs one error and no more memory than the limit of a line'],
        ['test/fuzz/frames.test.ts', 'thousands of them get what they are owed'],
      ],
    },
    {
      attack: 'prototype names as tool or argument',
      defence: 'tools are in a `Map`, arguments are validated by strict schemas',
      shownBy: [
        ['src/kernel/catalog.test.ts', 'nothing under the names of object members'],
        ['test/e2e/wire-hostile.test.ts', 'Names of Object.prototype'],
      ],
    },
    {
      attack: 'reading secrets from errors',
      defence:
        'faults contain only text of Warrant; exceptions go to the log, and the caller gets "Internal error"',
      shownBy: [
        ['src/kernel/invoke.test.ts', 'passes on a fault and hides a bug, whose stack goes to the log'],
        ['test/e2e/wire-probe.test.ts', 'answers an internal error and keeps'],
      ],
    },
    {
      attack: 'forging log lines',
      defence: 'control characters are escaped',
      shownBy: [['src/platform/system/log.test.ts', 'lets no value forge a line or paint the terminal']],
    },
    {
      attack: "changing a tool definition without the user's knowledge",
      defence: 'stable order, no invisible characters, a digest of each definition in `warrant://tools`',
      shownBy: [['test/surface.test.ts', 'as it was agreed']],
    },
    {
      attack: 'other output on stdout that breaks the protocol',
      defence: 'the console is redirected to stderr before anything else is loaded',
      shownBy: [['test/fuzz/frames.test.ts', 'thousands of them get what they are owed']],
    },
    {
      attack: 'orphaned servers',
      defence: 'end of input, signals, a broken pipe and a dead parent all end the process',
      shownBy: [['test/e2e/lifecycle.test.ts', 'When the parent is killed']],
    },
    {
      attack: 'a writing tool in a read-only server',
      defence: 'not listed, not found, and refused by a guard',
      shownBy: [
        ['src/kernel/catalog.test.ts', 'does not find what the selection left out'],
        ['src/kernel/invoke.test.ts', 'lets guards refuse'],
      ],
    },
    {
      attack: 'an answer whose text a client drops, because it hands over structured content alone',
      defence: 'a tool that answers with text has no structured content beside it',
      shownBy: [['test/e2e/tool-answers.test.ts', 'everything that an answer says reaches a model']],
    },
    {
      attack: 'two servers that answer each other for ever',
      defence: 'a response is never answered',
      shownBy: [['test/attacks/wire.test.ts', 'an error with a null id is not answered']],
    },
    {
      attack: 'one long call that keeps all others waiting',
      defence: 'long work is done in steps',
      shownBy: [['test/attacks/wire.test.ts', 'does not keep /health from answering']],
    },
  ],
  'Only the programs that the operator allowed reach the server over HTTP.': [
    {
      attack: 'DNS rebinding, cross-site requests',
      defence:
        '`Host` and `Origin` allow-lists on every path; requests that a browser marks as cross-site and that have no `Origin` (images, scripts, links) are refused too',
      shownBy: [
        ['src/http/guards.test.ts', 'judges the host'],
        ['test/e2e/http-server.test.ts', 'refuses the origin'],
      ],
    },
    {
      attack: 'listening on a network by mistake',
      defence:
        'loopback by default, and a token at every address; older servers need none on loopback, and say so',
      shownBy: [
        ['test/e2e/serve-token.test.ts', 'is needed at every address and every path but /health'],
        [
          'test/e2e/enterprise.test.ts',
          'needs a token off loopback, and says on loopback that it needs none',
        ],
        ['test/e2e/evidence-program.test.ts', 'off loopback it wants the token'],
      ],
    },
    {
      attack: 'another user of the machine',
      defence:
        'without the token `/health` says ok, and nothing else is answered; the token is in a file that other users cannot read',
      shownBy: [
        ['test/e2e/serve-token.test.ts', 'gets nothing but ok from /health'],
        ['test/e2e/serve-token.test.ts', 'refuses an unsafe token file'],
      ],
    },
    {
      attack: 'a client with the token that may only read',
      defence: 'it has a server in read-only mode, and routes that append, sign or run refuse it',
      shownBy: [['test/attacks/read-only.test.ts', 'appends, signs and runs nothing']],
    },
    {
      attack: 'guessing the token by timing',
      defence: 'digests are compared in constant time',
      shownBy: [['src/http/guards.test.ts', 'judges the authorization']],
    },
    {
      attack: 'slow or half-open connections',
      defence:
        'deadlines for headers and requests; limits for connections and for the bytes of all unfinished bodies together; the slowest give way to clients that behave',
      shownBy: [
        ['test/e2e/http-server.test.ts', 'Slow clients'],
        ['test/attacks/http.test.ts', '1,100 slow bodies that are renewed leave healthy clients served'],
        ['test/attacks/http.test.ts', '30 unfinished bodies of 4 MB do not keep a whole one out'],
      ],
    },
    {
      attack: 'a web page that posts to `/tool` without the browser asking first',
      defence: 'only `application/json` is accepted',
      shownBy: [['test/attacks/http.test.ts', 'does not reach a tool']],
    },
    {
      attack: 'hosts and origins that only look like loopback',
      defence: 'ports, user names and absolute targets are checked',
      shownBy: [
        ['test/attacks/http.test.ts', 'is refused'],
        ['test/attacks/http.test.ts', 'a target that names a host after two slashes is no path'],
      ],
    },
  ],
  'What is judged decides neither how it is judged nor what is run.': [
    {
      attack: 'a short file that hangs or crashes a parser',
      defence:
        'only TypeScript and JavaScript of ordinary depth are parsed in the process of the gate; all other files are parsed in child processes that are stopped after 2 seconds, and only that file is lost',
      shownBy: [['test/rules/hostile.test.ts', 'a hostile text']],
    },
    {
      attack: 'a pull request that brings its own gate',
      defence:
        'the action builds Warrant from its own commit, installs it without install scripts into a new folder outside the checkout, and runs it by its path',
      shownBy: [
        ['test/e2e/gate-places.test.ts', 'runs nothing that the pull request calls by our name'],
        ['test/e2e/gate-places.test.ts', 'installs what its own commit builds'],
      ],
    },
    {
      attack: 'a credential that the gate finds and its report spreads',
      defence:
        'matches of such rules are masked in every report, to the end of the next line, also where another finding quotes the line',
      shownBy: [['test/e2e/gate-reports.test.ts', 'show no secret they found']],
    },
    {
      attack: 'weakening the gate unnoticed',
      defence:
        'policy, severities, rules and platforms of the base count as well, the stricter one wins; weakening is the finding `gate.policy-changed`; an unknown rule name stops the gate',
      shownBy: [
        ['test/e2e/gate-cli.test.ts', 'makes a rule lighter at every stage, and says so'],
        ['test/attacks/policy.test.ts', 'is judged by the policy of the base'],
        ['test/attacks/policy.test.ts', 'is blocked for the weakening alone'],
      ],
    },
    {
      attack: 'planting compiled code',
      defence:
        'bytecode is made by the build, stored beside its text, and run only when both have the digests that the build wrote',
      shownBy: [
        ['test/startup.test.ts', 'takes the bytecode that was made when it was built'],
        ['test/attacks/bytecode.test.ts', 'is not run'],
      ],
    },
    {
      attack:
        'a hostile git configuration, also in a submodule, a linked worktree, or files that look like a repository',
      defence:
        'git runs without hooks, fsmonitor, locks, prompts and network, with a cleaned environment; filters configured by the repository are off, submodules are not entered, a bare repository must be named, and git is found only through absolute entries of the path',
      shownBy: [['src/platform/git/freshness.test.ts', 'of a folder from an untrusted author']],
    },
    {
      attack: 'a change id or a list of files in the git configuration that points elsewhere',
      defence:
        'only a single path segment is accepted; a purge touches `openspec/` alone, and nothing that git tracks',
      shownBy: [
        ['src/gate/sdd/openspec.test.ts', 'that may not be never reaches a path'],
        ['test/e2e/sdd.test.ts', 'does not open a session on'],
        ['test/e2e/install.test.ts', 'removes nothing outside openspec/'],
      ],
    },
    {
      attack: 'a repository, or a change of it, that declares a command as a check',
      defence:
        'a checks file runs only after a person allowed its digest on a terminal, or a workflow named it; until then it blocks, and a change that weakens it is a finding. A process of the same user can pretend to be a terminal',
      shownBy: [
        ['test/e2e/checks.test.ts', 'do not run before a person allows them, and that blocks'],
        ['test/e2e/checks.test.ts', 'changed by a pull request: the new command does not run'],
        ['src/gate/checks/join-checks.test.ts', 'and judges in both versions'],
      ],
    },
    {
      attack:
        'a check that hangs, leaves processes, floods its output, reads our variables or reports nothing',
      defence:
        'deadline and process group, bounded output, a reduced environment; a check without a result is a CRITICAL finding',
      shownBy: [
        [
          'src/platform/programs/command.test.ts',
          'is ended at its deadline, with children that left its group',
        ],
        ['src/platform/programs/command.test.ts', 'a part of it is kept'],
        ['test/e2e/checks.test.ts', 'that give no result block, each with its reason'],
        ['test/e2e/checks.test.ts', 'end with the program that is interrupted'],
      ],
    },
    {
      attack: 'a cached result of a check that was never run',
      defence: 'results are kept outside of every repository, bound to their key, and ignored when damaged',
      shownBy: [['src/platform/files/check-cache.test.ts', 'ignores an entry that is damaged']],
    },
    {
      attack: 'an `openspec` program that hangs, floods its output or spies',
      defence:
        'it runs only when the operator names it, or from a folder of the path outside the repository; never in read-only mode, in CI or behind a GET; separate process group, limits for time and size, reduced environment; output that cannot be parsed counts as a failure',
      shownBy: [
        ['src/platform/programs/openspec.test.ts', 'is killed'],
        ['test/e2e/sdd.test.ts', 'fails closed when the validator'],
        ['test/attacks/programs.test.ts', 'is not started by warrant'],
        ['test/attacks/programs.test.ts', 'is not started by tools that say that they only read'],
        ['test/attacks/programs.test.ts', 'is not started, nor is one on the path'],
      ],
    },
    {
      attack: 'hooks outside the repository, or a hook that would break',
      defence: 'refused before anything is written',
      shownBy: [
        ['test/e2e/hooks.test.ts', 'is never a folder outside the repository'],
        ['src/setup/git-hooks/hook-script.test.ts', 'is not forced on a hook for'],
      ],
    },
    {
      attack: 'a branch with the name of a command in a plan',
      defence: 'quoted; plans are never executed',
      shownBy: [['test/e2e/enterprise.test.ts', 'plans and never acts']],
    },
    {
      attack: 'a policy, rules folder or specification that exists and cannot be used',
      defence: 'the gate stops and names the file',
      shownBy: [
        ['test/attacks/policy.test.ts', 'stops the gate:'],
        ['test/attacks/policy.test.ts', 'stops the gate in CI: a policy that is committed as a link'],
      ],
    },
    {
      attack: 'a commit made around the hooks, or evidence written by hand with a chain that fits',
      defence:
        'where keys are listed, each needs a receipt by one of them: at the push, in CI, and for agents',
      shownBy: [
        ['test/e2e/receipts.test.ts', 'miss for a commit without hooks'],
        ['test/e2e/receipts.test.ts', 'edited evidence does not allow'],
      ],
    },
    {
      attack: 'an agent that goes past the hooks in a way that no reader of commands knows',
      defence:
        'what each event left is compared with the one before: changed guards are put back, commits without a receipt named',
      shownBy: [
        ['test/e2e/agent-bypasses.test.ts', 'is named with what blocks in it'],
        ['test/e2e/agent-bypasses.test.ts', 'is named, and the gate runs again'],
      ],
    },
    {
      attack: 'a receipt by a key that is not listed, was revoked, or is listed by the same change',
      defence: 'the keys of the base count; adding one is a finding that a reviewer decides',
      shownBy: [
        ['test/e2e/receipts.test.ts', 'of a key that is not listed are shown and not trusted'],
        ['test/e2e/receipts.test.ts', 'counts for what another key witnessed before, and for nothing else'],
        [
          'test/attacks/forged-receipts.test.ts',
          'when its key is not listed, or is listed by the change itself',
        ],
      ],
    },
    {
      attack: 'a receipt of what the gate did not read: other contents in the index, links, files given up',
      defence:
        'the tree is compared with what was read; where they differ, the receipt is partial and covers nothing',
      shownBy: [
        ['test/attacks/unread-blobs.test.ts', 'behind skip-worktree'],
        ['test/attacks/unread-blobs.test.ts', 'behind a link that git does not know'],
        ['test/attacks/unread-blobs.test.ts', 'in a text that is too large to be read'],
      ],
    },
    {
      attack: 'a merge that puts an old tree of the target back',
      defence: 'receipts lead back to the merge base or to a commit of the range, never to an older one',
      shownBy: [['test/attacks/restored-trees.test.ts', 'is covered by no receipt']],
    },
    {
      attack: 'a log of decisions that was set back, with all that this machine remembers of it',
      defence: 'checkpoints travel with each push and are cosigned; a contradiction blocks and names both',
      shownBy: [['test/e2e/receipts.test.ts', 'is found at the next push, with both checkpoints']],
    },
    {
      attack: 'the key of CI in a pull request from a fork',
      defence: 'the action needs none for its verdict, and neither signs nor publishes for a fork',
      shownBy: [['test/e2e/gate-places.test.ts', 'which need no secret and publish nothing']],
    },
    {
      attack: 'a file that looks binary, hides lines by its encoding, or floods the report',
      defence: 'it is scanned all the same, or is a finding that blocks at every stage',
      shownBy: [
        ['test/attacks/unjudged-files.test.ts', 'look binary blocks at PRE_COMMIT'],
        ['test/attacks/unjudged-files.test.ts', 'in a declared encoding that hides lines'],
        ['test/attacks/unjudged-files.test.ts', 'of 10,050 harmless matches does not push out the evil one'],
        ['test/attacks/bytes.test.ts', 'for each of them'],
      ],
    },
    {
      attack: 'a tag, branch or local ref that takes the place of the base',
      defence: 'object ids of the event and of the push, full ref names',
      shownBy: [
        ['test/attacks/commits.test.ts', 'is not a tag that is named like it'],
        ['test/attacks/commits.test.ts', 'is compared with what the remote has'],
      ],
    },
    {
      attack: 'a shallow clone, or an event that is damaged',
      defence: 'a fault with the fix, never an empty range',
      shownBy: [
        ['test/attacks/commits.test.ts', 'is missing in a shallow clone'],
        ['test/attacks/commits.test.ts', 'does not come from an event that is damaged'],
      ],
    },
    {
      attack: 'replaced objects, grafts, foreign indexes and work trees, hidden files',
      defence: 'git is asked without them, or they are compared all the same',
      shownBy: [
        ['test/attacks/git-indirections.test.ts', 'git replace does not put a clean blob'],
        ['test/attacks/git-indirections.test.ts', 'an object with other content under the id'],
        ['test/attacks/git-indirections.test.ts', 'core.worktree does not lead the gate'],
        ['test/attacks/git-indirections.test.ts', 'an index of the attacker in the git folder'],
      ],
    },
    {
      attack: 'a `.git` that leads to another repository, or links inside it',
      defence: 'refused before git starts; nothing is written through them',
      shownBy: [
        ['test/attacks/git-indirections.test.ts', 'is not read through'],
        ['test/attacks/git-indirections.test.ts', 'is read by no tool, and gets no hooks'],
        ['test/attacks/git-indirections.test.ts', 'is not written through a link in the place of .git/'],
      ],
    },
    {
      attack: 'a `git` in the repository, or in a `node_modules/.bin` on the path',
      defence: 'such entries of the path are skipped',
      shownBy: [
        [
          'test/attacks/git-indirections.test.ts',
          'a git in node_modules/.bin, or elsewhere in the repository, is not started',
        ],
      ],
    },
    {
      attack: 'file names that are commands of a CI server',
      defence: 'escaped in the text report',
      shownBy: [['test/attacks/unjudged-files.test.ts', 'holds no workflow command']],
    },
  ],
  "Evidence from outside is data; writers do not lose each other's work.": [
    {
      attack: 'hostile evidence: truncated, huge, deeply nested, of another shape',
      defence: 'limited and fully validated; the result is an answer, never a crash',
      shownBy: [
        ['test/e2e/evidence-http.test.ts', 'bad files'],
        ['src/evidence/read.test.ts', 'is invalid, and never a throw'],
      ],
    },
    {
      attack: 'a symlink, pipe or device in place of the evidence',
      defence: 'not followed, not waited for',
      shownBy: [['test/contracts/evidence-file.test.ts', 'without following or waiting']],
    },
    {
      attack: 'writers that race or die',
      defence: 'a lock that knows its owner, a rename, no lost takeover',
      shownBy: [['test/contracts/evidence-file.test.ts', 'loses nothing when ten processes do it at once']],
    },
    {
      attack: 'evidence of another tree, stage, policy or repository, an old copy, or one written by hand',
      defence:
        'evidence names the tree it judged; it is compared with the present tree and with the decision log',
      shownBy: [
        ['test/attacks/verdict.test.ts', 'by evidence of an earlier tree'],
        ['test/attacks/verdict.test.ts', 'by evidence of another repository'],
        ['test/attacks/verdict.test.ts', 'by an old copy that is put back after the gate blocked'],
        ['test/attacks/verdict.test.ts', 'by evidence that was written by hand'],
        ['test/attacks/unbound-evidence.test.ts', 'is replaced by the repair that the answer names'],
      ],
    },
    {
      attack: 'forged human intent in the evidence',
      defence: 'it is carried over only from evidence with a valid chain',
      shownBy: [
        ['test/attacks/verdict.test.ts', 'that was forged into the evidence is not passed on and sealed'],
      ],
    },
  ],
  'What lies in a repository leads Warrant to no place outside it.': [
    {
      attack:
        'symlinks planted under the names that Warrant reads and writes: state folder, database, key, reports, packet stores, hooks',
      defence: 'refused, or replaced by a rename; never followed',
      shownBy: [['test/e2e/planted-links.test.ts', 'A link in the place of']],
    },
    {
      attack: 'pipes and devices planted in place of keys, policies and caches of packets',
      defence:
        'opened without blocking, checked by descriptor, limited in size; a table lists the files that may be read otherwise',
      shownBy: [
        ['test/architecture.test.ts', 'read whole files only where the table says whose they are'],
        ['test/contracts/packet-policy.test.ts', 'that never ends'],
      ],
    },
    {
      attack: 'a database planted in the state folder, with views or triggers that never end',
      defence: 'its schema is compared with the expected one before any statement runs',
      shownBy: [['test/contracts/sqlite-log.test.ts', 'of another program is refused, and stays as it is']],
    },
    {
      attack: 'a `warrant.json` in a repository that points outside it',
      defence:
        'the places it names must be in its folder, and it cannot open connections to or from other machines (embedding server, database, listening address, origins, token, issuer, private registries or registries without TLS), unless the operator names the file; a registry it names is used only on the public internet; state folder, store, read-only mode, toolsets, denied paths and addresses in it are left out with a notice',
      shownBy: [['test/e2e/planted-links.test.ts', 'Settings that came with a repository']],
    },
    {
      attack: 'a new place in the code that opens files',
      defence:
        'a table gives the origin of the paths for each file; a file that is not listed fails the tests',
      shownBy: [['test/architecture.test.ts', 'open files only where the table says on whose word']],
    },
    {
      attack: '`--read-only` that writes',
      defence:
        'a listing before and after every command, tool and route is the same; commands that exist to write refuse it',
      shownBy: [
        ['test/attacks/read-only.test.ts', 'writes nothing in any command'],
        ['test/attacks/read-only.test.ts', 'writes nothing in any tool of a server'],
        ['test/attacks/read-only.test.ts', 'writes nothing behind the routes'],
      ],
    },
  ],
  'History cannot be changed unnoticed, and the graph stays private.': [
    {
      attack: 'changing, truncating or reordering the history',
      defence:
        'hash chain, Merkle tree, signed checkpoints kept elsewhere, an independent verifier; every entry is read, and this machine remembers the newest entry it saw',
      shownBy: [
        ['src/lineage/merkle.test.ts', 'do not hold when anything in them is changed'],
        ['src/lineage/checkpoint.test.ts', 'is not opened when a single byte of what it says is another'],
        ['test/attacks/lineage.test.ts', 'with entry 5 changed is not consistent'],
        ['test/attacks/lineage.test.ts', 'without its first 256 entries is not consistent'],
        ['test/attacks/lineage.test.ts', 'and that was rolled back is not continued'],
        ['test/attacks/lineage.test.ts', 'without the payload of a decision is damaged'],
      ],
    },
    {
      attack: 'agents learning the topology of the graph',
      defence:
        'output schemas as allow-list, a filter for names; `belief_explain` tells amounts by sign and no source, unless the operator says `--reveal-topology`',
      shownBy: [
        ['src/beliefs/input/sanitize.test.ts', 'takes members out at any depth'],
        ['test/attacks/beliefs.test.ts', 'is not told by belief_explain'],
        ['test/attacks/beliefs.test.ts', 'is not opened by a warrant.json'],
      ],
    },
    {
      attack: 'writing to any file through an export',
      defence:
        'one root, symlinks resolved, temporary file and rename; only an earlier export is replaced, and no name that the hooks of agents keep from them is taken',
      shownBy: [
        [
          'test/attacks/exports.test.ts',
          'refuses every file that is there, and every name that is kept from agents',
        ],
        [
          'src/platform/files/export-file.test.ts',
          'never writes outside, where checking the path and then opening it does',
        ],
      ],
    },
    {
      attack: 'a decision that cannot be recorded',
      defence: 'the run fails, over MCP and HTTP too',
      shownBy: [
        ['test/attacks/lineage.test.ts', 'because the database is planted makes the gate fail'],
        ['test/attacks/lineage.test.ts', 'because the disk takes no more makes the gate fail'],
        ['test/attacks/lineage.test.ts', 'is no verdict over plain HTTP'],
      ],
    },
    {
      attack: 'a key or a state folder of another user, or one that others can open',
      defence: 'refused as by ssh; while the key cannot be used, no verdict is recorded',
      shownBy: [
        ['test/attacks/open-keys.test.ts', 'and the message names the repair'],
        ['test/attacks/open-keys.test.ts', 'while the key cannot be read'],
      ],
    },
    {
      attack: 'a key or a log that came with the repository',
      defence: 'keys are in the state folder of the user; a database that git tracks is refused',
      shownBy: [['test/attacks/lineage.test.ts', 'is not adopted: no decision goes into the log']],
    },
  ],
  'Only packets that are complete, verified and allowed are used.': [
    {
      attack: 'a registry that lies about bytes, sizes, digests or names',
      defence: 'checked before and while they are read; only complete and verified packets enter the store',
      shownBy: [
        ['test/contracts/packet-faults.test.ts', 'we say what is wrong, keep nothing'],
        ['test/contracts/packet-store.test.ts', 'takes in nothing of a packet that comes with other bytes'],
      ],
    },
    {
      attack: 'a registry that redirects into the internal network, or to collect the password',
      defence:
        'redirects, token services, uploads and pages are checked by address, and a host name again by the address that is connected to; the password is sent only to its host',
      shownBy: [
        ['src/platform/registry/registry.test.ts', 'is refused when a registry in the open leads back to us'],
        ['test/contracts/packet-faults.test.ts', 'leads to a private place'],
        [
          'test/e2e/packet-tls.test.ts',
          'is not reached by a name that means another place when it is connected to',
        ],
      ],
    },
    {
      attack: 'a packet store that came with a repository, or was changed later',
      defence:
        'verified against its digests before use; later openings compare inodes and change times, which cannot be copied with the files',
      shownBy: [
        [
          'test/e2e/packet-program.test.ts',
          'believe a store that came from elsewhere only as far as it is that of its digests',
        ],
      ],
    },
    {
      attack: 'files of a packet that do not match each other',
      defence: 'rows, dimensions and models are compared; a mismatch is refused',
      shownBy: [['test/contracts/packet-tools.test.ts', 'never with another model']],
    },
    {
      attack: 'a packet from an unknown publisher, or a signature copied from another packet',
      defence:
        'a policy checks the source before any request is sent, and the signature by its key and digest; a policy that cannot be read lets nothing pass, and another `cpm_root` does not bypass it',
      shownBy: [
        ['test/contracts/packet-policy.test.ts', 'a policy that requires signatures'],
        ['src/packets/trust/simple-signing.test.ts', 'counts for nothing'],
      ],
    },
    {
      attack: 'a sigstore bundle that is forged, too late, of another packet or of another identity',
      defence:
        "verified offline by sigstore's own library against the operator's trusted root; a time counts only if the log has signed it, an identity only with its issuer; if the library fails in any way, the bundle is not verified",
      shownBy: [['test/contracts/packet-trust.test.ts', 'a keyless signature']],
    },
    {
      attack:
        'a packets.lock in a repository that names other packets, signers or registries, with packets planted beside it',
      defence:
        'it adds no signer, registry or exception to the policy; a stored packet counts only if the registry that the lock names had this digest, which this user saw or the registry is asked; a lock with anything unexpected stops what would go by it',
      shownBy: [
        ['test/e2e/packet-lock.test.ts', 'cannot name a packet that its registry never had'],
        ['test/e2e/packet-lock.test.ts', 'on another machine, where the policy still decides'],
        ['src/packets/lock/packets-lock.test.ts', 'is refused as a whole'],
      ],
    },
    {
      attack:
        'a packet folder of a repository that says what a name stands for while the registry cannot be reached',
      defence:
        'resolutions are remembered in the state folder of the user, for each packet folder; an answer by an old one is marked, and only silence of the registry leads to it',
      shownBy: [
        [
          'test/e2e/packet-offline.test.ts',
          'takes no resolution from a packet folder that came with a repository',
        ],
        ['test/e2e/packet-offline.test.ts', 'fails by a tag that the registry does not have'],
      ],
    },
    {
      attack: 'a publisher that replaces the content of a version, or a version that turns out to be harmful',
      defence:
        'other content under a published version is refused without --move-tag; a lock shows a moved tag and a changed signer; a revoked packet is named by every later answer, and by every verdict that cites it',
      shownBy: [
        ['test/e2e/packet-make.test.ts', 'takes no other content, unless its tag is moved'],
        ['test/e2e/packet-lock.test.ts', 'says of a revoked packet that it is'],
        ['test/e2e/packet-citations.test.ts', 'of a revoked packet is named by every verdict'],
      ],
    },
    {
      attack: 'a file of embedding providers in a repository that sends texts or variables elsewhere',
      defence:
        'read only if the operator names a provider; not through a symlink, limited in size, without aliases; only the variables of that provider are read, headers cannot be forged, and errors contain no values',
      shownBy: [
        ['test/e2e/packet-provider.test.ts', 'because it is huge is refused before anything is done'],
        ['src/packets/ask/provider-file.test.ts', 'tells no secret when it is refused'],
      ],
    },
    {
      attack: 'a model that chooses folders or hosts',
      defence: '`cpm_root` must be inside the project; private registries must be named by the operator',
      shownBy: [
        ['test/e2e/packet-program.test.ts', 'answers in its own shape that a caller may not choose a folder'],
      ],
    },
    {
      attack: 'a packet that brings a `.git`, or cites files outside of it',
      defence: 'refused; paths are cited inside the packet',
      shownBy: [
        ['test/attacks/packets.test.ts', 'is not stored'],
        ['test/attacks/packets.test.ts', 'cites paths inside of itself'],
      ],
    },
    {
      attack: 'a stored packet that was damaged',
      defence: '`pull` notices it and downloads it again',
      shownBy: [['test/attacks/packets.test.ts', 'is noticed by pull and downloaded again']],
    },
    {
      attack: 'a registry on this machine that leads to another port',
      defence: 'refused unless the operator named the port',
      shownBy: [
        ['test/attacks/packets.test.ts', 'does not get the password sent there'],
        ['test/attacks/packets.test.ts', 'does not make us read a blob there'],
      ],
    },
    {
      attack: 'a passage written to mislead the agent',
      defence: 'marked untrusted, hidden characters are escaped',
      shownBy: [['test/attacks/packets.test.ts', 'says of every passage that it is untrusted']],
    },
  ],
  'Files are read below the root and nowhere else, at a bounded cost.': [
    {
      attack:
        'paths that leave the project: `..`, `~`, absolute, encoded, through symlinks, chains, `/proc`, look-alike roots',
      defence:
        'checked as text, then walked name by name from a descriptor of the root; symlinks are read, never followed',
      shownBy: [
        ['src/platform/jail/jail.test.ts', 'the jail, by descriptors'],
        ['test/e2e/sentinel-jail.test.ts', 'gives not a byte from outside'],
      ],
    },
    {
      attack: 'replacing a file or a folder by a symlink between check and open (TOCTOU)',
      defence: 'the file that was checked is opened through its own descriptor',
      shownBy: [
        [
          'test/jail-race.test.ts',
          'gives nothing from outside while files and folders are swapped for links',
        ],
        ['test/jail-race.long.ts', 'holds for a minute of swapping'],
      ],
    },
    {
      attack: 'replacing the root of the project while the server runs',
      defence: 'the root is held open from the start, and must still be at its path',
      shownBy: [
        [
          'src/platform/jail/jail.test.ts',
          'stays with the folder it was opened on when its path is taken away',
        ],
        ['test/e2e/sentinel-jail.test.ts', 'gives not a byte from outside'],
      ],
    },
    {
      attack: 'pipes, devices and sockets with the names of sources',
      defence: 'never opened: checked through a descriptor that does not open the file (`O_PATH`)',
      shownBy: [['test/e2e/sentinel-jail.test.ts', 'gives not a byte from outside']],
    },
    {
      attack: 'sparse, growing, endless and binary files',
      defence: 'limits apply to the bytes read, not to the reported size; the content must be UTF-8 text',
      shownBy: [['test/e2e/sentinel-files.test.ts', 'reads a file that grows and never past the limit']],
    },
    {
      attack: 'mounts that hang, expensive patterns, endless folders',
      defence: 'threads that can be abandoned, deadlines, limits that are reported',
      shownBy: [['test/e2e/sentinel-load.test.ts', 'gives up on a disk that does not answer']],
    },
    {
      attack: 'file names that forge lines of a listing',
      defence: 'names with control, format or invalid characters are quoted',
      shownBy: [['test/e2e/sentinel-files.test.ts', 'lets no file name forge a line']],
    },
    {
      attack: 'text of files, packets or other programs with escape sequences for the terminal',
      defence: 'everything a command prints is escaped on a terminal; a pipe gets the exact bytes',
      shownBy: [
        ['src/app/terminal.test.ts', 'gives a pipe every byte, and a terminal nothing that paints'],
        ['test/e2e/gate-output.test.ts', 'shows names on a terminal without what they would paint'],
      ],
    },
    {
      attack: 'globs and ignore files made to be slow',
      defence:
        'no regular expressions; the time is at most the length of the pattern times the length of the path',
      shownBy: [
        ['src/kernel/text/glob.test.ts', 'is not slowed down by a pattern made for it'],
        ['src/kernel/text/gitignore.test.ts', 'are read as git reads whatever is in them'],
      ],
    },
    {
      attack: 'overwriting a file, or writing through a symlink, as a report',
      defence: 'one pattern of names, exclusive creation, directly under the root',
      shownBy: [['test/e2e/sentinel-files.test.ts', 'takes a good name, and never overwrites']],
    },
    {
      attack: 'text that hides characters from a person and shows them to the model',
      defence:
        'the text stays exact; a block of its own names lines and characters; searches and reports escape them',
      shownBy: [
        ['test/attacks/file-text.test.ts', 'is returned exactly, and named in a line of its own'],
        ['test/attacks/file-text.test.ts', 'cannot forge the line of another file'],
      ],
    },
    {
      attack: 'programs whose names are defined by each other',
      defence: 'resolution ends; a detector that fails costs its own result',
      shownBy: [
        [
          'src/architecture/connections/interconnections.test.ts',
          'a detector that fails costs its own result and a warning',
        ],
      ],
    },
  ],
}

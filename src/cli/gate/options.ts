import { SEVERITIES } from '../../evidence/compare.ts'
import { GATE_STAGES } from '../../evidence/stage.ts'
import { RECEIPT_MODES } from '../../gate/receipt-mode.ts'
import type { Option } from '../command/command.ts'

/** The files of a change, as `--scope` names them. */
export const CHANGE_SCOPES = ['staged', 'worktree'] as const

/** Options of `warrant gate` in addition to the settings. */
export const GATE_OPTIONS: readonly Option[] = [
  {
    flag: 'stage',
    kind: 'text',
    value: 'STAGE',
    description: 'Stage of the change. Default: inferred from the environment and the index.',
    choices: GATE_STAGES,
  },
  {
    flag: 'scope',
    kind: 'text',
    value: 'SCOPE',
    description: 'Files to check, instead of those of the stage.',
    choices: CHANGE_SCOPES,
  },
  { flag: 'all', kind: 'switch', description: 'Check the whole repository.' },
  {
    flag: 'range',
    kind: 'text',
    value: 'A..B',
    description: 'Check the changes of B since its merge base with A.',
  },
  {
    flag: 'remote',
    kind: 'text',
    value: 'NAME',
    description: 'Remote that a push goes to, at PRE_PUSH. Default: origin.',
  },
  {
    flag: 'receipts',
    kind: 'text',
    value: 'MODE',
    description:
      'At PRE_PUSH and CI, where the base has keys: require blocks commits without a receipt, report shows them, off does not look. Default: require.',
    choices: RECEIPT_MODES,
  },
  { flag: 'sarif', kind: 'switch', description: 'Print SARIF 2.1.0, for code scanning.' },
  { flag: 'junit', kind: 'switch', description: 'Print JUnit XML, for build servers.' },
  {
    flag: 'output',
    kind: 'text',
    value: 'FILE',
    description: 'Write the report to this file instead of stdout.',
  },
  { flag: 'no-evidence', kind: 'switch', description: 'Write no evidence and record no decision.' },
  {
    flag: 'publish',
    kind: 'switch',
    description:
      'Push the receipts and checkpoints of the judged commits to the remote as git notes, also of a blocked run. For CI; the hook of a push does it without being asked.',
  },
  {
    flag: 'allow-unrecorded',
    kind: 'switch',
    description: 'Accept a verdict that could not be recorded. Without it the command exits with 8.',
  },
  {
    flag: 'import',
    kind: 'list',
    value: '[NAME=]FILE',
    description:
      'Judge results that were made elsewhere on the same files: SARIF, JUnit or ESLint JSON. NAME is a check of .warrant/checks.yml, which is then not run, or a format (tsc, lines, …). May be given several times.',
  },
  {
    flag: 'cite',
    kind: 'list',
    value: 'URI',
    description:
      'A passage of a fetched packet that the change rests on: packet://sha256:…/path#L1-L9. It is verified, and recorded as an input of the verdict. May be given several times.',
  },
  {
    flag: 'allow-checks',
    kind: 'text',
    value: 'DIGEST',
    description:
      'Run the checks of a .warrant/checks.yml with this digest, or one of several separated by commas. For workflows of CI; a person uses `warrant checks allow`.',
  },
  {
    flag: 'fix',
    kind: 'switch',
    description: 'Apply the repairs that are safe, then check. Staged files are repaired in the index too.',
  },
  {
    flag: 'dry-run',
    kind: 'switch',
    description: 'With --fix: show the repairs as a diff and change nothing.',
  },
  {
    flag: 'severity',
    kind: 'text',
    value: 'SEVERITY',
    description: 'Show findings from this severity on. Default of the text: WARN, or what blocks.',
    choices: SEVERITIES,
  },
  {
    flag: 'max',
    kind: 'text',
    value: 'N',
    description: 'Show the N worst findings, or all with 0. Default of the text: 50.',
  },
  {
    flag: 'no-cache',
    kind: 'switch',
    description: 'Scan every file again. Results of earlier scans are kept in the state folder of the user.',
  },
  { flag: 'quiet', kind: 'switch', description: 'Print nothing unless the change is blocked.' },
]

/** The stages that past commits can be judged at: those about a commit on its own. */
export const REPLAY_STAGES = ['PRE_COMMIT', 'CI'] as const

export const REPLAY_OPTIONS: readonly Option[] = [
  { flag: 'last', kind: 'text', value: 'N', description: 'Judge the N newest commits. Default: 100.' },
  { flag: 'since', kind: 'text', value: 'DATE', description: 'Judge the commits since a day: 2027-01-31.' },
  {
    flag: 'stage',
    kind: 'text',
    value: 'STAGE',
    description: 'Stage to judge them at. Default: PRE_COMMIT.',
    choices: REPLAY_STAGES,
  },
  {
    flag: 'policy',
    kind: 'text',
    value: 'FILE',
    description: 'Try this skills.policy.json instead of the thresholds of the repository.',
  },
  {
    flag: 'rules',
    kind: 'text',
    value: 'FOLDER',
    description: 'Try the rules and severities of this folder instead of those in .warrant/rules.',
  },
  {
    flag: 'compare',
    kind: 'text',
    value: 'FILE',
    description:
      'Show which commits are stopped now and were not in this output of replay --json, and the reverse.',
  },
]

export const SDD_OPTIONS: readonly Option[] = [
  {
    flag: 'stage',
    kind: 'text',
    value: 'STAGE',
    description: 'With validate: PRE_WRITE, PRE_COMMIT, PRE_PUSH or CI.',
  },
  { flag: 'open', kind: 'switch', description: 'With session: open a session; needs --change.' },
  { flag: 'change', kind: 'text', value: 'ID', description: 'With session --open: the OpenSpec change.' },
  {
    flag: 'ttl-minutes',
    kind: 'text',
    value: 'N',
    description: 'With session --open or --refresh: minutes until it expires. Default: 45.',
  },
  { flag: 'refresh', kind: 'switch', description: 'With session: extend the open session.' },
  { flag: 'close', kind: 'switch', description: 'With session: close the open session.' },
]

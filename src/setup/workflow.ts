import { wholeFile } from './editors/edit-script.ts'
import { type TargetFile, textTarget } from './target-file.ts'

const WORKFLOW_FILE = '.github/workflows/warrant.yml'

/** The action of a release: `owner/repository@` and the id of a commit, which cannot be moved. */
export const ACTION = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/

const writeWorkflow = (
  action: string,
): string => `# Added by \`warrant init\`. Make the job "warrant" a required check of the branch.
name: warrant
on:
  pull_request:
  push:
    branches: [main, master]
permissions:
  contents: write # to push receipts as git notes; read is enough without signing-key
  security-events: write # to upload the findings
jobs:
  warrant:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          fetch-depth: 0
      - uses: ${action}
        with:
          signing-key: \${{ secrets.WARRANT_SIGNING_KEY }}
`

const isWorkflow = (text: string): boolean => {
  const [, action = ''] = /^ {6}- uses: (\S+)\n {8}with:\n {10}signing-key:/m.exec(text) ?? []
  return text === writeWorkflow(action)
}

/** The workflow that judges pull requests. */
export const workflowTarget = (action: string): TargetFile =>
  textTarget(WORKFLOW_FILE, [wholeFile(writeWorkflow(action), isWorkflow)])

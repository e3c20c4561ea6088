import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { readOpenSpec } from '../../gate/sdd/openspec.ts'
import { defineFaults } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { createRepositoryFile } from '../../platform/files/output-file.ts'
import { runProgram } from '../../platform/programs/program.ts'
import {
  type InstallationPorts,
  type InstallReport,
  install,
  recordArtifacts,
  update,
} from '../../setup/git-hooks/install.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, requireWritable } from '../command/subcommand.ts'
import { hookTable } from './git-hooks.ts'
import { installPorts } from './install-ports.ts'

export const openspecFaults = defineFaults('openspec', {
  manifest: {
    kind: 'missing',
    fix: 'Run `npm init` first, or install OpenSpec globally: npm i -g @fission-ai/openspec.',
  },
  install: {
    kind: 'unavailable',
    fix: 'Run `npm install --save-dev --save-exact @fission-ai/openspec` to see the error.',
  },
})

const INSTALL = [
  'install',
  '--save-dev',
  '--save-exact',
  '--no-audit',
  '--no-fund',
  '@fission-ai/openspec@latest',
]
const INSTALL_MS = 300_000
const OUTPUT_BYTES = 1024 * 1024

/** The first files of `openspec/`. Git keeps no empty folders, so two hold a `.gitkeep`. */
const SCAFFOLD: Readonly<Record<string, string>> = {
  'openspec/project.md':
    '# Project\n\nWhat this project is for, and the conventions its specifications follow.\n',
  'openspec/specs/.gitkeep': '',
  'openspec/changes/archive/.gitkeep': '',
}

interface OpenSpecReport {
  readonly installed: 'kept' | 'added'
  readonly scaffolded: readonly string[]
}

const addPackage = async ({ root, lifecycle, signal }: OpenedRepository): Promise<void> => {
  if (!(await lifecycle.repository.exists('package.json'))) {
    throw openspecFaults.manifest('OpenSpec is not installed, and there is no package.json to add it to')
  }
  const options = { cwd: root, env: process.env, ms: INSTALL_MS, bytes: OUTPUT_BYTES, signal }
  const result = await runProgram('npm', INSTALL, options)
  if (result?.exitCode !== 0) throw openspecFaults.install('npm could not install OpenSpec')
}

const scaffold = async (root: string): Promise<readonly string[]> => {
  const created: string[] = []
  for (const [path, text] of Object.entries(SCAFFOLD)) {
    if (await createRepositoryFile(root, path, text)) created.push(path)
  }
  return created.sort()
}

/** Installs OpenSpec with npm and creates its folder. Runs only with `--openspec`. */
const bootstrapOpenSpec = async (context: OpenedRepository): Promise<OpenSpecReport> => {
  const { sdd, signal, root, lifecycle } = context
  const { installed, compatible, projectInitialized } = await readOpenSpec(sdd.program, sdd.files, {
    start: true,
    signal,
  })
  const needed = !installed || !compatible
  if (needed) await addPackage(context)
  const scaffolded = projectInitialized ? [] : await scaffold(root)
  if (scaffolded.length > 0) await recordArtifacts(lifecycle, scaffolded, signal)
  return { installed: needed ? 'added' : 'kept', scaffolded }
}

const describe = (report: InstallReport, openspec: OpenSpecReport | undefined): string =>
  [
    hookTable(report.hooks),
    '',
    `evidence  ${report.gate === undefined ? 'existing file kept' : `first file written by the gate: ${report.gate}${report.gate === 'BLOCKED' ? '; run `warrant gate` to see why' : ''}`}`,
    `state     ${report.excluded ? 'excluded in .git/info/exclude' : 'already excluded, or outside the repository'}`,
    `receipts  ${report.notes.length === 0 ? 'no remote was added to those that `git fetch` brings receipts from' : `\`git fetch\` brings those of ${report.notes.join(', ')} (refs/notes/warrant*)`}`,
    ...(openspec === undefined
      ? []
      : [`openspec  ${openspec.installed}; new: ${openspec.scaffolded.join(', ') || 'nothing'}`]),
  ].join('\n')

type LifecycleAction = (ports: InstallationPorts, signal: AbortSignal) => Promise<InstallReport>

const runAction = async (invocation: Invocation, step: LifecycleAction): Promise<number> => {
  // Here `--openspec` is a switch of the command, not the path of the program.
  const { openspec: _, ...flags } = invocation.flags
  const { config } = loadSettings({ flags })
  requireWritable(config, '`warrant install` or `warrant update`')
  const context = await openRepositoryForCommand(config)
  const report = await step(installPorts(context), context.signal)
  const openspec = invocation.flags.openspec ? await bootstrapOpenSpec(context) : undefined
  const all = { ...report, ...optional({ openspec }) }
  return printOutput(invocation, all, () => describe(report, openspec))
}

export const run = (invocation: Invocation): Promise<number> => runAction(invocation, install)

export const runUpdate = (invocation: Invocation): Promise<number> => runAction(invocation, update)

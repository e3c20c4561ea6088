import type { OpenedRepository } from '../../app/open/repository.ts'
import { readOpenSpec } from '../../gate/sdd/openspec.ts'
import { defineFaults } from '../../kernel/fault.ts'
import { createRepositoryFile } from '../../platform/files/output-file.ts'
import { runProgram } from '../../platform/programs/program.ts'
import { recordArtifacts } from '../../setup/git-hooks/install.ts'

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
export const bootstrapOpenSpec = async (context: OpenedRepository): Promise<OpenSpecReport> => {
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

import {
  BEFORE_COMMIT,
  BEFORE_PUSH,
  type DeclaringFiles,
  row,
  type SuggestedCheck,
  type Suggestions,
} from './suggestion.ts'

const SOURCES = ['**/*.{py,pyi,toml,cfg,ini}']

interface PythonProject {
  readonly pyproject: string
  /** All files in which dependencies and tools are declared. */
  readonly declared: string
  readonly prefix: string
  /** How a person installs a tool. */
  readonly install: (tool: string) => string
}

const DECLARATIONS = [
  'setup.cfg',
  'tox.ini',
  'setup.py',
  'Pipfile',
  'requirements.txt',
  'requirements-dev.txt',
  'requirements-test.txt',
  'dev-requirements.txt',
  'requirements_dev.txt',
]

const readProject = async (files: DeclaringFiles): Promise<PythonProject | undefined> => {
  const pyproject = (await files.read('pyproject.toml')) ?? ''
  const others = await Promise.all(
    DECLARATIONS.map((name) => (files.names.has(name) ? files.read(name) : '')),
  )
  const declared = [pyproject, ...others.map((text) => text ?? '')].join('\n')
  if (declared.trim() === '') return undefined
  if (files.names.has('uv.lock')) return { pyproject, declared, prefix: 'uv run ', install: () => 'uv sync' }
  if (files.names.has('poetry.lock'))
    return { pyproject, declared, prefix: 'poetry run ', install: () => 'poetry install' }
  const requirements = DECLARATIONS.filter((name) => /requirements/.test(name) && files.names.has(name))
  const texts = await Promise.all(
    requirements.map(async (name) => [name, (await files.read(name)) ?? ''] as const),
  )
  const install = (tool: string): string => {
    const file = texts.find(([, text]) => new RegExp(`^${tool}\\b`, 'm').test(text))?.[0]
    return `python -m pip install ${file === undefined ? tool : `-r ${file}`}`
  }
  return { pyproject, declared, prefix: '', install }
}

/** Declared as a dependency: the name of a package where a list or a requirements file has one. */
const declares = ({ declared }: PythonProject, name: string): boolean =>
  new RegExp(`(?:^\\s*|["'])${name}(?:\\[[\\w,-]*\\])?\\s*(?:$|["'<>=!~;,^*@ ])`, 'm').test(declared)

const configures = ({ declared }: PythonProject, tool: string): boolean =>
  new RegExp(`^\\[(?:tool\\.)?${tool}(?:\\.[\\w.-]+)?(?::[^\\]]*)?\\]`, 'm').test(declared)

/** The dependency group of uv that a tool is in; uv installs `dev` without being asked. */
const groupOf = ({ pyproject, prefix }: PythonProject, tool: string): string => {
  if (prefix !== 'uv run ') return ''
  const [, groups = ''] = /^\[dependency-groups\]\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(pyproject) ?? []
  for (const [, name = '', list = ''] of groups.matchAll(/^([\w-]{1,60})\s*=\s*\[([\s\S]*?)^\]/gm))
    if (new RegExp(`["']${tool}\\b`).test(list)) return name === 'dev' ? '' : `--group ${name} `
  return ''
}

interface PythonTool {
  readonly name: string
  readonly tool: string
  readonly args: string
  readonly reads: SuggestedCheck['reads']
  /** The tool that is suggested instead of this one, if both are there. */
  readonly unless?: string
}

const TOOLS: readonly PythonTool[] = [
  { name: 'lint', tool: 'ruff', args: ' check --output-format=sarif --output-file=$OUT', reads: 'sarif' },
  { name: 'lint', tool: 'flake8', args: '', reads: 'lines', unless: 'ruff' },
  { name: 'types', tool: 'mypy', args: ' --show-column-numbers --no-error-summary', reads: 'lines' },
  { name: 'types', tool: 'pyright', args: '', reads: 'lines', unless: 'mypy' },
  { name: 'tests', tool: 'pytest', args: ' -q --junitxml=$OUT', reads: 'junit' },
]

const HOOK_IDS: Readonly<Record<string, RegExp>> = {
  ruff: /^\s*-\s+id:\s+(?:ruff|ruff-check)\s*$/m,
  mypy: /^\s*-\s+id:\s+mypy\s*$/m,
  flake8: /^\s*-\s+id:\s+flake8\s*$/m,
}

/** Checks of a Python project in the root folder. */
export const suggestPython = async (files: DeclaringFiles): Promise<Suggestions> => {
  const project = await readProject(files)
  if (project === undefined) return { checks: [], notes: [] }
  const hooks = (await files.read('.pre-commit-config.yaml')) ?? ''
  const notes: string[] = []
  const where = (tool: string): string | undefined => {
    if (declares(project, tool)) return `${tool}, a declared dependency`
    if (configures(project, tool)) return `the configuration of ${tool}`
    if (HOOK_IDS[tool]?.test(hooks))
      notes.push(`${tool}, which .pre-commit-config.yaml runs and the project does not install`)
    return undefined
  }
  const command = (tool: string) => `${project.prefix}${groupOf(project, tool)}${tool}`
  const hasFiles = /^\s*(?:files|packages|modules)\s*=/m.test(project.declared)
  const checks: SuggestedCheck[] = []
  const found = new Set<string>()
  for (const { name, tool, args, reads, unless } of TOOLS) {
    const seen = found.has(unless ?? '') ? undefined : where(tool)
    if (seen === undefined) continue
    found.add(tool)
    const run = `${command(tool)}${args}${tool === 'mypy' && !hasFiles ? ' .' : ''}`
    const install = project.install(tool)
    checks.push(
      name === 'tests'
        ? row(name, run, reads, BEFORE_PUSH, '10m', seen, { install })
        : row(name, run, reads, BEFORE_COMMIT, '5m', seen, {
            paths: SOURCES,
            version: `${command(tool)} --version`,
            install,
          }),
    )
  }
  return { checks, notes }
}

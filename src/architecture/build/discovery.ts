import type { CheckDeadline } from '../../kernel/jail.ts'
import { optional } from '../../kernel/optional.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { attempt } from '../source/attempt.ts'
import { isConfigFile } from '../source/discovery-rules.ts'
import { inOrder, nameOf, type ProjectFiles, type Survey, type Warning } from '../source/source-files.ts'
import type { BuildModule, Dependency } from './build-module.ts'
import { isGradle, readGradle } from './gradle.ts'
import { type BuildFiles, readMaven } from './maven.ts'
import { ModuleSorter } from './modules.ts'
import type { ModuleView, PackageNode, Structure } from './shape.ts'
import { readWorkspaces } from './workspaces.ts'

interface Branch {
  readonly label: string
  readonly below: readonly Branch[]
}

const leaf = (label: string): Branch => ({ label, below: [] })

const packageBranch = ({ name, files }: ModuleView['packages'][number]): Branch => ({
  label: name === '' ? '(default package)' : showName(name),
  below: files.map((path) => leaf(showName(nameOf(path)))),
})

const moduleBranch = (module: ModuleView): Branch => ({
  label: `module: ${showName(module.path === '.' ? module.name : module.path)}`,
  below: module.packages.map(packageBranch),
})

const renderBranch = ({ label, below }: Branch, indent: string, last: boolean): string[] => [
  `${indent}${last ? '└── ' : '├── '}${label}`,
  ...below.flatMap((one, index) =>
    renderBranch(one, `${indent}${last ? '    ' : '│   '}`, index === below.length - 1),
  ),
]

const headline = ({ root, project }: Omit<Structure, 'tree'>): string => {
  const { groupId, artifactId, version } = root.modules.find(({ path }) => path === '.') ?? {}
  const parts = [groupId, artifactId, version].filter((part) => part !== undefined)
  return parts.length < 2 ? showName(project.name) : showName(`${project.name} (${parts.join(':')})`)
}

/** The project as a text tree, with the statistics as last line. */
const renderModuleTree = (found: Omit<Structure, 'tree'>): string => {
  const { javaFilesCount, totalPackages, configFilesCount } = found.project.statistics
  const branches = found.root.modules.map(moduleBranch)
  return [
    headline(found),
    ...branches.flatMap((branch, index) => renderBranch(branch, '', index === branches.length - 1)),
    '',
    `Total: ${javaFilesCount} Java files | ${totalPackages} packages | ${configFilesCount} config files`,
  ].join('\n')
}

interface DiscoveryOptions {
  /** Time of the scan, RFC 3339. */
  readonly at: string
  readonly checkDeadline: CheckDeadline
  readonly progress?: (done: number, total: number) => void
  /** Group ids of in-house libraries, with `*` as wildcard. The group of the project is always in-house. */
  readonly orgPattern?: string | undefined
  /** Packages by file, when the files were parsed before. */
  readonly packages?: ReadonlyMap<string, string>
}

interface BuildResult {
  readonly modules: readonly BuildModule[]
  readonly warnings: readonly Warning[]
}

const buildFiles = (files: ProjectFiles, survey: Survey): BuildFiles => {
  const known = new Set(survey.files.map(({ path }) => path))
  return { has: (path) => known.has(path), read: (path) => (known.has(path) ? files.read(path) : undefined) }
}

const plainProject = (name: string): BuildResult => ({
  modules: [{ tool: 'plain', path: '', name, modules: [], dependencies: [] }],
  warnings: [],
})

const readBuildModules = (files: ProjectFiles, survey: Survey): BuildResult => {
  const build = buildFiles(files, survey)
  const name = nameOf(files.root) || 'project'
  if (build.has('pom.xml')) {
    const maven = readMaven(build, 'pom.xml')
    return maven.modules.length > 0 ? maven : { ...plainProject(name), warnings: maven.warnings }
  }
  if (isGradle(build)) return readGradle(build, name)
  if (!build.has('package.json')) return plainProject(name)
  const manifests = survey.files.map(({ path }) => path).filter((path) => nameOf(path) === 'package.json')
  return readWorkspaces(build, manifests, name)
}

const MAX_PATTERN = 200

/** Tests a group id against comma-separated patterns with `*` as wildcard, and against the group of the project. */
const inHouseTest = (pattern: string | undefined, own: string | undefined): ((group: string) => boolean) => {
  const parts = (pattern ?? '')
    .slice(0, MAX_PATTERN)
    .split(',')
    .map((part) => part.trim())
  const wanted = [...parts, own ?? ''].filter((part) => part !== '')
  const fits = (part: string, group: string) => {
    const stem = part.replace(/\.?\*+$/, '')
    return group === stem || group.startsWith(`${stem}.`) || (part.endsWith('*') && group.startsWith(stem))
  }
  return (group) => group !== '' && wanted.some((part) => fits(part, group))
}

const newNode = (): PackageNode => ({ classCount: 0, totalClassCount: 0, subPackages: Object.create(null) })

const packageTree = (modules: readonly ModuleView[]): Record<string, PackageNode> => {
  const top = newNode()
  for (const { name, files } of modules.flatMap(({ packages }) => packages)) {
    let node = top
    for (const part of name === '' ? ['(default)'] : name.split('.')) {
      const below = node.subPackages[part] ?? newNode()
      node.subPackages[part] = below
      below.totalClassCount += files.length
      node = below
    }
    node.classCount += files.length
  }
  return top.subPackages
}

const statisticsOf = (modules: readonly ModuleView[], survey: Survey): Structure['project']['statistics'] => {
  const packages = new Map<string, number>()
  for (const { name, files } of modules.flatMap((module) => module.packages))
    packages.set(name, (packages.get(name) ?? 0) + files.length)
  const all = modules.flatMap((module) => module.packages.flatMap(({ files }) => files))
  const [largest] = [...packages].sort(([a, n], [b, m]) => m - n || inOrder(a, b))
  return {
    totalClasses: all.length,
    totalPackages: packages.size,
    javaFilesCount: all.filter((path) => path.endsWith('.java')).length,
    kotlinFilesCount: all.filter((path) => path.endsWith('.kt')).length,
    configFilesCount: survey.files.filter(({ path }) => isConfigFile(path)).length,
    largestPackage: largest?.[0] ?? null,
  }
}

const distinctLibraries = (all: readonly Dependency[]): Structure['project']['dependencies']['runtime'] => {
  const byName = new Map(
    all.map(({ groupId, artifactId, version }) => [
      `${groupId}:${artifactId}:${version ?? ''}`,
      { groupId, artifactId, ...optional({ version }) },
    ]),
  )
  return [...byName].sort(([a], [b]) => inOrder(a, b)).map(([, value]) => value)
}

const listDependencies = (
  modules: readonly BuildModule[],
  pattern: string | undefined,
): Structure['dependencies'] => {
  const ours = inHouseTest(pattern, modules[0]?.groupId)
  const own = new Set(modules.map(({ groupId = '', name }) => `${groupId}:${name}`))
  return modules
    .flatMap((module) =>
      module.dependencies.map((one) => ({
        ...one,
        module: module.path === '' ? '.' : module.path,
        inHouse: ours(one.groupId) || own.has(`${one.groupId}:${one.artifactId}`),
      })),
    )
    .sort((a, b) => inOrder(dependencyKey(a), dependencyKey(b)))
}

const dependencyKey = (one: Structure['dependencies'][number]): string =>
  [one.module, one.groupId, one.artifactId, one.scope, one.version ?? ''].join('\0')

const mavenView = (root: BuildModule | undefined): Structure['root']['maven'] => {
  if (root?.tool !== 'maven') return { missing: true }
  const { groupId, artifactId, version, modules } = root
  return {
    ...optional({ groupId, artifactId, version }),
    modules: [...modules].sort(),
    missing: false,
  }
}

const FACTS = ['version', 'packaging', 'description', 'java', 'springBoot'] as const

const declaredFacts = (root: BuildModule | undefined): Partial<Record<(typeof FACTS)[number], string>> =>
  Object.fromEntries(FACTS.flatMap((key) => (root?.[key] === undefined ? [] : [[key, root[key]]])))

/** Modules, packages, libraries and statistics of a project. No build tool is run. */
export const discover = (files: ProjectFiles, survey: Survey, options: DiscoveryOptions): Structure => {
  const failures: Warning[] = []
  const build = attempt(
    { result: 'the modules of the build', file: '.', warnings: failures },
    plainProject(nameOf(files.root) || 'project'),
    () => readBuildModules(files, survey),
  )
  const sorter = new ModuleSorter(build.modules, files, options.packages)
  for (const [index, file] of survey.files.entries()) {
    options.checkDeadline()
    options.progress?.(index + 1, survey.files.length)
    sorter.add(file)
  }
  const views = build.modules.map((module) => sorter.view(module)).sort((a, b) => inOrder(a.path, b.path))
  const [root] = build.modules
  const libraries = build.modules.flatMap(({ dependencies }) => dependencies)
  const found: Omit<Structure, 'tree'> = {
    root: { path: '.', maven: mavenView(root), modules: views },
    project: {
      name: root?.name ?? 'project',
      tool: root?.tool ?? 'plain',
      ...declaredFacts(root),
      rootPath: '.',
      scanTimestamp: options.at,
      modules: views.map(({ path }) => path),
      packages: packageTree(views),
      dependencies: {
        runtime: distinctLibraries(libraries.filter(({ scope }) => scope !== 'test')),
        test: distinctLibraries(libraries.filter(({ scope }) => scope === 'test')),
      },
      statistics: statisticsOf(views, survey),
    },
    dependencies: listDependencies(build.modules, options.orgPattern),
    warnings: [...survey.warnings, ...failures, ...build.warnings, ...sorter.warnings],
  }
  return { ...found, tree: renderModuleTree(found) }
}

import { showName } from '../../kernel/text/escape-text.ts'
import { nameOf } from '../source/source-files.ts'
import type { ModuleView, Structure } from './shape.ts'

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
export const renderModuleTree = (found: Omit<Structure, 'tree'>): string => {
  const { javaFilesCount, totalPackages, configFilesCount } = found.project.statistics
  const branches = found.root.modules.map(moduleBranch)
  return [
    headline(found),
    ...branches.flatMap((branch, index) => renderBranch(branch, '', index === branches.length - 1)),
    '',
    `Total: ${javaFilesCount} Java files | ${totalPackages} packages | ${configFilesCount} config files`,
  ].join('\n')
}

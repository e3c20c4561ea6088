import type { Desk } from './desk.ts'
import { type DiscoverArgs, type Discovery, discoverProject, type Module } from './discover.ts'

export interface StructureArgs extends DiscoverArgs {
  /** Most bytes of JSON and of text together. */
  readonly bytes: number
}

type Levels = 'files' | 'packages' | 'modules'

const moduleView = ({ packages, maven, ...module }: Module, level: Levels) => ({
  ...module,
  ...(maven !== undefined && { maven }),
  packages:
    level === 'modules'
      ? []
      : packages.map(({ name, files, classes }) => ({
          name,
          classCount: classes,
          ...(level === 'files' && { files }),
        })),
})

/** The shape that reports are made from: paths from the root, everything in order, nothing of the host. */
const jsonView = (found: Discovery, path: string, level: Levels) => {
  const main = found.modules.find((module) => module.path === '.')?.maven
  return {
    root: {
      path,
      kind: found.kind,
      maven: main === undefined ? { missing: true } : { ...main, missing: false },
      modules: found.modules.map((module) => moduleView(module, level)),
    },
    dependencies: found.dependencies.map((one) => ({ ...one })),
    statistics: { ...found.statistics },
    warnings: [...found.warnings],
  }
}

const titleOf = ({ name, maven }: Module): string => {
  const parts = [maven?.groupId, maven?.artifactId, maven?.version].filter((part) => part !== undefined)
  return parts.length === 0 ? name : `${name} (${parts.join(':')})`
}

/** Lines of one level with the glyphs that tie them to the one above. */
const tie = (blocks: readonly (readonly string[])[]): string[] =>
  blocks.flatMap((lines, at) => {
    const last = at === blocks.length - 1
    return lines.map((line, index) =>
      index === 0 ? `${last ? '└── ' : '├── '}${line}` : `${last ? '    ' : '│   '}${line}`,
    )
  })

const moduleBlock = (module: Module, level: Levels): string[] =>
  level === 'modules'
    ? []
    : tie(
        module.packages.map(({ name, files }) => [
          name === '' ? '(default package)' : name,
          ...(level === 'files' ? tie(files.map((file) => [file])) : []),
        ]),
      )

const drawText = (found: Discovery, level: Levels): string => {
  const [first, ...rest] = found.modules
  if (first === undefined) return ''
  const blocks = rest.map((module) => [`module: ${titleOf(module)}`, ...moduleBlock(module, level)])
  const own = moduleBlock(first, level)
  const { javaFiles, packages, configFiles } = found.statistics
  return [
    titleOf(first),
    ...own,
    ...tie(blocks),
    '',
    `Total: ${javaFiles} Java files | ${packages} packages | ${configFiles} config files`,
  ].join('\n')
}

const CUTS: readonly (readonly [level: Levels, cut: string | undefined])[] = [
  ['files', undefined],
  ['packages', 'files are counted, not listed'],
  ['modules', 'packages are counted, not listed'],
]

/** The structure as data and as a picture, as much of it as fits. */
export const describeStructure = (desk: Desk, args: StructureArgs) => {
  const found = discoverProject(desk, args)
  const views = CUTS.map(([level, cut]) => () => ({
    structure: { ...jsonView(found, args.path, level), ...(cut !== undefined && { cut }) },
    text: drawText(found, level),
  }))
  for (const view of views) {
    const { structure, text } = view()
    if (Buffer.byteLength(JSON.stringify(structure)) + Buffer.byteLength(text) <= args.bytes)
      return { structure, text }
  }
  const cut = 'too much for one answer; ask for one module'
  return {
    structure: { ...jsonView({ ...found, dependencies: [], modules: [] }, args.path, 'modules'), cut },
    text: cut,
  }
}

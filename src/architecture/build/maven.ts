import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { childOf, childrenOf, type Element, elementText, readXml } from '../../kernel/text/xml.ts'
import { folderOf, joinPath, nameOf, resolveBelow, type Warning } from '../source/source-files.ts'
import type { BuildModule, Dependency } from './build-module.ts'

interface Pom {
  readonly file: string
  readonly root: Element
  readonly parent: Pom | undefined
  readonly properties: ReadonlyMap<string, string>
  /** Managed dependencies by `group:artifact` as written. */
  readonly managed: ReadonlyMap<string, Element>
}

const propertiesOf = (root: Element): ReadonlyMap<string, string> =>
  new Map((childOf(root, 'properties')?.children ?? []).map(({ name, text }) => [name, text.trim()]))

const managedOf = (root: Element): ReadonlyMap<string, Element> =>
  new Map(
    childrenOf(childOf(childOf(root, 'dependencyManagement'), 'dependencies'), 'dependency').map((one) => [
      `${elementText(one, 'groupId')}:${elementText(one, 'artifactId')}`,
      one,
    ]),
  )

/** The files of the project as build readers use them. */
export interface BuildFiles {
  has(path: string): boolean
  read(path: string): string | undefined
}

const MAX_PARENTS = 16
const MAX_MODULES = 2_000
const MAX_FILL_ROUNDS = 16
const MAX_VALUE = 1_000

class MavenReader {
  readonly warnings: Warning[] = []
  readonly modules: BuildModule[] = []
  readonly #files: BuildFiles
  readonly #seen = new Set<string>()
  readonly #poms = new Map<string, Pom | undefined>()

  constructor(files: BuildFiles) {
    this.#files = files
  }

  #warn(code: string, file: string, message: string): void {
    this.warnings.push({ code, file, message })
  }

  #parse(file: string): Element | undefined {
    const text = this.#files.read(file)
    if (text === undefined) {
      this.#warn('pom_unreadable', file, 'the file cannot be read')
      return undefined
    }
    try {
      const root = readXml(text)
      if (root.name === 'project') return root
      this.#warn('pom_invalid', file, 'the root element is not <project>')
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      this.#warn('pom_invalid', file, cause.message)
    }
    return undefined
  }

  #load(file: string, depth = 0): Pom | undefined {
    if (this.#poms.has(file)) return this.#poms.get(file)
    // Set before the parent is loaded: two poms may name one another as parent.
    this.#poms.set(file, undefined)
    const root = this.#parse(file)
    if (root === undefined) return undefined
    const pom: Pom = {
      file,
      root,
      parent: this.#parentOf(file, root, depth),
      properties: propertiesOf(root),
      managed: managedOf(root),
    }
    this.#poms.set(file, pom)
    return pom
  }

  #parentOf(file: string, root: Element, depth: number): Pom | undefined {
    const parent = childOf(root, 'parent')
    if (parent === undefined || depth >= MAX_PARENTS) return undefined
    const relativePath = childOf(parent, 'relativePath')?.text.trim() ?? '../pom.xml'
    if (relativePath === '') return undefined
    const target = resolveBelow(folderOf(file), relativePath)
    const path = [target, target === undefined ? undefined : joinPath(target, 'pom.xml')].find(
      (one) => one !== undefined && one !== '' && /\.(xml|pom)$/.test(one) && this.#files.has(one),
    )
    const found = path === undefined ? undefined : this.#load(path, depth + 1)
    // Another project's pom may be at that path: accept only the artifact that the child names.
    return found !== undefined &&
      fill(found, elementText(found.root, 'artifactId')) === elementText(parent, 'artifactId')
      ? found
      : undefined
  }

  visit(file: string): BuildModule | undefined {
    this.#seen.add(file)
    const pom = this.#load(file)
    if (pom === undefined) return undefined
    const below = this.#below(pom)
    const module = mavenModule(pom, below.map(folderOf))
    this.modules.push(module)
    for (const child of below) if (!this.#seen.has(child)) this.visit(child)
    return module
  }

  #below(pom: Pom): string[] {
    const profiles = childrenOf(childOf(pom.root, 'profiles'), 'profile')
    const names = [pom.root, ...profiles].flatMap((part) =>
      childrenOf(childOf(part, 'modules'), 'module').map(({ text }) => fill(pom, text.trim()) ?? ''),
    )
    const found = [...new Set(names)].map((name) => this.#locate(pom.file, name))
    return found.filter((path) => path !== undefined).sort()
  }

  #locate(from: string, name: string): string | undefined {
    const target = name === '' ? undefined : resolveBelow(folderOf(from), name)
    if (target === undefined) {
      this.#warn('module_outside', from, `the module ${JSON.stringify(name)} is outside of the project`)
      return undefined
    }
    const file = /\.xml$/.test(target) ? target : joinPath(target, 'pom.xml')
    if (!this.#files.has(file)) {
      this.#warn('module_missing', from, `the module ${JSON.stringify(name)} has no pom.xml`)
      return undefined
    }
    if (file === from || this.#seen.has(file)) {
      this.#warn(
        'module_cycle',
        from,
        `the module ${JSON.stringify(name)} is listed twice or contains itself`,
      )
      return undefined
    }
    if (this.#seen.size >= MAX_MODULES) return undefined
    return file
  }
}

const declaredText = (pom: Pom, name: string): string | undefined => elementText(pom.root, name)

const inherited = (pom: Pom, name: 'groupId' | 'version'): string | undefined =>
  declaredText(pom, name) ??
  elementText(childOf(pom.root, 'parent'), name) ??
  (pom.parent === undefined ? undefined : inherited(pom.parent, name))

const property = (pom: Pom, name: string): string | undefined => {
  const [, parent, field] = /^(?:project|pom)\.(parent\.)?(groupId|artifactId|version|name)$/.exec(name) ?? []
  if (field !== undefined && parent !== undefined) return elementText(childOf(pom.root, 'parent'), field)
  if (field === 'groupId' || field === 'version') return inherited(pom, field)
  if (field !== undefined) return declaredText(pom, field)
  return pom.properties.get(name) ?? (pom.parent === undefined ? undefined : property(pom.parent, name))
}

/** Fills in `${…}`. The number of rounds is bounded, because a property may refer to itself. */
const fill = (pom: Pom, text: string | undefined): string | undefined => {
  let filled = text
  for (let round = 0; round < MAX_FILL_ROUNDS && filled?.includes('${'); round += 1) {
    const next: string = filled.replace(/\$\{([^${}]{1,200})\}/g, (whole, name: string) => {
      const value = property(pom, name) ?? whole
      return value.length > MAX_VALUE ? whole : value
    })
    if (next === filled || next.length > 10_000) break
    filled = next
  }
  return filled
}

const managed = (pom: Pom | undefined, group: string, artifact: string): string | undefined => {
  if (pom === undefined) return undefined
  const version = fill(pom, elementText(pom.managed.get(`${group}:${artifact}`), 'version'))
  return version ?? managed(pom.parent, group, artifact)
}

const dependenciesOf = (pom: Pom): Dependency[] =>
  childrenOf(childOf(pom.root, 'dependencies'), 'dependency').map((one) => {
    const groupId = fill(pom, elementText(one, 'groupId')) ?? ''
    const artifactId = fill(pom, elementText(one, 'artifactId')) ?? ''
    const version = fill(pom, elementText(one, 'version')) ?? managed(pom, groupId, artifactId)
    return {
      groupId,
      artifactId,
      ...optional({ version }),
      scope: elementText(one, 'scope') ?? 'compile',
    }
  })

const bootVersion = (pom: Pom): string | undefined => {
  const parent = childOf(pom.root, 'parent')
  if (elementText(parent, 'artifactId') === 'spring-boot-starter-parent')
    return fill(pom, elementText(parent, 'version'))
  const imported = managed(pom, 'org.springframework.boot', 'spring-boot-dependencies')
  return imported ?? (pom.parent === undefined ? undefined : bootVersion(pom.parent))
}

const javaLevel = (pom: Pom): string | undefined =>
  ['java.version', 'maven.compiler.release', 'maven.compiler.source', 'maven.compiler.target']
    .map((name) => fill(pom, property(pom, name)))
    .find((value) => value !== undefined)

const mavenModule = (pom: Pom, modules: readonly string[]): BuildModule => {
  const declared = {
    groupId: fill(pom, inherited(pom, 'groupId')),
    artifactId: fill(pom, declaredText(pom, 'artifactId')),
    version: fill(pom, inherited(pom, 'version')),
    description: fill(pom, declaredText(pom, 'description')),
    java: javaLevel(pom),
    springBoot: bootVersion(pom),
  }
  const known = Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined))
  return {
    tool: 'maven',
    path: folderOf(pom.file),
    name: declared.artifactId ?? nameOf(folderOf(pom.file)),
    file: pom.file,
    packaging: fill(pom, declaredText(pom, 'packaging')) ?? 'jar',
    ...known,
    modules,
    dependencies: dependenciesOf(pom),
  }
}

/** All modules that Maven would build from this pom. Only project files are read: no repository, no network. */
export const readMaven = (
  files: BuildFiles,
  file: string,
): { readonly modules: readonly BuildModule[]; readonly warnings: readonly Warning[] } => {
  const reader = new MavenReader(files)
  reader.visit(file)
  return { modules: reader.modules, warnings: reader.warnings }
}

import { childOf, childrenOf, type Element, readXml } from './xml.ts'

export interface Dependency {
  readonly groupId: string
  readonly artifactId: string
  readonly version?: string
  readonly scope: string
}

export interface Pom {
  readonly groupId?: string
  readonly artifactId?: string
  readonly version?: string
  readonly packaging: string
  readonly description?: string
  readonly modules: readonly string[]
  readonly dependencies: readonly Dependency[]
}

const MAX_TURNS = 8
const MAX_TEXT = 500

type Values = ReadonlyMap<string, string>

/** `${name}` replaced by what the file itself says; what it does not say stays as it is. */
const fill = (text: string, values: Values): string => {
  let now = text
  for (let turn = 0; turn < MAX_TURNS && now.includes('${'); turn += 1) {
    const next = now.replace(/\$\{([\w.-]{1,100})\}/g, (whole, name: string) => values.get(name) ?? whole)
    // Two properties that name each other would grow for ever.
    if (next === now || next.length > MAX_TEXT) break
    now = next
  }
  return now.slice(0, MAX_TEXT)
}

const valuesOf = (project: Element): Values => {
  const properties = childOf(project, 'properties')?.children ?? []
  const parent = childOf(project, 'parent')
  const values = new Map(properties.map(({ name, text }) => [name, text]))
  for (const name of ['groupId', 'artifactId', 'version']) {
    const own = childOf(project, name)?.text ?? childOf(parent, name)?.text
    if (own === undefined) continue
    for (const key of [name, `project.${name}`, `pom.${name}`]) if (!values.has(key)) values.set(key, own)
    const above = childOf(parent, name)?.text
    if (above !== undefined) values.set(`project.parent.${name}`, above)
  }
  return values
}

const dependencyOf = (element: Element, values: Values): Dependency[] => {
  const text = (name: string) => {
    const found = childOf(element, name)?.text
    return found === undefined || found === '' ? undefined : fill(found, values)
  }
  const [groupId, artifactId, version] = [text('groupId'), text('artifactId'), text('version')]
  if (groupId === undefined || artifactId === undefined) return []
  return [
    { groupId, artifactId, ...(version !== undefined && { version }), scope: text('scope') ?? 'compile' },
  ]
}

/** A pom as far as the structure of a project goes. Group and version come from the parent when it has none of its own. */
export const readPom = (source: string): Pom => {
  const project = readXml(source)
  const values = valuesOf(project)
  const parent = childOf(project, 'parent')
  const text = (name: string, inherited: boolean): string | undefined => {
    const found = childOf(project, name)?.text || (inherited ? childOf(parent, name)?.text : undefined)
    return found === undefined || found === '' ? undefined : fill(found, values)
  }
  const profiles = childrenOf(childOf(project, 'profiles'), 'profile')
  const modules = [project, ...profiles].flatMap((place) =>
    childrenOf(childOf(place, 'modules'), 'module').map((module) => fill(module.text, values)),
  )
  const [groupId, artifactId] = [text('groupId', true), text('artifactId', false)]
  const [version, description] = [text('version', true), text('description', false)]
  return {
    ...(groupId !== undefined && { groupId }),
    ...(artifactId !== undefined && { artifactId }),
    ...(version !== undefined && { version }),
    packaging: text('packaging', false) ?? 'jar',
    ...(description !== undefined && { description }),
    modules: [...new Set(modules.filter((module) => module !== ''))].sort(),
    dependencies: childrenOf(childOf(project, 'dependencies'), 'dependency').flatMap((one) =>
      dependencyOf(one, values),
    ),
  }
}

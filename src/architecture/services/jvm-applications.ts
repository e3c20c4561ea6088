import { rolesOf } from '../connections/roles.ts'
import { folderOf, joinPath, nameOf } from '../source/source-files.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import type { ServiceDraft } from './service-draft.ts'

/** What shows that a file of Java or Kotlin starts an application. */
export const jvmMain = (unit: SourceUnit): { readonly line: number; readonly reason: string } | undefined => {
  const { types, functions, imports } = unit
  const root = types.find((type) => rolesOf(type, unit).includes('Application Root'))
  if (root !== undefined) return { line: root.line, reason: `main class ${root.name}` }
  const isKtor = imports.some((name) => name.startsWith('io.ktor.server.'))
  const isMicronaut = imports.some((name) => name.startsWith('io.micronaut.runtime.Micronaut'))
  if (!isKtor && !isMicronaut) return undefined
  const framework = isKtor ? 'Ktor' : 'Micronaut'
  const main =
    functions.find(({ name }) => name === 'main') ??
    types.flatMap(({ methods }) => methods).find(({ name }) => name === 'main')
  return main === undefined ? undefined : { line: main.line, reason: `main function with ${framework}` }
}

/** Applications without a main class in their code: the build or the configuration starts them. */
export const jvmBuildDraft = (
  path: string,
  text: string | undefined,
  units: readonly SourceUnit[],
): readonly ServiceDraft[] => {
  const isBuild = /^(pom\.xml|build\.gradle(\.kts)?)$/.test(nameOf(path))
  const isKtor =
    /(^|\/)src\/main\/resources\/application\.(conf|ya?ml)$/.test(path) && /^ktor\s*[:{]/m.test(text ?? '')
  const isQuarkus =
    isBuild && /<artifactId>quarkus-maven-plugin<|\bid[ (]+["']io\.quarkus["']/.test(text ?? '')
  if (!isKtor && !isQuarkus) return []
  const folder = isKtor ? path.replace(/\/?src\/main\/resources\/[^/]*$/, '') : folderOf(path)
  const code = folder === '' ? 'src/main/' : `${folder}/src/main/`
  if (!units.some(({ file }) => file.startsWith(code))) return []
  const reason = isKtor ? 'configuration of Ktor' : 'build with Quarkus'
  return [{ folder, kind: 'service', evidence: { file: path, line: 1, reason } }]
}

/** An Android application, by its manifest. A library may have one that looks the same: its build says so. */
export const androidDraft = (
  path: string,
  read: (path: string) => string | undefined,
): readonly ServiceDraft[] => {
  const found = /^(?:(.*)\/)?src\/main\/AndroidManifest\.xml$/.exec(path)
  if (found === null) return []
  const folder = found[1] ?? ''
  if (!/<application\b[^>]*android:(label|name|icon)/s.test(read(path) ?? '')) return []
  const scripts = ['build.gradle', 'build.gradle.kts'].map((name) => read(joinPath(folder, name)) ?? '')
  if (scripts.some((text) => /com\.android\.library|android\.library\b/.test(text))) return []
  return [
    {
      folder,
      kind: 'mobile application',
      evidence: { file: path, line: 1, reason: 'Android application' },
    },
  ]
}

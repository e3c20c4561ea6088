import { rolesOf } from '../connections/roles.ts'
import { folderOf, joinPath, nameOf } from '../source/source-files.ts'
import type { SourceUnit, Variable } from '../source/source-unit.ts'
import { nameIn } from '../source/source-unit.ts'
import type { ServiceDraft, ServiceKind } from './service-draft.ts'

const APPLICATION = /^(FastAPI|Flask|Starlette|Quart|Sanic|Litestar|Celery)$/

/** `app = FastAPI()`, `app = web.Application()`. */
const isApplication = ({ value }: Variable): boolean => {
  if (value?.kind !== 'call') return false
  const { name, receiver } = value.call
  const owner = nameIn(receiver)
  return APPLICATION.test(name) || (name === 'Application' && /(^|\.)web$/.test(owner))
}

/** What shows that a Python file starts a service: an application, a server of gRPC, or `manage.py` of Django. */
export const pythonApplication = ({
  file,
  imports,
  topLevel,
}: SourceUnit): { readonly line: number; readonly reason: string } | undefined => {
  const app = topLevel.locals.find(isApplication)
  if (app !== undefined) return { line: app.line, reason: `creates the application ${app.name}` }
  // Other projects have a file of this name too.
  if (nameOf(file) === 'manage.py' && imports.some((name) => name.startsWith('django')))
    return { line: 1, reason: 'manage.py of Django' }
  const served = topLevel.calls.find(({ name }) => /^add_\w+Servicer_to_server$/.test(name))
  return served === undefined ? undefined : { line: served.line, reason: 'serves gRPC' }
}

const SCRIPTS = /^\[(?:project\.scripts|tool\.poetry\.scripts)\]\s*$((?:\n(?!\[).*)*)/m

/** The first command that a `pyproject.toml` installs. */
export const pythonCommandDraft = (path: string, text: string | undefined): readonly ServiceDraft[] => {
  const found = SCRIPTS.exec(text ?? '')
  const [entry, name] = /^\s*["']?([\w.-]+)["']?\s*=/m.exec(found?.[1] ?? '') ?? []
  if (text === undefined || found === null || entry === undefined) return []
  const before = text.slice(0, found.index + found[0].indexOf(entry) + entry.search(/\S/))
  const evidence = { file: path, line: before.split('\n').length, reason: `command ${name}` }
  return [{ folder: folderOf(path), kind: 'command', evidence }]
}

/** Applications of Xcode projects, of XcodeGen's project files, and executables of Swift packages. */

const lineAtOffset = (text: string, at: number): number => text.slice(0, at).split('\n').length

const draft = (
  path: string,
  folder: string,
  kind: ServiceKind,
  found: { readonly line: number; readonly reason: string; readonly name?: string | undefined },
): readonly ServiceDraft[] => [
  {
    folder,
    kind,
    evidence: { file: path, line: found.line, reason: found.reason },
    ...(found.name !== undefined && { aliases: [found.name] }),
  },
]

/** A target: its name stands before its product type in the same block. */
const TARGET =
  /\bname = "?([^";\n]{1,200})"?;[^{}]{0,2000}?productType = "com\.apple\.product-type\.application"/

const xcodeProject = (path: string, text: string): readonly ServiceDraft[] => {
  // The blocks of targets are the only ones with product types.
  const at = text.search(/productType = "com\.apple\.product-type\.application"/)
  if (at < 0) return []
  const block = text.slice(Math.max(0, at - 4_000), at + 80)
  const start = block.lastIndexOf('isa = PBXNativeTarget')
  const name = TARGET.exec(block.slice(Math.max(0, start)))?.[1]
  const isMobile =
    /iphoneos|IPHONEOS_DEPLOYMENT_TARGET|TARGETED_DEVICE_FAMILY|WATCHOS/.test(text) || /iOS/.test(name ?? '')
  return draft(path, folderOf(folderOf(path)), isMobile ? 'mobile application' : 'desktop application', {
    line: lineAtOffset(text, at),
    reason: name === undefined ? 'application target' : `application target ${name}`,
    name,
  })
}

const GENERATED_TARGET = /^ {2}([\w.-]+):[^\n]*\n(?: {4,}[^\n]*\n|\s*\n)*? {4}type: application\b/m

const xcodeGenFile = (path: string, text: string): readonly ServiceDraft[] => {
  const found = /^targets:/m.test(text) ? GENERATED_TARGET.exec(text) : null
  return found === null
    ? []
    : draft(path, folderOf(path), 'mobile application', {
        line: lineAtOffset(text, found.index),
        reason: `application target ${found[1]}`,
        name: found[1],
      })
}

/** Packages of servers, in the dependencies of a Swift package. */
const SERVER = /\b(vapor|hummingbird|grpc-swift|smoke-framework|swift-aws-lambda-runtime|kitura)\b/i

const swiftPackage = (path: string, text: string): readonly ServiceDraft[] => {
  const found = /\.executable(?:Target)?\(\s*name:\s*"([^"\n]{1,100})"/.exec(text)
  return found === null
    ? []
    : draft(path, folderOf(path), SERVER.test(text) ? 'service' : 'command', {
        line: lineAtOffset(text, found.index),
        reason: `executable ${found[1]}`,
      })
}

export const swiftDraft = (
  path: string,
  read: (path: string) => string | undefined,
): readonly ServiceDraft[] => {
  if (/\.xcodeproj\/project\.pbxproj$/.test(path)) return xcodeProject(path, read(path) ?? '')
  const name = nameOf(path)
  if (name === 'Package.swift') return swiftPackage(path, read(path) ?? '')
  return /^project[\w.-]*\.ya?ml$/.test(name) ? xcodeGenFile(path, read(path) ?? '') : []
}

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

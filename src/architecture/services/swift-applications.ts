import { folderOf, nameOf } from '../source/source-files.ts'
import type { ServiceDraft, ServiceKind } from './service-draft.ts'

/** Applications of Xcode projects, of XcodeGen's project files, and executables of Swift packages. */

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

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
    line: lineOf(text, at),
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
        line: lineOf(text, found.index),
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
        line: lineOf(text, found.index),
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

import type { Grammar } from '../../kernel/text/languages.ts'
import { discover } from '../build/discovery.ts'
import type { Structure } from '../build/shape.ts'
import type { Inbound, Outbound } from '../connections/connections.ts'
import { type Connections, Detector, dedupe } from '../connections/interconnections.ts'
import { type ProtoService, readProto } from '../connections/proto.ts'
import { type Signature, writeSignature } from '../connections/type-signatures.ts'
import { findSecrets, isCredential, type SecretFinding } from '../secrets.ts'
import { Configuration } from '../source/configuration.ts'
import { isConfigFile, isTestPath } from '../source/discovery-rules.ts'
import { readJava } from '../source/java-reader.ts'
import { readKotlin } from '../source/kotlin-reader.ts'
import { readScript } from '../source/script-reader.ts'
import {
  type ProjectFile,
  type ProjectFiles,
  type Survey,
  WALK_LIMITS,
  type Warning,
  type Watch,
} from '../source/source-files.ts'
import { SourceIndex } from '../source/source-index.ts'
import type { SourceUnit } from '../source/source-unit.ts'
import type { SyntaxNode, SyntaxParser } from '../source/syntax-tree.ts'
import { type ArchitectureGraph, buildGraph, withConsumers } from './graph.ts'
import { measure } from './metrics.ts'
import type { Suggestion } from './suggestion.ts'

export interface AnalysisOptions {
  /** RFC 3339. */
  readonly at: string
  readonly checkDeadline: Watch
  readonly progress?: (done: number, total: number) => void
  /** Makes room between two files, whose syntax trees may be large; a promise when that takes a moment. */
  readonly freeNativeMemory?: () => Promise<void> | undefined
  readonly orgPattern?: string | undefined
}

export interface Architecture {
  readonly structure: Structure
  readonly signatures: readonly Signature[]
  readonly connections: Connections
  readonly graph: ArchitectureGraph
  readonly suggestions: readonly Suggestion[]
  readonly secrets: readonly SecretFinding[]
  readonly warnings: readonly Warning[]
}

type CodeGrammar = Extract<Grammar, 'java' | 'kotlin' | 'TypeScript' | 'Tsx'>

const GRAMMARS: readonly (readonly [RegExp, CodeGrammar])[] = [
  [/\.java$/, 'java'],
  [/\.kt$/, 'kotlin'],
  [/(?<!\.d)\.[cm]?ts$/, 'TypeScript'],
  // JavaScript is read with the larger grammar: one set of kinds for all scripts.
  [/\.tsx$|(?<!\.min)\.[cm]?jsx?$/, 'Tsx'],
]

const READERS: Readonly<Record<CodeGrammar, (file: string, root: SyntaxNode) => SourceUnit>> = {
  java: readJava,
  kotlin: readKotlin,
  TypeScript: readScript,
  Tsx: readScript,
}

const codeGrammar = (path: string): CodeGrammar | undefined =>
  GRAMMARS.find(([ending]) => ending.test(path))?.[1]

const isRead = (path: string): boolean =>
  codeGrammar(path) !== undefined || isConfigFile(path) || path.endsWith('.proto')

/** Reads a project once: every file that matters, in order. */
class Reading {
  readonly units: SourceUnit[] = []
  readonly configuration = new Configuration()
  readonly protos = new Map<string, ProtoService>()
  readonly secrets: SecretFinding[] = []
  readonly warnings: Warning[] = []
  readonly #files: ProjectFiles
  readonly #parser: SyntaxParser
  #bytes = 0

  constructor(files: ProjectFiles, parser: SyntaxParser) {
    this.#files = files
    this.#parser = parser
  }

  #warn(code: string, file: string, message: string): void {
    this.warnings.push({ code, file, message })
  }

  file({ path }: ProjectFile): void {
    if (this.#bytes > WALK_LIMITS.bytes)
      return this.#warn('bytes_exhausted', path, 'the limit of all bytes is reached: left out')
    const text = this.#files.read(path)
    if (text === undefined)
      return this.#warn('file_unreadable', path, 'the file cannot be read as text, or is too long')
    this.#bytes += Buffer.byteLength(text)
    this.secrets.push(...findSecrets(path, text))
    if (path.endsWith('.proto')) for (const one of readProto(text)) this.protos.set(one.name, one)
    else if (isConfigFile(path)) this.configuration.add(path, text)
    else this.#code(path, text)
  }

  #code(path: string, text: string): void {
    const grammar = codeGrammar(path)
    if (grammar === undefined) return
    try {
      this.units.push(READERS[grammar](path, this.#parser.parse(grammar, text)))
    } catch (cause) {
      // One file that no reader was made for must not cost the picture of all the others.
      this.#warn(
        'file_unparsed',
        path,
        `the file is left out: ${cause instanceof Error ? cause.name : 'unknown'}`,
      )
    }
  }

  /** Settings whose name asks for a secret and whose value tells one. */
  configuredSecrets(): readonly SecretFinding[] {
    return this.configuration.settings
      .filter(({ key, value }) => isCredential(key, value))
      .map(({ file, line, key }) => ({ file, line, kind: 'secret in configuration', place: key }))
  }
}

const orderSecrets = (all: readonly SecretFinding[]): readonly SecretFinding[] => {
  const byLine = new Map(all.map((one) => [`${one.file}\0${String(one.line).padStart(8, '0')}`, one]))
  return [...byLine].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** Each once, whoever noticed it first. */
const orderWarnings = (all: readonly Warning[]): readonly Warning[] => {
  const distinct = new Map(all.map((one) => [`${one.code}\0${one.file}`, one]))
  return [...distinct.values()]
}

const readAll = async (
  files: ProjectFiles,
  survey: Survey,
  parser: SyntaxParser,
  options: AnalysisOptions,
): Promise<Reading> => {
  const reading = new Reading(files, parser)
  const wanted = survey.files.filter(({ path }) => isRead(path) && !isTestPath(path))
  for (const [index, file] of wanted.entries()) {
    options.checkDeadline()
    reading.file(file)
    options.progress?.(index + 1, wanted.length)
    const pause = options.freeNativeMemory?.()
    if (pause !== undefined) await pause
  }
  return reading
}

/** Everything the workflows know of a project, from one reading of its files. */
export const analyse = async (
  files: ProjectFiles,
  parser: SyntaxParser,
  options: AnalysisOptions,
): Promise<Architecture> => {
  const survey = files.walk(WALK_LIMITS, options.checkDeadline)
  const reading = await readAll(files, survey, parser, options)
  const packages = new Map(reading.units.map((unit) => [unit.file, unit.package]))
  const structure = discover(files, survey, { ...options, packages })
  const index = new SourceIndex(reading.units)
  const detector = new Detector(index, reading.configuration, reading.protos)
  const [inbound, outbound, signatures]: [Inbound[], Outbound[], Signature[]] = [[], [], []]
  for (const unit of reading.units) {
    options.checkDeadline()
    const own = detector.detect(unit)
    inbound.push(...own.inbound)
    outbound.push(...own.outbound)
    signatures.push(writeSignature(unit, { index, resolver: detector.resolver }, own))
  }
  const found = dedupe({ inbound, outbound: outbound.concat(detector.configured()) })
  const graph = buildGraph(index, found)
  const connections = withConsumers(found, graph)
  const secrets = orderSecrets([...reading.secrets, ...reading.configuredSecrets()])
  const tests = survey.files.map(({ path }) => path).filter(isTestPath)
  return {
    structure,
    signatures,
    connections,
    graph,
    suggestions: measure({ index, graph, structure, connections, secrets, tests }),
    secrets,
    warnings: orderWarnings([...structure.warnings, ...reading.warnings, ...reading.configuration.warnings]),
  }
}

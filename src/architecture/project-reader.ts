import { createHash } from 'node:crypto'
import type { CheckDeadline } from '../kernel/jail.ts'
import type { SyntaxNode, SyntaxParser } from '../kernel/syntax-tree.ts'
import type { Grammar } from '../kernel/text/languages.ts'
import { findSecrets, isCredential, type SecretFinding } from '../kernel/text/secrets.ts'
import { UnparsedFiles } from '../kernel/text/unparsed-files.ts'
import { readPrismaSource } from './connections/configured-stores.ts'
import type { Outbound } from './connections/framework.ts'
import { type ProtoService, readProto } from './connections/proto.ts'
import { DeclaredApis, isApiFile } from './interfaces/declared-apis.ts'
import { readGo } from './readers/go-reader.ts'
import { readJava } from './readers/java-reader.ts'
import { readKotlin } from './readers/kotlin-reader.ts'
import { readPython } from './readers/python-reader.ts'
import { readScript } from './readers/script-reader.ts'
import { Configuration } from './source/configuration.ts'
import {
  isConfigFile,
  isDeploymentText,
  isGeneratedPath,
  isGeneratedText,
  isTestPath,
  isVariableFile,
} from './source/discovery-rules.ts'
import {
  nameOf,
  type ProjectFile,
  type ProjectFiles,
  type Survey,
  WALK_LIMITS,
  type Warning,
} from './source/source-files.ts'
import type { ReadingCache, SourceReading } from './source/source-reading.ts'
import type { SourceUnit } from './source/source-unit.ts'

export interface AnalysisOptions {
  /** RFC 3339. */
  readonly at: string
  readonly checkDeadline: CheckDeadline
  readonly progress?: (done: number, total: number) => void
  /** Called now and then between two files, because syntax trees may be large. */
  readonly freeNativeMemory?: () => Promise<void>
  readonly orgPattern?: string | undefined
  readonly readings?: ReadingCache | undefined
}

const readingKey = (path: string, text: string): string =>
  createHash('sha256').update(`${path}\0`).update(text).digest('base64')

type CodeGrammar = Extract<Grammar, 'java' | 'kotlin' | 'python' | 'go' | 'TypeScript' | 'Tsx'>

const GRAMMARS: readonly (readonly [RegExp, CodeGrammar])[] = [
  [/\.java$/, 'java'],
  [/\.kt$/, 'kotlin'],
  [/\.py$/, 'python'],
  [/\.go$/, 'go'],
  [/(?<!\.d)\.[cm]?ts$/, 'TypeScript'],
  // JavaScript is parsed with the Tsx grammar, so that all scripts have the same node kinds.
  [/\.tsx$|(?<!\.min)\.[cm]?jsx?$/, 'Tsx'],
]

const READERS: Readonly<Record<CodeGrammar, (file: string, root: SyntaxNode) => SourceUnit>> = {
  java: readJava,
  kotlin: readKotlin,
  python: readPython,
  go: readGo,
  TypeScript: readScript,
  Tsx: readScript,
}

const codeGrammar = (path: string): CodeGrammar | undefined =>
  GRAMMARS.find(([ending]) => ending.test(path))?.[1]

export const isRelevantFile = (path: string): boolean =>
  codeGrammar(path) !== undefined ||
  isConfigFile(path) ||
  isVariableFile(path) ||
  isDeploymentText(path) ||
  isApiFile(path) ||
  /\.(proto|prisma)$/.test(path)

/** Why a file was not read. */
export const SKIP_REASONS = [
  'test',
  'generated',
  'too large',
  'unreadable',
  'limit',
  'unparsed',
  'no grammar',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Characters of code after which syntax trees are freed. A tree takes up to 64 times its text. */
const FREE_AFTER = 128 * 1024

/** Reads the source, configuration and proto files of a project, each once. */
export class ProjectReader {
  readonly units: SourceUnit[] = []
  readonly configuration = new Configuration()
  readonly protos = new Map<string, ProtoService>()
  /** Data sources of schema files. */
  readonly dataSources: Outbound[] = []
  readonly apis = new DeclaredApis()
  /** Dockerfiles, Terraform files and configuration of proxies, by path. */
  readonly deploymentTexts = new Map<string, string>()
  readonly secrets: SecretFinding[] = []
  readonly warnings: Warning[] = []
  /** Why files are missing in the analysis. */
  readonly skipped = new Map<string, SkipReason>()
  readonly #files: ProjectFiles
  readonly #parser: SyntaxParser
  readonly #readings: ReadingCache | undefined
  readonly #unparsed = new UnparsedFiles()
  #bytes = 0
  #parsed = 0

  constructor(files: ProjectFiles, parser: SyntaxParser, readings: ReadingCache | undefined) {
    this.#files = files
    this.#parser = parser
    this.#readings = readings
  }

  /** How many characters of code were parsed. */
  get parsed(): number {
    return this.#parsed
  }

  #warn(code: string, file: string, message: string): void {
    this.warnings.push({ code, file, message })
  }

  #skip(reason: SkipReason, code: string, file: string, message: string): void {
    this.skipped.set(file, reason)
    this.#warn(code, file, message)
  }

  file({ path }: ProjectFile): void {
    if (isTestPath(path) || isGeneratedPath(path)) {
      this.skipped.set(path, isTestPath(path) ? 'test' : 'generated')
      return
    }
    if (this.#bytes > WALK_LIMITS.bytes)
      return this.#skip(
        'limit',
        'bytes_exhausted',
        path,
        'the file was skipped: the limit of bytes for the whole project is reached',
      )
    const text = this.#files.read(path)
    if (text === undefined)
      return this.#skip(
        this.#files.isTooLarge(path) ? 'too large' : 'unreadable',
        'file_unreadable',
        path,
        'the file was skipped: it cannot be read, is too large, or is not text',
      )
    this.#bytes += Buffer.byteLength(text)
    if (isGeneratedText(text)) {
      this.skipped.set(path, 'generated')
      return
    }
    // A reader that fails on one file must not stop the analysis of the others.
    try {
      this.#read(path, text)
    } catch (cause) {
      this.#skip(
        'unparsed',
        'file_unparsed',
        path,
        `the file was skipped: reading it failed with ${cause instanceof Error ? cause.name : 'an unknown error'}`,
      )
    }
  }

  #read(path: string, text: string): void {
    const grammar = codeGrammar(path)
    if (grammar !== undefined) return this.#readCode(grammar, path, text)
    // The `.env` of a machine is the place for its secrets.
    if (nameOf(path) !== '.env') this.secrets.push(...findSecrets(path, text))
    if (path.endsWith('.proto')) for (const one of readProto(text)) this.protos.set(one.name, one)
    else if (path.endsWith('.prisma')) this.dataSources.push(...readPrismaSource(path, text))
    else if (isDeploymentText(path)) this.deploymentTexts.set(path, text)
    else if (!this.apis.add(path, text)) this.configuration.add(path, text)
  }

  #readCode(grammar: CodeGrammar, path: string, text: string): void {
    const missing = this.#parser.missing(grammar)
    if (missing !== undefined) {
      this.secrets.push(...findSecrets(path, text))
      this.#unparsed.add(path, missing)
      this.skipped.set(path, 'no grammar')
      return
    }
    const key = this.#readings === undefined ? '' : readingKey(path, text)
    const known = this.#readings?.get(key)
    const { unit, secrets } = known ?? this.#parse(grammar, path, text)
    if (known === undefined) this.#readings?.put(key, { unit, secrets })
    this.secrets.push(...secrets)
    this.units.push(unit)
  }

  #parse(grammar: CodeGrammar, path: string, text: string): SourceReading {
    this.#parsed += text.length
    const secrets = findSecrets(path, text)
    return { unit: READERS[grammar](path, this.#parser.parse(grammar, text)), secrets }
  }

  /** One warning for each language whose grammar is not installed. */
  warnUnparsed(): void {
    for (const { language, title, files, install } of this.#unparsed.languages())
      this.#warn(
        'grammar_missing',
        files[0] ?? '',
        `${title} ${files.length === 1 ? 'was' : 'were'} not analysed: the grammar of ${language} is not installed; run \`${install}\``,
      )
  }

  /** Settings that hold a credential in plain text. */
  configuredSecrets(): readonly SecretFinding[] {
    return this.configuration.settings
      .filter(({ key, value }) => isCredential(key, value))
      .map(({ file, line, key }) => ({ file, line, kind: 'secret in configuration', place: key }))
  }
}

export const readProjectFiles = async (
  files: ProjectFiles,
  survey: Survey,
  parser: SyntaxParser,
  options: AnalysisOptions,
): Promise<ProjectReader> => {
  const reader = new ProjectReader(files, parser, options.readings)
  const wanted = survey.files.filter(({ path }) => isRelevantFile(path))
  let freed = 0
  for (const [index, file] of wanted.entries()) {
    options.checkDeadline()
    reader.file(file)
    options.progress?.(index + 1, wanted.length)
    if (reader.parsed - freed < FREE_AFTER) continue
    freed = reader.parsed
    await options.freeNativeMemory?.()
  }
  await options.readings?.save()
  reader.warnUnparsed()
  return reader
}

import type { SyntaxParser } from '../kernel/syntax-tree.ts'
import type { SecretFinding } from '../kernel/text/secrets.ts'
import { discover } from './build/discovery.ts'
import type { Structure } from './build/shape.ts'
import type { Inbound, Outbound } from './connections/framework.ts'
import { ConnectionDetector, type Connections, dedupe } from './connections/interconnections.ts'
import { type ListeningPort, listeningPorts } from './connections/listening-ports.ts'
import { type Signature, writeSignature } from './connections/type-signatures.ts'
import { type AnalysisCoverage, coverageOf } from './coverage.ts'
import { declaredContainers } from './deployment/deployment-files.ts'
import { FRAMEWORKS } from './frameworks/frameworks.ts'
import { usedLibraries } from './frameworks/used-libraries.ts'
import { type ArchitectureGraph, buildGraph, withConsumers } from './graph.ts'
import { withDeclared } from './interfaces/api-files.ts'
import { configuredCalls, proxyOutbound } from './interfaces/proxy-config.ts'
import { measure } from './metrics.ts'
import { type AnalysisOptions, type ProjectReader, readProjectFiles } from './project-reader.ts'
import { findServices } from './services/find-services.ts'
import type { BuildLibrary } from './services/relations/library-peers.ts'
import { buildSystem } from './services/relations/system.ts'
import type { SystemModel } from './services/relations/system-model.ts'
import { usedNames } from './services/relations/used-names.ts'
import { withWholeProject } from './services/whole-project.ts'
import { attempt } from './source/attempt.ts'
import { readBuildConstants } from './source/build-constants.ts'
import { isTestPath } from './source/discovery-rules.ts'
import { joinPath, type ProjectFiles, type Survey, WALK_LIMITS, type Warning } from './source/source-files.ts'
import { SourceIndex } from './source/source-index.ts'
import type { Suggestion } from './suggestion.ts'

export interface Architecture {
  readonly structure: Structure
  readonly signatures: readonly Signature[]
  readonly connections: Connections
  readonly graph: ArchitectureGraph
  /** Services, stores, brokers and outside systems. */
  readonly system: SystemModel
  readonly suggestions: readonly Suggestion[]
  readonly secrets: readonly SecretFinding[]
  readonly warnings: readonly Warning[]
  readonly coverage: AnalysisCoverage
}

const orderSecrets = (all: readonly SecretFinding[]): readonly SecretFinding[] => {
  const byLine = new Map(all.map((one) => [`${one.file}\0${String(one.line).padStart(8, '0')}`, one]))
  return [...byLine].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** One warning for each code and file. */
const orderWarnings = (all: readonly Warning[]): readonly Warning[] => {
  const distinct = new Map(all.map((one) => [`${one.code}\0${one.file}`, one]))
  return [...distinct.values()]
}

const NO_CONNECTIONS: Connections = { inbound: [], outbound: [] }
const NO_GRAPH: ArchitectureGraph = { nodes: [], edges: [], renamed: [] }
const NO_SYSTEM: SystemModel = { services: [], nodes: [], relations: [] }

const systemOf = (
  files: ProjectFiles,
  survey: Survey,
  { units, configuration, deploymentTexts }: ProjectReader,
  structure: Structure,
  connections: Connections,
  listening: readonly ListeningPort[],
): SystemModel => {
  const setting = (key: string, folder: string) => {
    const found = configuration.find(key, joinPath(folder, 'x'))
    const filled = found === undefined ? undefined : configuration.fill(found.value, found.file)
    return filled?.complete === true ? filled.text : undefined
  }
  const paths = survey.files.map(({ path }) => path)
  const found = findServices({
    paths,
    units,
    structure,
    declared: declaredContainers(configuration),
    texts: deploymentTexts,
    setting,
    read: (path) => files.read(path),
  })
  const names = usedNames(paths, (path) => files.read(path))
  const code = new Set(units.map(({ file }) => file))
  const whole = withWholeProject(found, connections, structure.project.name, code)
  const variable = (name: string, folder: string) => configuration.variableOf(name, folder)
  const libraries = buildLibraries(structure, new Set(paths))
  return buildSystem({ ...whole, ...connections, ...names, listening, setting, variable, libraries })
}

/** The libraries of modules that Maven and Gradle build, without those of tests. */
const buildLibraries = ({ dependencies }: Structure, paths: ReadonlySet<string>): readonly BuildLibrary[] =>
  dependencies.flatMap(({ module, artifactId, scope }) => {
    const folder = module === '.' ? '' : module
    const files = ['pom.xml', 'build.gradle', 'build.gradle.kts'].map((name) => joinPath(folder, name))
    const file = files.find((one) => paths.has(one))
    return file === undefined || scope === 'test' ? [] : [{ folder, artifactId, file }]
  })

/** Constants of build scripts. Scripts of Gradle are no source files of the project. */
const defineBuildConstants = (files: ProjectFiles, { files: all }: Survey, reader: ProjectReader): void => {
  for (const { path } of all)
    if (/(^|\/)build\.gradle(\.kts)?$/.test(path))
      for (const entry of readBuildConstants(path, files.read(path) ?? '')) reader.configuration.define(entry)
}

const BUILD_FILE = /(^|\/)(pom\.xml|build\.gradle(\.kts)?|package\.json)$/

/** Build files are of interest to several steps, and are read once. */
const rememberBuildFiles = (files: ProjectFiles): ProjectFiles => {
  const texts = new Map<string, string | undefined>()
  return {
    root: files.root,
    walk: (limits) => files.walk(limits),
    isTooLarge: (path) => files.isTooLarge(path),
    read: (path) => {
      if (!BUILD_FILE.test(path)) return files.read(path)
      if (!texts.has(path)) texts.set(path, files.read(path))
      return texts.get(path)
    },
  }
}

/** Analyses a project. Every file is read once. */
export const analyse = async (
  project: ProjectFiles,
  parser: SyntaxParser,
  options: AnalysisOptions,
): Promise<Architecture> => {
  const files = rememberBuildFiles(project)
  const survey = files.walk(WALK_LIMITS)
  const reader = await readProjectFiles(files, survey, parser, options)
  const packages = new Map(reader.units.map((unit) => [unit.file, unit.package]))
  const structure = discover(files, survey, { ...options, packages })
  defineBuildConstants(files, survey, reader)
  const index = new SourceIndex(reader.units)
  const detector = new ConnectionDetector(index, reader.configuration, {
    protos: reader.protos,
    frameworks: FRAMEWORKS,
  })
  const { warnings } = detector
  const whole = { file: '.', warnings }
  const [inbound, outbound, signatures]: [Inbound[], Outbound[], Signature[]] = [[], [], []]
  const listening: ListeningPort[] = []
  for (const unit of reader.units) detector.declareRoutes(unit)
  for (const unit of reader.units) {
    options.checkDeadline()
    const own = detector.detect(unit)
    inbound.push(...own.inbound)
    outbound.push(...own.outbound)
    listening.push(
      ...attempt({ result: 'the ports', file: unit.file, warnings }, [], () =>
        listeningPorts(unit, index, detector.resolver),
      ),
    )
    const signature = attempt({ result: 'the signatures', file: unit.file, warnings }, undefined, () =>
      writeSignature(unit, { index, resolver: detector.resolver }, own),
    )
    if (signature !== undefined) signatures.push(signature)
  }
  const configured = attempt({ ...whole, result: 'the configured addresses' }, NO_CONNECTIONS, () =>
    detector.configured(),
  )
  const proxied = attempt({ ...whole, result: 'the targets of proxies' }, [], () => [
    ...[...reader.deploymentTexts].flatMap(([file, text]) => proxyOutbound(file, text)),
    ...configuredCalls(reader.configuration),
  ])
  const shown = {
    inbound: inbound.concat(configured.inbound),
    outbound: outbound.concat(configured.outbound, reader.dataSources, proxied),
  }
  const found = dedupe(
    attempt({ ...whole, result: 'the declared endpoints' }, shown, () =>
      withDeclared(shown, reader.apis.all(reader.units)),
    ),
  )
  const graph = attempt({ ...whole, result: 'the relations of services' }, NO_GRAPH, () =>
    buildGraph(index, found),
  )
  const connections = withConsumers(found, graph)
  const system = attempt({ ...whole, result: 'the services' }, NO_SYSTEM, () =>
    systemOf(files, survey, reader, structure, connections, listening),
  )
  const secrets = orderSecrets([...reader.secrets, ...reader.configuredSecrets()])
  const tests = survey.files.map(({ path }) => path).filter(isTestPath)
  const suggestions = attempt({ ...whole, result: 'the suggestions' }, [], () =>
    measure({ index, graph, structure, connections, secrets, tests }),
  )
  for (const { file } of reader.configuration.warnings) reader.skipped.set(file, 'unparsed')
  const coverage = coverageOf(survey, reader.skipped, usedLibraries(reader.units, detector.recognized))
  return {
    structure,
    signatures,
    connections,
    graph,
    system,
    suggestions,
    secrets,
    warnings: orderWarnings([
      ...structure.warnings,
      ...reader.warnings,
      ...reader.configuration.warnings,
      ...warnings,
    ]),
    coverage,
  }
}

import { pushTo } from '../kernel/multimap.ts'
import type { SecretFinding } from '../kernel/text/secrets.ts'
import type { Structure } from './build/shape.ts'
import type { Connections } from './connections/interconnections.ts'
import { rolesOf } from './connections/roles.ts'
import type { ArchitectureGraph, GraphNode } from './graph.ts'
import { inOrder, nameOf } from './source/source-files.ts'
import type { SourceIndex, TypeLocation } from './source/source-index.ts'
import { bodiesOf, findAnnotation, type Method } from './source/source-unit.ts'
import {
  type Group,
  type Measured,
  measuredAt,
  SUGGESTION_SEVERITIES,
  type Suggestion,
  type SuggestionSeverity,
} from './suggestion.ts'

const LONG_METHOD = 50
const LONG_CLASS = 300
const HUGE_CLASS = 800
const MANY_PARAMETERS = 7

type Rule = (place: TypeLocation) => readonly Measured[]

const FRAMEWORK =
  /^(org\.springframework|jakarta\.(persistence|ws|ejb)|javax\.(persistence|ws|ejb)|org\.hibernate)\b/

/** A rule over each constructor and method. `find` returns the lines to report; their value is 1. */
const lineRule =
  (rule: string, severity: SuggestionSeverity, find: (method: Method) => readonly number[]): Rule =>
  (place) =>
    bodiesOf(place.type).flatMap((method) =>
      find(method).map((line) =>
        measuredAt(place, { rule, severity, value: 1, line, subject: `${place.type.name}.${method.name}` }),
      ),
    )

/** Rules that need one type only. */
const TYPE_RULES: readonly Rule[] = [
  (place) => {
    const { lines } = place.type
    const severity = lines > HUGE_CLASS ? 'high' : 'medium'
    return lines > LONG_CLASS ? [measuredAt(place, { rule: 'long_class', severity, value: lines })] : []
  },
  (place) =>
    bodiesOf(place.type)
      .filter(({ lines }) => lines > LONG_METHOD)
      .map(({ name, line, lines }) => {
        const subject = `${place.type.name}.${name}`
        return measuredAt(place, { rule: 'long_method', severity: 'medium', value: lines, line, subject })
      }),
  (place) =>
    place.type.constructors
      .filter(({ parameters }) => parameters.length > MANY_PARAMETERS && place.type.kind !== 'record')
      .map(({ line, parameters }) =>
        measuredAt(place, { rule: 'many_parameters', severity: 'medium', value: parameters.length, line }),
      ),
  (place) => {
    const fields = place.type.fields.filter(
      ({ annotations }) => findAnnotation(annotations, 'Autowired', 'Inject') !== undefined,
    )
    const [first] = fields
    if (first === undefined || place.unit.language === 'script') return []
    const { line } = first
    return [measuredAt(place, { rule: 'field_injection', severity: 'low', value: fields.length, line })]
  },
  lineRule('silent_catch', 'high', ({ silentCatches }) => silentCatches),
  lineRule('print_stack', 'low', ({ calls }) =>
    calls.filter(({ name }) => name === 'printStackTrace').map(({ line }) => line),
  ),
  lineRule('raw_thread', 'medium', ({ calls }) =>
    calls.filter(({ makes, name }) => makes && name === 'Thread').map(({ line }) => line),
  ),
  (place) => {
    const { package: name, imports, types } = place.unit
    const foreign = imports.filter((one) => FRAMEWORK.test(one) || /\.infrastructure\./.test(one))
    const inDomain = /(^|\.)domain(\.|$)/.test(name) && types[0] === place.type
    return inDomain && foreign.length > 0
      ? [measuredAt(place, { rule: 'domain_framework', severity: 'high', value: foreign.length })]
      : []
  },
]

/**
 * Strongly connected components by Kosaraju's algorithm: the second walk follows the reversed edges, in the reverse
 * order in which the first walk finished. Iterative, because a chain may be as long as the project has types.
 */
const findCycles = ({ nodes, edges }: ArchitectureGraph): readonly (readonly GraphNode[])[] => {
  const forward = linksOf(edges.map(({ from, to }) => [from, to]))
  const backward = linksOf(edges.map(({ from, to }) => [to, from]))
  const finished: string[] = []
  const seen = new Set<string>()
  for (const { id } of nodes) visit(id, forward, seen, (one) => finished.push(one))
  const groups: string[][] = []
  const assigned = new Set<string>()
  for (const id of finished.reverse()) {
    const group: string[] = []
    visit(id, backward, assigned, (one) => group.push(one))
    if (group.length > 1) groups.push(group)
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return groups.map((group) => group.sort().flatMap((id) => byId.get(id) ?? []))
}

const linksOf = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> => {
  const links = new Map<string, string[]>()
  for (const [from, to] of pairs) pushTo(links, from, to)
  return links
}

/** Depth-first walk; calls `leave` for each node after all nodes behind it. */
const visit = (
  start: string,
  links: ReadonlyMap<string, readonly string[]>,
  seen: Set<string>,
  leave: (id: string) => void,
): void => {
  if (seen.has(start)) return
  seen.add(start)
  const path = [{ id: start, next: 0 }]
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = links.get(top.id)?.[top.next]
    top.next += 1
    if (next === undefined) {
      leave(top.id)
      path.pop()
    } else if (!seen.has(next)) {
      seen.add(next)
      path.push({ id: next, next: 0 })
    }
  }
}

interface MeasureInput {
  readonly index: SourceIndex
  readonly graph: ArchitectureGraph
  readonly structure: Structure
  readonly connections: Connections
  readonly secrets: readonly SecretFinding[]
  readonly tests: readonly string[]
}

const MANY_VALUES = 5
const OLD_JAVA = 17
const OLD_BOOT = 3

const CALLS_OUT = /^(RestTemplate|WebClient|RestClient|FeignClient|HttpClient|OkHttp)$/
const RESILIENT = ['CircuitBreaker', 'Retry', 'Retryable', 'TimeLimiter', 'Bulkhead', 'HystrixCommand']
const resilience = ({ index, connections }: MeasureInput): readonly Measured[] => {
  const callers = new Set(
    connections.outbound
      .filter(({ type }) => CALLS_OUT.test(type))
      .map((one) => `${one.source_file}\0${one.caller}`),
  )
  return placesOf(index)
    .filter(({ unit, type }) => callers.has(`${unit.file}\0${type.name}`))
    .filter(
      ({ type }) =>
        findAnnotation(
          [...type.annotations, ...type.methods.flatMap(({ annotations }) => annotations)],
          ...RESILIENT,
        ) === undefined,
    )
    .filter(({ type }) => findAnnotation(type.annotations, 'FeignClient')?.args.has('fallback') !== true)
    .map((place) => measuredAt(place, { rule: 'no_resilience', severity: 'medium', value: 1 }))
}

/** An advice handles the exceptions of controllers of Spring, not those of JAX-RS, gRPC or Nest. */
const advice = ({ index }: MeasureInput): readonly Measured[] => {
  const places = placesOf(index)
  const controllers = places.filter(
    ({ type, unit }) =>
      unit.language !== 'script' &&
      findAnnotation(type.annotations, 'RestController', 'Controller') !== undefined,
  )
  const advised = places.some(({ type, unit }) => rolesOf(type, unit).includes('Advice'))
  const [first] = controllers
  return first === undefined || advised
    ? []
    : [measuredAt(first, { rule: 'no_advice', severity: 'medium', value: controllers.length })]
}

const values = ({ index }: MeasureInput): readonly Measured[] => {
  const places = placesOf(index)
  const used = places.flatMap((place) =>
    [...place.type.fields, ...place.type.constructors.flatMap(({ parameters }) => parameters)]
      .filter(({ annotations }) => findAnnotation(annotations, 'Value') !== undefined)
      .map(({ line }) => ({ place, line })),
  )
  const bound = places.some(
    ({ type }) => findAnnotation(type.annotations, 'ConfigurationProperties') !== undefined,
  )
  const [first] = used
  return first === undefined || bound || used.length <= MANY_VALUES
    ? []
    : [
        measuredAt(first.place, {
          rule: 'many_values',
          severity: 'low',
          value: used.length,
          line: first.line,
        }),
      ]
}

const skippedService = ({ graph }: MeasureInput): readonly Measured[] => {
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]))
  return graph.edges
    .filter(({ from, to }) => from.startsWith('CTRL_') && to.startsWith('REP_'))
    .map(({ from, to, source }) => ({
      rule: 'skips_service',
      severity: 'medium',
      subject: `${names.get(from)} → ${names.get(to)}`,
      ...source,
      value: 1,
    }))
}

const cycles = ({ graph }: MeasureInput): readonly Measured[] =>
  findCycles(graph).map((cycle) => ({
    rule: 'cycle',
    severity: 'high',
    subject: cycle.map(({ name }) => name).join(' → '),
    file: cycle[0]?.source.file ?? '',
    line: cycle[0]?.source.line ?? 1,
    value: cycle.length,
  }))

const duplicates = ({ index }: MeasureInput): readonly Measured[] => {
  const bodies = new Map<string, { readonly place: TypeLocation; readonly method: Method }[]>()
  for (const place of placesOf(index))
    for (const method of place.type.methods.filter(({ digest }) => digest !== '')) {
      pushTo(bodies, method.digest, { place, method })
    }
  return [...bodies.values()].flatMap(([first, ...rest]) =>
    first === undefined || rest.length === 0
      ? []
      : [
          measuredAt(first.place, {
            rule: 'duplicate',
            severity: 'medium',
            value: rest.length + 1,
            line: first.method.line,
            subject: `${first.place.type.name}.${first.method.name}`,
          }),
        ],
  )
}

const untested = ({ index, tests }: MeasureInput): readonly Measured[] => {
  const tested = new Set(
    tests.map((path) => nameOf(path).replace(/(IT|Tests?|Spec|\.test|\.spec)?\.\w+$/, '')),
  )
  const untestedTypes = placesOf(index).filter(({ type, unit }) => {
    const roles = rolesOf(type, unit)
    return (
      (roles.includes('Controller') || roles.includes('Service')) &&
      type.kind !== 'interface' &&
      !tested.has(type.name)
    )
  })
  const [first] = untestedTypes
  return first === undefined
    ? []
    : [measuredAt(first, { rule: 'untested', severity: 'info', value: untestedTypes.length })]
}

const versions = ({ structure }: MeasureInput): readonly Measured[] => {
  const { java, springBoot, name, tool } = structure.project
  const file = tool === 'maven' ? 'pom.xml' : 'build.gradle'
  const level = Number((java ?? '').replace(/^1\./, ''))
  const boot = Number.parseInt(springBoot ?? '', 10)
  const old = (rule: string, severity: SuggestionSeverity, value: number): Measured => ({
    rule,
    severity,
    subject: name,
    file,
    line: 1,
    value,
  })
  return [
    ...(level > 0 && level < OLD_JAVA ? [old('old_java', 'medium', level)] : []),
    ...(boot > 0 && boot < OLD_BOOT ? [old('old_boot', 'high', boot)] : []),
  ]
}

const exposedSecrets = ({ secrets }: MeasureInput): readonly Measured[] =>
  secrets.map(({ file, line, place }) => ({
    rule: 'secret',
    severity: 'critical',
    subject: place,
    file,
    line,
    value: 1,
  }))

const placesOf = (index: SourceIndex): readonly TypeLocation[] =>
  index.units.flatMap((unit) => unit.types.map((type) => ({ unit, type })))

const RULE_GROUPS: Readonly<Record<string, Group>> = {
  long_class: 'size',
  long_method: 'size',
  many_parameters: 'size',
  duplicate: 'size',
  field_injection: 'coupling',
  domain_framework: 'coupling',
  skips_service: 'coupling',
  cycle: 'coupling',
}

const PROJECT_RULES = [
  exposedSecrets,
  versions,
  cycles,
  skippedService,
  resilience,
  advice,
  values,
  duplicates,
  untested,
]

/** All suggestions for a project, highest severity first. */
export const measure = (input: MeasureInput): readonly Suggestion[] => {
  const raw = [
    ...PROJECT_RULES.flatMap((rule) => rule(input)),
    ...placesOf(input.index).flatMap((place) => TYPE_RULES.flatMap((rule) => rule(place))),
  ]
  return raw
    .map((one) => ({ ...one, group: RULE_GROUPS[one.rule] ?? ('smells' as const) }))
    .sort(
      (a, b) =>
        SUGGESTION_SEVERITIES.indexOf(a.severity) - SUGGESTION_SEVERITIES.indexOf(b.severity) ||
        inOrder(a.rule, b.rule) ||
        b.value - a.value ||
        inOrder(a.file, b.file) ||
        a.line - b.line,
    )
}

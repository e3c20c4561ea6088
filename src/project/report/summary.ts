import type { Architecture } from '../architecture/architecture.ts'
import { SUGGESTION_SEVERITIES } from '../architecture/suggestion.ts'
import { inOrder } from '../source/source-files.ts'
import { format, placeName, type ReportStrings } from './strings.ts'

const REPORTED_SEVERITIES = ['critical', 'high', 'medium']
const MAX_PROTOCOLS = 6

const hasPackage = ({ structure }: Architecture, ...names: readonly string[]): boolean => {
  const packages = structure.root.modules.flatMap((module) =>
    module.packages.map(({ name }) => name.split('.')),
  )
  return names.every((name) => packages.some((parts) => parts.includes(name)))
}

const countOf = ({ signatures }: Architecture, role: string): number =>
  signatures.flatMap(({ types }) => types).filter(({ roles }) => roles.includes(role)).length

const kindOf = (found: Architecture): keyof ReportStrings['kinds'] => {
  if (hasPackage(found, 'domain', 'application', 'infrastructure') || hasPackage(found, 'domain', 'ports'))
    return 'hexagonal'
  if (countOf(found, 'Controller') > 0 && countOf(found, 'Service') > 0) return 'layered'
  return found.structure.root.modules.length > 1 ? 'modular' : 'plain'
}

const kindLine = (found: Architecture, words: ReportStrings): string => {
  const { tool, springBoot, java } = found.structure.project
  const boot = springBoot === undefined ? '' : format(words.boot, { version: springBoot })
  const level = java === undefined ? '' : format(words.java, { version: java })
  return format(words.kindLine, { kind: words.kinds[kindOf(found)], tool, stack: `${boot}${level}` })
}

const modulesLine = (found: Architecture, words: ReportStrings): string => {
  const { totalClasses, totalPackages } = found.structure.project.statistics
  const modules = found.structure.root.modules.length
  return format(words.modulesLine, {
    modules,
    classes: totalClasses,
    packages: totalPackages,
    services: countOf(found, 'Application Root'),
  })
}

const trafficLine = ({ connections }: Architecture, words: ReportStrings): string => {
  const byProtocol = new Map<string, number>()
  for (const { protocol } of connections.inbound)
    byProtocol.set(protocol, (byProtocol.get(protocol) ?? 0) + 1)
  const shown = [...byProtocol].sort(([a, n], [b, m]) => m - n || inOrder(a, b)).slice(0, MAX_PROTOCOLS)
  const protocols =
    shown.length === 0 ? '' : ` (${shown.map(([name, count]) => `${name} ${count}`).join(', ')})`
  const targets = new Set(connections.outbound.map(({ target_service }) => target_service)).size
  return format(words.trafficLine, {
    inbound: connections.inbound.length,
    protocols,
    outbound: connections.outbound.length,
    targets,
  })
}

const riskLine = ({ suggestions }: Architecture, words: ReportStrings): string => {
  const [first] = suggestions
  if (first === undefined || !REPORTED_SEVERITIES.includes(first.severity)) return words.noRiskLine
  const counts = SUGGESTION_SEVERITIES.map((severity) => ({
    severity,
    n: suggestions.filter((one) => one.severity === severity).length,
  }))
  const shown = counts
    .filter(({ severity, n }) => n > 0 && REPORTED_SEVERITIES.includes(severity))
    .map(({ severity, n }) => `${words.severities[severity]} ${n}`)
  const fact = format(words.rules[first.rule]?.fact ?? first.rule, { value: first.value })
  return format(words.riskLine, {
    counts: shown.join(', '),
    first: `${placeName(first.subject, words)}: ${fact}.`,
  })
}

/** Five to seven sentences: architecture, size, components, connections, risks, secrets, warnings. */
export const summaryOf = (found: Architecture, words: ReportStrings): readonly string[] => {
  const [warning] = found.warnings
  return [
    kindLine(found, words),
    modulesLine(found, words),
    format(words.rolesLine, {
      controllers: countOf(found, 'Controller'),
      servicesCount: countOf(found, 'Service'),
      repositories: countOf(found, 'Repository'),
      clients: countOf(found, 'Client'),
    }),
    trafficLine(found, words),
    riskLine(found, words),
    ...(found.secrets.length > 0 ? [format(words.secretLine, { n: found.secrets.length })] : []),
    ...(warning === undefined
      ? []
      : [
          format(words.warningLine, {
            n: found.warnings.length,
            first: `${warning.message} (${warning.file}).`,
          }),
        ]),
  ]
}

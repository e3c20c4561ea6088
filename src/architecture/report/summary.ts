import type { Architecture } from '../architecture.ts'
import { inOrder } from '../source/source-files.ts'
import { SUGGESTION_SEVERITIES } from '../suggestion.ts'
import { format, placeName, type ReportStrings } from './strings.ts'

const REPORTED_SEVERITIES = ['critical', 'high', 'medium']
const MAX_PROTOCOLS = 6

const hasPackage = ({ structure }: Architecture, ...names: readonly string[]): boolean => {
  const packages = structure.root.modules.flatMap((module) =>
    module.packages.map(({ name }) => name.split('.')),
  )
  return names.every((name) => packages.some((parts) => parts.includes(name)))
}

const roleCount = ({ signatures }: Architecture, role: string): number =>
  signatures.flatMap(({ types }) => types).filter(({ roles }) => roles.includes(role)).length

const architectureKind = (found: Architecture): keyof ReportStrings['kinds'] => {
  if (hasPackage(found, 'domain', 'application', 'infrastructure') || hasPackage(found, 'domain', 'ports'))
    return 'hexagonal'
  if (roleCount(found, 'Controller') > 0 && roleCount(found, 'Service') > 0) return 'layered'
  return found.structure.root.modules.length > 1 ? 'modular' : 'plain'
}

const kindLine = (found: Architecture, strings: ReportStrings): string => {
  const { tool, springBoot, java } = found.structure.project
  const boot = springBoot === undefined ? '' : format(strings.boot, { version: springBoot })
  const level = java === undefined ? '' : format(strings.java, { version: java })
  return format(strings.kindLine, {
    kind: strings.kinds[architectureKind(found)],
    tool: strings.tools[tool],
    stack: `${boot}${level}`,
  })
}

const modulesLine = (found: Architecture, strings: ReportStrings): string => {
  const { totalClasses, totalPackages } = found.structure.project.statistics
  const modules = found.structure.root.modules.length
  return format(strings.modulesLine, {
    modules,
    classes: totalClasses,
    packages: totalPackages,
    services: found.system.services.length,
  })
}

const trafficLine = ({ connections }: Architecture, strings: ReportStrings): string => {
  const byProtocol = new Map<string, number>()
  for (const { protocol } of connections.inbound)
    byProtocol.set(protocol, (byProtocol.get(protocol) ?? 0) + 1)
  const shown = [...byProtocol].sort(([a, n], [b, m]) => m - n || inOrder(a, b)).slice(0, MAX_PROTOCOLS)
  const protocols =
    shown.length === 0 ? '' : ` (${shown.map(([name, count]) => `${name} ${count}`).join(', ')})`
  const targets = new Set(connections.outbound.map(({ target_service }) => target_service)).size
  return format(strings.trafficLine, {
    inbound: connections.inbound.length,
    protocols,
    outbound: connections.outbound.length,
    targets,
  })
}

const riskLine = ({ suggestions }: Architecture, strings: ReportStrings): string => {
  const [first] = suggestions
  if (first === undefined || !REPORTED_SEVERITIES.includes(first.severity)) return strings.noRiskLine
  const counts = SUGGESTION_SEVERITIES.map((severity) => ({
    severity,
    n: suggestions.filter((one) => one.severity === severity).length,
  }))
  const shown = counts
    .filter(({ severity, n }) => n > 0 && REPORTED_SEVERITIES.includes(severity))
    .map(({ severity, n }) => `${strings.severities[severity]} ${n}`)
  const fact = format(strings.rules[first.rule]?.fact ?? first.rule, { value: first.value })
  return format(strings.riskLine, {
    counts: shown.join(', '),
    first: `${placeName(first.subject, strings)}: ${fact}.`,
  })
}

/** Five to seven sentences: architecture, size, components, connections, risks, secrets, warnings. */
export const reportSummary = (found: Architecture, strings: ReportStrings): readonly string[] => {
  const [warning] = found.warnings
  return [
    kindLine(found, strings),
    modulesLine(found, strings),
    format(strings.rolesLine, {
      controllers: roleCount(found, 'Controller'),
      servicesCount: roleCount(found, 'Service'),
      repositories: roleCount(found, 'Repository'),
      clients: roleCount(found, 'Client'),
    }),
    trafficLine(found, strings),
    riskLine(found, strings),
    ...(found.secrets.length > 0 ? [format(strings.secretLine, { n: found.secrets.length })] : []),
    ...(warning === undefined
      ? []
      : [
          format(strings.warningLine, {
            n: found.warnings.length,
            first: `${warning.message} (${warning.file}).`,
          }),
        ]),
  ]
}

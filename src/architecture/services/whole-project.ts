import type { Connections } from '../connections/interconnections.ts'
import type { ServicesFound } from './find-services.ts'
import { isDeveloperFile, isVendored } from './service-draft.ts'

/** A project with endpoints or calls in which nothing shows a deployable is one application. */
export const withWholeProject = (
  found: ServicesFound,
  { inbound, outbound }: Connections,
  name: string,
  /** Files of code. */
  code: ReadonlySet<string>,
): ServicesFound => {
  if (found.services.some(({ folder }) => folder !== undefined)) return found
  // Addresses in configuration files alone show no program.
  const [first] = [...inbound, ...outbound].filter(
    ({ source_file: file }) => code.has(file) && !isVendored(file) && !isDeveloperFile(file, ''),
  )
  if (first === undefined) return found
  const project = {
    name: name === '' ? 'application' : name,
    folder: '',
    kind: inbound.length > 0 ? ('service' as const) : ('command' as const),
    shownBy: [
      {
        file: first.source_file,
        line: first.line,
        reason: inbound.length > 0 ? 'serves endpoints' : 'calls other systems',
      },
    ],
    aliases: name === '' ? [] : [name],
    libraries: [],
  }
  return { ...found, services: [project, ...found.services] }
}

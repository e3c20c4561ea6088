import { relative, resolve, sep } from 'node:path'
import type { OpenGate } from '../../app/open/gate.ts'
import { SEVERITIES } from '../../evidence/severities.ts'
import { limitFiles } from '../../gate/facts/limit-paths.ts'
import type { Scope } from '../../gate/ports.ts'
import type { FindingLimits } from '../../gate/reports/select.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, textFlag } from '../command/subcommand.ts'
import { readChoice } from './pick-scope.ts'

/** Which findings the report shows. */
export const readLimits = (invocation: Invocation): FindingLimits => {
  const severity = textFlag(invocation, 'severity')?.toUpperCase()
  const max = textFlag(invocation, 'max')
  return {
    severity: severity === undefined ? undefined : readChoice(SEVERITIES, severity, 'severity'),
    // 0 is no limit.
    max: max === undefined ? undefined : readCount(max, '--max') || Number.POSITIVE_INFINITY,
  }
}

/** The files and folders that the arguments name, relative to the root. */
export const pickPaths = async (
  { positionals }: Invocation,
  { root, files }: OpenGate,
  cwd: string,
): Promise<readonly string[]> => {
  const paths: string[] = []
  for (const named of positionals) {
    const path = resolve(cwd, named)
    const name = isPathInside(root, path) ? relative(root, path).replaceAll(sep, '/') : undefined
    if (name === undefined || (name !== '' && !(await files.exists(name))))
      throw usageFaults.argument(`there is no file or folder ${JSON.stringify(named)} in the repository`)
    paths.push(name)
  }
  return paths
}

/** The gate, which judges only some of the files. */
export const limitGate = (gate: OpenGate, isInside: (path: string) => boolean): OpenGate => ({
  ...gate,
  ports: { ...gate.ports, git: limitFiles(gate.ports.git, isInside) },
})

/** Named files are judged as they are, changed or not, unless an option asks for a change. */
export const pathScope = ({ flags }: Invocation, paths: readonly string[]): Scope | undefined =>
  paths.length > 0 && flags.stage === undefined ? { kind: 'repository' } : undefined

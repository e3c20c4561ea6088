import { VERSION } from '../../app/config/version.ts'
import { supportsColor } from '../../app/terminal.ts'
import type { GateRun } from '../../gate/reports/report.ts'
import { limitFindings } from '../../gate/reports/select.ts'
import { errorCode, Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { writeOutputFile } from '../../platform/files/output-file.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { readLimits } from './pick-scope.ts'

type Writer = (run: DeliveredRun) => Promise<string>

/** A run with what became of its record. */
interface DeliveredRun extends GateRun {
  readonly recorded: boolean
  /** Digest of the receipt. */
  readonly receipt?: string
}

const FORMATS: Readonly<Record<string, Writer>> = {
  json: async ({ report, recorded, receipt }) =>
    JSON.stringify({ ...report, ...(!recorded && { recorded }), ...optional({ receipt }) }),
  sarif: async (run) => (await import('../../gate/reports/sarif.ts')).writeSarif(run, VERSION),
  junit: async ({ report }) => (await import('../../gate/reports/junit.ts')).writeJunit(report),
}

export const pickFormat = (invocation: Invocation): string | undefined => {
  const asked = Object.keys(FORMATS).filter((name) =>
    name === 'json' ? invocation.json : invocation.flags[name],
  )
  if (asked.length > 1)
    throw usageFaults.option(`choose one of ${asked.map((name) => `--${name}`).join(', ')}`)
  return asked[0]
}

interface NamedFile {
  /** The option that names the file. */
  readonly flag: string
  readonly file: string
}

/** Writes a file that an option names. The fault keeps the fix of the refusal. */
export const writeNamedFile = (root: string, { flag, file }: NamedFile, text: string): Promise<void> =>
  writeOutputFile(root, file, text).catch((cause: unknown) => {
    const fix = cause instanceof Fault ? { fix: cause.fix } : {}
    const why = cause instanceof Fault ? cause.message : errorCode(cause)
    throw usageFaults.option(`--${flag}: cannot write ${JSON.stringify(file)}: ${why}`, { cause, ...fix })
  })

/** Writes the report to a file, or prints it. */
export const deliverReport = async (
  invocation: Invocation,
  root: string,
  run: DeliveredRun,
): Promise<void> => {
  const { terminal, flags } = invocation
  const format = pickFormat(invocation)
  const file = textFlag(invocation, 'output')
  const { summaryLine, writeText } = await import('../../gate/reports/text.ts')
  const style = { colour: file === undefined && supportsColor() }
  const writer = format === undefined ? undefined : FORMATS[format]
  const limits = readLimits(invocation)
  const limited = { ...run, report: limitFindings(run.report, limits) }
  const text = writer === undefined ? writeText(run, { ...style, ...limits }) : await writer(limited)
  if (file !== undefined) {
    await writeNamedFile(root, { flag: 'output', file }, `${text}\n`)
    if (!flags.quiet) terminal.printError(summaryLine(run.report, { colour: false }))
  } else if (writer !== undefined) terminal.print(text)
  else if (!flags.quiet || run.report.status === 'BLOCKED') terminal.printStyled(text)
}

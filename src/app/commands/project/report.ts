import { resolve } from 'node:path'
import { defineFaults, Fault } from '../../../kernel/fault.ts'
import { writeOutputFile } from '../../../platform/files/output-file.ts'
import { REPORT_LANGUAGES, type ReportLanguage } from '../../../project/report/model.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { killProcess } from '../../force-exit.ts'
import { openProject } from '../../open/project.ts'
import { loadSettings } from '../../process-context.ts'
import { requireWritable } from '../require-writable.ts'

export const reportFaults = defineFaults('report', {
  choice: { kind: 'invalid', fix: 'Run `warrant report --help` to see which options can be combined.' },
  taken: { kind: 'conflict', fix: 'Choose another file name: reports never overwrite a file.' },
  unwritten: { kind: 'unavailable', fix: 'Check that the folder exists, is writable and has free space.' },
})

interface ReportRequest {
  readonly path: string
  readonly lang: ReportLanguage
  readonly html: boolean
  readonly save: boolean
  readonly out?: string
}

const readRequest = ({ flags, positionals }: Invocation): ReportRequest => {
  const lang = REPORT_LANGUAGES.find((one) => one === (flags.lang ?? 'en'))
  if (lang === undefined) throw reportFaults.choice(`--lang must be one of ${REPORT_LANGUAGES.join(', ')}`)
  if (positionals.length > 1) throw reportFaults.choice('report takes one folder')
  const [html, save, out] = [flags.html === true, flags.save === true, flags.out]
  if (save && (html || out !== undefined))
    throw reportFaults.choice('--save cannot be combined with --html or --out')
  return { path: positionals[0] ?? '.', lang, html, save, ...(typeof out === 'string' && { out }) }
}

/** Writes a new file. The operator names it, so it may lie outside the project. */
const writeNew = async (root: string, name: string, text: string): Promise<string> => {
  const path = resolve(name)
  await writeOutputFile(root, path, text, { fresh: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw reportFaults.taken(`the file ${name} already exists`)
    const fix = cause instanceof Fault ? { fix: cause.fix } : {}
    throw reportFaults.unwritten(`cannot write the report to ${name}`, { cause, ...fix })
  })
  return path
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { path, lang, html, save, out } = readRequest(invocation)
  const { config } = loadSettings(invocation)
  if (save || out !== undefined) requireWritable(config, '`warrant report` with --save or --out')
  const root = resolve(config.root)
  const project = openProject(config, root)
  const call = { signal: new AbortController().signal, progress: () => {} }
  const { terminal, json } = invocation
  try {
    const text = await project.workflow(html ? 'html' : 'markdown', { path, lang }, call)
    const saved = save ? (await project.run('report', { content: text }, call)).path : undefined
    const written = saved ?? (out === undefined ? undefined : await writeNew(root, out, text))
    const bytes = Buffer.byteLength(text)
    if (written === undefined) terminal.print(json ? JSON.stringify({ report: text, bytes }) : text.trimEnd())
    else terminal.print(json ? JSON.stringify({ path: written, bytes }) : `Report written: ${written}`)
    return 0
  } finally {
    if (!(await project.close())) killProcess((message) => terminal.printError(`warrant: ${message}`))
  }
}

import { resolve } from 'node:path'
import { defineFaults, Fault } from '../../../kernel/fault.ts'
import { writeOutputFile } from '../../../platform/files/output-file.ts'
import { REPORT_LANGUAGES, type ReportLanguage } from '../../../project/report/model.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { killProcess } from '../../force-exit.ts'
import { openProject } from '../../open/project.ts'
import { loadSettings } from '../../process-context.ts'

export const reportFaults = defineFaults('report', {
  choice: { kind: 'invalid', fix: 'Run `warrant report --help` to see what goes together.' },
  taken: { kind: 'conflict', fix: 'Nothing is overwritten; name another file.' },
  unwritten: { kind: 'unavailable', fix: 'Check the folder, its rights and the free space.' },
})

interface Choice {
  readonly path: string
  readonly lang: ReportLanguage
  readonly html: boolean
  readonly save: boolean
  readonly out?: string
}

const readChoice = ({ flags, positionals }: Invocation): Choice => {
  const lang = REPORT_LANGUAGES.find((one) => one === (flags.lang ?? 'en'))
  if (lang === undefined) throw reportFaults.choice(`--lang is one of ${REPORT_LANGUAGES.join(', ')}`)
  if (positionals.length > 1) throw reportFaults.choice('one folder at a time')
  const [html, save, out] = [flags.html === true, flags.save === true, flags.out]
  if (save && (html || out !== undefined))
    throw reportFaults.choice('--save goes with neither --html nor --out')
  return { path: positionals[0] ?? '.', lang, html, save, ...(typeof out === 'string' && { out }) }
}

/** The operator names the file, so it may lie anywhere; but it is a new one. */
const writeNew = async (root: string, name: string, text: string): Promise<string> => {
  const path = resolve(name)
  await writeOutputFile(root, path, text, { fresh: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') throw reportFaults.taken(`there is already a file ${name}`)
    const fix = cause instanceof Fault ? { fix: cause.fix } : {}
    throw reportFaults.unwritten(`the report could not be written to ${name}`, { cause, ...fix })
  })
  return path
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { path, lang, html, save, out } = readChoice(invocation)
  const { config } = loadSettings(invocation)
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
    if (!(await project.close())) killProcess((words) => terminal.printError(`warrant: ${words}`))
  }
}

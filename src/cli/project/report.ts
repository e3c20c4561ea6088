import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openProject } from '../../app/open/project.ts'
import { readingCachePath } from '../../app/open/user-state.ts'
import { loadSettings } from '../../app/process-context.ts'
import { killProcess } from '../../app/shutdown.ts'
import { REPORT_LANGUAGES, type ReportLanguage } from '../../architecture/report/model.ts'
import {
  compareSystems,
  readDescription,
  renderDifference,
} from '../../architecture/report/system-description.ts'
import { isBuildServer } from '../../evidence/stage.ts'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import { writeOutputFile } from '../../platform/files/output-file.ts'
import type { Invocation } from '../command/command.ts'
import { requireWritable } from '../command/subcommand.ts'

export const reportFaults = defineFaults('report', {
  choice: { kind: 'invalid', fix: 'Run `warrant report --help` to see which options can be combined.' },
  taken: { kind: 'conflict', fix: 'Choose another file name: reports never overwrite a file.' },
  old: {
    kind: 'invalid',
    fix: 'Name a file with the output of `warrant report --json` about the same folder.',
  },
  unwritten: { kind: 'unavailable', fix: 'Check that the folder exists, is writable and has free space.' },
})

interface ReportRequest {
  readonly path: string
  readonly lang: ReportLanguage
  readonly html: boolean
  readonly save: boolean
  readonly out?: string
  readonly diff?: string
}

const readRequest = ({ flags, positionals }: Invocation): ReportRequest => {
  const lang = REPORT_LANGUAGES.find((one) => one === (flags.lang ?? 'en'))
  if (lang === undefined) throw reportFaults.choice(`--lang must be one of ${REPORT_LANGUAGES.join(', ')}`)
  if (positionals.length > 1) throw reportFaults.choice('report takes one folder')
  const [html, save, out] = [flags.html === true, flags.save === true, flags.out]
  if (save && (html || out !== undefined))
    throw reportFaults.choice('--save cannot be combined with --html or --out')
  const { diff } = flags
  if (diff !== undefined && (save || html || out !== undefined))
    throw reportFaults.choice('--diff cannot be combined with --html, --out or --save')
  return {
    path: positionals[0] ?? '.',
    lang,
    html,
    save,
    ...(typeof out === 'string' && { out }),
    ...(typeof diff === 'string' && { diff }),
  }
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

const MAX_OLD_BYTES = 256 * 1024 * 1024

/** A description that an earlier report printed. The operator names it, so it may lie outside the project. */
const readOld = async (name: string): Promise<ReturnType<typeof readDescription>> => {
  try {
    const found = await stat(name)
    if (!found.isFile() || found.size > MAX_OLD_BYTES) throw new Error('no file, or too large')
    return readDescription(await readFile(name, 'utf8'))
  } catch (cause) {
    throw reportFaults.old(`${name} is not a report that --diff can compare with`, { cause })
  }
}

export const run = async (invocation: Invocation): Promise<number> => {
  const { path, lang, html, save, out, diff } = readRequest(invocation)
  const old = diff === undefined ? undefined : await readOld(diff)
  const { config } = loadSettings(invocation)
  if (save || out !== undefined) requireWritable(config, '`warrant report` with --save or --out')
  const root = resolve(config.root)
  const readings =
    config.readOnly || isBuildServer(process.env)
      ? undefined
      : readingCachePath(resolve(root, path), process.env)
  const project = openProject(config, root, { readings })
  const call = { signal: new AbortController().signal, progress: () => {} }
  const { terminal, json } = invocation
  try {
    if (old !== undefined) {
      const { system } = await project.workflow('described', { path, lang, html }, call)
      const difference = compareSystems(old, system)
      terminal.print(json ? JSON.stringify({ diff: difference }) : renderDifference(difference))
      return 0
    }
    if (json && !save && out === undefined) {
      const { report, system } = await project.workflow('described', { path, lang, html }, call)
      terminal.print(JSON.stringify({ report, bytes: Buffer.byteLength(report), system }))
      return 0
    }
    const text = await project.workflow(html ? 'html' : 'markdown', { path, lang }, call)
    const saved = save ? (await project.run('report', { content: text }, call)).path : undefined
    const written = saved ?? (out === undefined ? undefined : await writeNew(root, out, text))
    const bytes = Buffer.byteLength(text)
    if (written === undefined) terminal.print(text.trimEnd())
    else terminal.print(json ? JSON.stringify({ path: written, bytes }) : `Report written: ${written}`)
    return 0
  } finally {
    if (!(await project.close())) killProcess((message) => terminal.printError(`warrant: ${message}`))
  }
}

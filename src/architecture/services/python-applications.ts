import { folderOf, nameOf } from '../source/source-files.ts'
import type { SourceUnit, Variable } from '../source/source-unit.ts'
import type { ServiceDraft } from './service-draft.ts'

const APPLICATION = /^(FastAPI|Flask|Starlette|Quart|Sanic|Litestar|Celery)$/

/** `app = FastAPI()`, `app = web.Application()`. */
const isApplication = ({ value }: Variable): boolean => {
  if (value?.kind !== 'call') return false
  const { name, receiver } = value.call
  const owner = receiver?.kind === 'name' ? receiver.name : ''
  return APPLICATION.test(name) || (name === 'Application' && /(^|\.)web$/.test(owner))
}

/** What shows that a Python file starts a service: an application, a server of gRPC, or `manage.py` of Django. */
export const pythonApplication = ({
  file,
  imports,
  topLevel,
}: SourceUnit): { readonly line: number; readonly reason: string } | undefined => {
  const app = topLevel.locals.find(isApplication)
  if (app !== undefined) return { line: app.line, reason: `creates the application ${app.name}` }
  // Other projects have a file of this name too.
  if (nameOf(file) === 'manage.py' && imports.some((name) => name.startsWith('django')))
    return { line: 1, reason: 'manage.py of Django' }
  const served = topLevel.calls.find(({ name }) => /^add_\w+Servicer_to_server$/.test(name))
  return served === undefined ? undefined : { line: served.line, reason: 'serves gRPC' }
}

const SCRIPTS = /^\[(?:project\.scripts|tool\.poetry\.scripts)\]\s*$((?:\n(?!\[).*)*)/m

/** The first command that a `pyproject.toml` installs. */
export const pythonCommandDraft = (path: string, text: string | undefined): readonly ServiceDraft[] => {
  const found = SCRIPTS.exec(text ?? '')
  const [entry, name] = /^\s*["']?([\w.-]+)["']?\s*=/m.exec(found?.[1] ?? '') ?? []
  if (text === undefined || found === null || entry === undefined) return []
  const before = text.slice(0, found.index + found[0].indexOf(entry) + entry.search(/\S/))
  const evidence = { file: path, line: before.split('\n').length, reason: `command ${name}` }
  return [{ folder: folderOf(path), kind: 'command', evidence }]
}

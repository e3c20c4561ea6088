import { posix } from 'node:path'
import { askedException, refusedOwnFile, refusedWrite } from './answer.ts'
import { applyEdit, type FileEdit, newTextOf } from './apply-edit.ts'
import { hookEventFaults } from './faults.ts'
import { switchesHooksOff } from './own-files.ts'
import type { AgentHookPorts, HookDecision, WriteFinding } from './ports.ts'
import type { ProposedFile } from './proposed-change.ts'

const ALLOW: HookDecision = { kind: 'allow' }
/** A part of a file is judged under a name of its own: it need not parse. */
const PART_SUFFIX = '.part'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Policy that the gate judges by comparing it with the last commit. */
const JUDGED_POLICY =
  /^(?:\.warrant\/(?:rules\/.*|checks\.yml|acceptances\.yml)|skills\.policy\.json|\.pumuki\/hard-mode\.json)$/

/** Applies the edits of one call in their order: a file may be edited several times. */
class EditedFiles {
  readonly files = new Map<string, ProposedFile>()
  /** Text for files outside of the repository is not judged. */
  #ownPaths: readonly string[] | undefined
  readonly #ports: AgentHookPorts
  readonly #cwd: string

  constructor(ports: AgentHookPorts, cwd: string) {
    this.#ports = ports
    this.#cwd = cwd
  }

  /** Applies an edit; returns a refusal where the file is ours. */
  async add(edit: FileEdit): Promise<HookDecision | undefined> {
    const refusal = await this.#place(edit.path, edit)
    if (refusal !== undefined || edit.kind !== 'hunks' || edit.to === undefined) return refusal
    return this.#move(edit.path, edit.to)
  }

  async #locate(path: string) {
    if (path.includes('\0')) throw hookEventFaults.edit('the path of the file contains a zero byte')
    const text = path.startsWith('file://') ? decodeURIComponent(path.slice('file://'.length)) : path
    const expanded = text.replace(/^~(?=\/)/, this.#ports.home)
    return this.#ports.locate(posix.resolve(this.#cwd, expanded))
  }

  async #place(given: string, edit: FileEdit): Promise<HookDecision | undefined> {
    const { real, path } = await this.#locate(given)
    const before =
      path === undefined ? undefined : (this.files.get(path)?.after ?? (await this.#ports.read(real)))
    const refusal = await this.#refuseOwn(real, path, newTextOf(edit))
    if (refusal !== undefined || path === undefined) return refusal
    const text = before && decoder.decode(before)
    const edited = text?.includes('\0') ? undefined : applyEdit(text, edit)
    if (edited === undefined) {
      // The client refuses an edit that does not fit; if it finds a place, it must not bring a secret.
      const part = encoder.encode(newTextOf(edit))
      if (part.length > 0)
        this.files.set(`${path}${PART_SUFFIX}`, {
          path: `${path}${PART_SUFFIX}`,
          before: undefined,
          after: part,
          isPart: true,
        })
      return undefined
    }
    const original =
      this.files.get(path)?.before ?? (edited.before === text ? before : encoder.encode(edited.before ?? ''))
    const after = edited.after === undefined ? undefined : encoder.encode(edited.after)
    this.files.set(path, { path, before: original, after })
    return undefined
  }

  /** The new name of a file holds what the old one held. */
  async #move(from: string, to: string): Promise<HookDecision | undefined> {
    const [source, target] = [await this.#locate(from), await this.#locate(to)]
    const moved = source.path === undefined ? undefined : this.files.get(source.path)
    const refusal = await this.#refuseOwn(target.real, target.path, '')
    if (refusal !== undefined) return refusal
    if (target.path !== undefined && moved?.after !== undefined)
      this.files.set(target.path, {
        path: target.path,
        before: (await this.#ports.read(target.real)) ?? moved.before,
        after: moved.after,
      })
    if (moved !== undefined) this.files.set(moved.path, { ...moved, after: undefined })
    return undefined
  }

  async #refuseOwn(real: string, path: string | undefined, text: string): Promise<HookDecision | undefined> {
    this.#ownPaths ??= await this.#ports.ownPaths()
    const isOwn = this.#ownPaths.some((own) => isInside(real, own))
    const isPolicy = path !== undefined && JUDGED_POLICY.test(path)
    if ((!isOwn || isPolicy) && !switchesHooksOff(real, text)) return undefined
    return { kind: 'deny', rule: 'own-file', text: refusedOwnFile(path ?? real) }
  }
}

/** Judges edits before they are made. */
export const judgeWrite = async (
  ports: AgentHookPorts,
  edits: readonly FileEdit[],
  cwd: string,
): Promise<HookDecision> => {
  const edited = new EditedFiles(ports, cwd)
  for (const edit of edits) {
    const refusal = await edited.add(edit)
    if (refusal !== undefined) return refusal
  }
  const files = [...edited.files.values()]
  if (files.length === 0) return ALLOW
  const { blocking, exceptions } = await ports.judge(files)
  const named = (found: readonly WriteFinding[]) =>
    found.map((one) => ({ ...one, file: one.file.replace(/\.part$/, '') }))
  const rules = [...new Set(blocking.map(({ ruleId }) => ruleId))].sort()
  if (blocking.length > 0)
    return { kind: 'deny', rule: 'finding', rules, text: refusedWrite(named(blocking)) }
  if (exceptions.length === 0) return ALLOW
  return { kind: 'ask', rule: 'exception', text: askedException('write', named(exceptions)) }
}

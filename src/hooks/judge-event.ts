import { posix } from 'node:path'
import { askedException, describeChange, gateStateText, safeText, writtenFindings } from './answer.ts'
import { type FileEdit, parsePatch } from './apply-edit.ts'
import { judgeWrite } from './judge-write.ts'
import type { AgentHookPorts, HookDecision } from './ports.ts'
import { commandFolder, readCommand, readEdits } from './read-edits.ts'
import type { AgentEvent } from './read-event.ts'
import { judgeCommand } from './shell/judge-command.ts'

const ALLOW: HookDecision = { kind: 'allow' }
/** A command that makes a commit, as it is usually written. */
const COMMITS = /\bgit\b[\s\S]*\bcommit\b/

const judgeShell = async (ports: AgentHookPorts, command: string, cwd: string): Promise<HookDecision> => {
  const { root, home } = ports
  const places = { root, home, folder: cwd, ownPaths: await ports.ownPaths() }
  const { verdict, edits, patches } = judgeCommand(command, places)
  if (verdict?.decision === 'deny')
    return {
      kind: 'deny',
      rule: verdict.rule,
      text: safeText(`Warrant refuses this command: ${verdict.reason}`),
    }
  const all: FileEdit[] = [...edits, ...patches.flatMap((one) => parsePatch(one))]
  const written = all.length === 0 ? ALLOW : await judgeWrite(ports, all, cwd)
  if (written.kind !== 'allow') return written
  if (verdict !== undefined)
    return {
      kind: 'ask',
      rule: verdict.rule,
      text: safeText(`Warrant cannot tell what this command does: ${verdict.reason}`),
    }
  if (!COMMITS.test(command)) return ALLOW
  const { exceptions } = await ports.judgeCommit()
  return exceptions.length === 0
    ? ALLOW
    : { kind: 'ask', rule: 'exception', text: askedException('commit', exceptions) }
}

/** Findings of the files that a tool wrote, as they are now. */
const judgeWritten = async (
  ports: AgentHookPorts,
  edits: readonly FileEdit[],
  cwd: string,
): Promise<HookDecision> => {
  const named = edits.flatMap((edit) =>
    edit.kind === 'hunks' && edit.to !== undefined ? [edit.to] : [edit.path],
  )
  const files = []
  for (const name of new Set(named)) {
    const { real, path } = await ports.locate(posix.resolve(cwd, name))
    const after = path === undefined ? undefined : await ports.read(real)
    if (path !== undefined && after !== undefined) files.push({ path, before: undefined, after })
  }
  if (files.length === 0) return ALLOW
  const { blocking, others } = await ports.judgeWritten(files)
  return blocking.length + others.length === 0
    ? ALLOW
    : { kind: 'tell', text: writtenFindings(blocking, others) }
}

const judgeEnd = async ({ isRepeated }: AgentEvent, { state }: AgentHookPorts): Promise<HookDecision> => {
  // Told once: a client would end the turn anyway after some rounds.
  if (isRepeated) return ALLOW
  const now = await state()
  if (!now.isChanged || now.isAllowed) return ALLOW
  return {
    kind: 'continue',
    text: `Before you end: ${now.verdict} ${now.required}`,
  }
}

/** Decides about one event by what it would do. */
const judgeAlone = async (event: AgentEvent, ports: AgentHookPorts): Promise<HookDecision> => {
  if (event.moment === 'start') return { kind: 'tell', text: gateStateText(await ports.state()) }
  if (event.moment === 'end') return judgeEnd(event, ports)
  const { tool } = event
  if (tool === undefined) return ALLOW
  const cwd = posix.resolve(ports.cwd, event.cwd ?? '.')
  if (tool.kind === 'shell') {
    if (event.moment === 'after') return ALLOW
    return judgeShell(ports, readCommand(tool), posix.resolve(cwd, commandFolder(tool) ?? '.'))
  }
  const edits = readEdits(tool)
  return event.moment === 'before' ? judgeWrite(ports, edits, cwd) : judgeWritten(ports, edits, cwd)
}

/** Whether an event is a command that a fix names. */
export const isRepair = ({ tool }: AgentEvent, fix: string): boolean =>
  tool?.kind === 'shell' && fix.includes(`\`${readCommand(tool).trim() || ' '}\``)

/** Decides about one event, and tells what changed since the one before. */
export const judgeEvent = async (event: AgentEvent, ports: AgentHookPorts): Promise<HookDecision> => {
  const { moment, tool } = event
  const change = await ports.compareGuard()
  const alone = () => judgeAlone(event, ports)
  if (change === undefined) return alone()
  const text = describeChange(change)
  const repair = tool?.kind === 'shell' ? readCommand(tool).trim() : undefined
  if (moment === 'before' && change.left.length > 0)
    return change.left.some((one) => one.repair === repair) ? ALLOW : { kind: 'deny', rule: 'guard', text }
  const decision = await alone()
  if (decision.kind !== 'allow') return { ...decision, text: `${text}\n${decision.text}` }
  return moment === 'end' && !event.isRepeated ? { kind: 'continue', text } : { kind: 'tell', text }
}

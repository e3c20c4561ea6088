import { posix } from 'node:path'
import { askedException, gateStateText, safeText, writtenFindings } from './answer.ts'
import { type FileEdit, parsePatch } from './apply-edit.ts'
import { judgeWrite } from './judge-write.ts'
import type { AgentHookPorts, HookDecision } from './ports.ts'
import { commandFolder, readCommand, readEdits } from './read-edits.ts'
import type { AgentEvent } from './read-event.ts'
import type { ShellKnowledge } from './shell/command-context.ts'
import { type CommandReading, judgeCommand } from './shell/judge-command.ts'

const ALLOW: HookDecision = { kind: 'allow' }
/** Scripts and aliases that lead to further ones. */
const MAX_ROUNDS = 4
const MAX_WANTED = 32
const MAX_SCRIPT_BYTES = 64 * 1024

/** A command that makes a commit, as it is usually written. */
const COMMITS = /\bgit\b[\s\S]*\bcommit\b/

const decoder = new TextDecoder()

/** The text of a file that a shell would run; undefined for what is no script. */
const readScript = async ({ read }: AgentHookPorts, path: string): Promise<string | undefined> => {
  const bytes = await read(path).catch(() => undefined)
  if (bytes === undefined || bytes.length > MAX_SCRIPT_BYTES || bytes.includes(0)) return undefined
  const text = decoder.decode(bytes)
  const isOther = text.startsWith('#!') && !/^#!.*\b(?:ba|da|z|k|a)?sh\b/.test(text.split('\n', 1)[0] ?? '')
  return isOther ? undefined : text
}

/** Judges a command; scripts and aliases that it runs are read until nothing new is asked for. */
const readShell = async (ports: AgentHookPorts, command: string, cwd: string): Promise<CommandReading> => {
  const { root, home } = ports
  const [scripts, aliases] = [new Map<string, string | undefined>(), new Map<string, string | undefined>()]
  const knowledge: ShellKnowledge = { ownPaths: await ports.ownPaths(), scripts, aliases }
  for (let round = 0; ; round++) {
    const reading = judgeCommand(command, { places: { root, home }, cwd, knowledge })
    const newScripts = reading.scripts.filter((path) => !scripts.has(path)).slice(0, MAX_WANTED)
    const newAliases = reading.aliases.filter((name) => !aliases.has(name)).slice(0, MAX_WANTED)
    const isDone = newScripts.length + newAliases.length === 0 || round >= MAX_ROUNDS
    if (isDone || reading.verdict?.decision === 'deny') return reading
    for (const path of newScripts) scripts.set(path, await readScript(ports, path))
    for (const name of newAliases) aliases.set(name, await ports.gitAlias(name))
  }
}

const judgeShell = async (ports: AgentHookPorts, command: string, cwd: string): Promise<HookDecision> => {
  const { verdict, edits, patches } = await readShell(ports, command, cwd)
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

/** Decides about one event. */
export const judgeEvent = async (event: AgentEvent, ports: AgentHookPorts): Promise<HookDecision> => {
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

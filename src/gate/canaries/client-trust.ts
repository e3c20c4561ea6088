import { isRecord } from '../../kernel/encoding/json.ts'
import { readTomlLines } from '../setup/editors/toml.ts'

/** `unknown`: the client keeps it where it cannot be read, or in a way that is not known. */
export type ClientTrust = 'trusted' | 'untrusted' | 'unknown'

/**
 * Whether Codex runs the hooks of a project: its home configuration trusts the project and has the digest of a hook of
 * this file. Which line the digest is of cannot be told.
 */
export const readCodexTrust = (text: string | undefined, root: string): ClientTrust => {
  if (text === undefined) return 'untrusted'
  try {
    const lines = readTomlLines(text).filter(({ kind }) => kind === 'key')
    const isProject = lines.some(
      ({ path: [table, folder, key], to }) =>
        table === 'projects' &&
        folder === root &&
        key === 'trust_level' &&
        /["']trusted["']$/.test(text.slice(0, to)),
    )
    const prefix = `${root}/.codex/hooks.json:pre_tool_use`
    const isHook = lines.some(
      ({ path: [hooks, state, name = '', key] }) =>
        hooks === 'hooks' && state === 'state' && name.startsWith(prefix) && key === 'trusted_hash',
    )
    return isProject && isHook ? 'trusted' : 'untrusted'
  } catch {
    return 'unknown'
  }
}

/** Whether Gemini CLI trusts a folder: the nearest entry at or above it decides. */
export const readGeminiTrust = (text: string | undefined, root: string): ClientTrust => {
  if (text === undefined) return 'unknown'
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value)) return 'unknown'
    const found = Object.entries(value)
      .filter(([folder]) => root === folder || root.startsWith(`${folder.replace(/\/$/, '')}/`))
      .sort(([one], [other]) => other.length - one.length)[0]?.[1]
    if (found === 'DO_NOT_TRUST') return 'untrusted'
    return found === 'TRUST_FOLDER' || found === 'TRUST_PARENT' ? 'trusted' : 'unknown'
  } catch {
    return 'unknown'
  }
}

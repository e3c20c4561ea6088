import { isRecord } from '../../kernel/encoding/json.ts'
import { readTomlLines } from '../editors/toml.ts'

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

const parse = (text: string | undefined): unknown => (text === undefined ? {} : JSON.parse(text))

/**
 * Whether Gemini CLI trusts a folder: the nearest entry at or above it decides, and without one it is not trusted. The
 * settings of the user can switch this off.
 */
export const readGeminiTrust = (
  folders: string | undefined,
  settings: string | undefined,
  root: string,
): ClientTrust => {
  try {
    const [value, user] = [parse(folders), parse(settings)]
    const security = isRecord(user) ? user.security : undefined
    const folderTrust = isRecord(security) ? security.folderTrust : undefined
    if (isRecord(folderTrust) && folderTrust.enabled === false) return 'trusted'
    const [nearest] = Object.entries(isRecord(value) ? value : {})
      .filter(([folder]) => root === folder || root.startsWith(`${folder.replace(/\/$/, '')}/`))
      .sort(([one], [other]) => other.length - one.length)
    return nearest?.[1] === 'TRUST_FOLDER' || nearest?.[1] === 'TRUST_PARENT' ? 'trusted' : 'untrusted'
  } catch {
    return 'unknown'
  }
}

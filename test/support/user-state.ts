import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs under test keep their keys and what they saw of logs here, and not with the user who runs the tests. */
export default () => {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-user-state-'))
  process.env.XDG_STATE_HOME = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

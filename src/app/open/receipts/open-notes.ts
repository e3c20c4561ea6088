import { type GitNotes, gitNotes } from '../../../platform/git/notes/git-notes.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'

/** The git notes of a repository. */
export const openNotes = ({
  root,
  config,
}: {
  readonly root: string
  readonly config: Pick<Config, 'gitFolders'>
}): GitNotes =>
  gitNotes({ folder: root, environment: process.env, gitFolders: config.gitFolders }, () => systemClock.now())

import type { Config } from '../app/config/settings.ts'
import { usageFaults } from './command/command.ts'

/** Refuses a command that exists to write when nothing may be written. */
export const requireWritable = ({ readOnly }: Pick<Config, 'readOnly'>, what: string): void => {
  if (readOnly)
    throw usageFaults.option(`${what} writes files, which --read-only forbids`, {
      fix: 'Run it without --read-only, and without readOnly in the settings.',
    })
}

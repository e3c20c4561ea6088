import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The nearest folder with a `.git`, from `start` upwards; undefined when there is none. Does not start git, because
 * every request needs it.
 */
export const findRepositoryRoot = async (start: string): Promise<string | undefined> => {
  const found = await stat(join(start, '.git')).then(
    () => true,
    () => false,
  )
  if (found) return start
  const parent = dirname(start)
  return parent === start ? undefined : findRepositoryRoot(parent)
}

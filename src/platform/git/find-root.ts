import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The nearest folder that holds a `.git`, from `start` upwards; undefined when none does. A look at the file
 * system and not a question to git: it is asked at every request.
 */
export const findRepositoryRoot = async (start: string): Promise<string | undefined> => {
  const there = await stat(join(start, '.git')).then(
    () => true,
    () => false,
  )
  if (there) return start
  const above = dirname(start)
  return above === start ? undefined : findRepositoryRoot(above)
}

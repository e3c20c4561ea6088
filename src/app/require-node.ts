import { usageFaults } from '../cli/command/command.ts'

const OLDEST = [20, 19] as const

/** An older Node.js would fail later, at the first function that it lacks. */
export const requireNode = (version = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw usageFaults.node(`Node.js ${version} is too old`)
}

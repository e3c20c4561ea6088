import { usageFaults } from '../surfaces/cli/command.ts'

const OLDEST = [20, 19] as const

/** Without this an old Node fails somewhere in the middle, over a function that it does not have. */
export const requireNode = (version = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw usageFaults.node(`Node.js ${version} is too old`)
}

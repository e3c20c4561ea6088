import type { Recorder } from '../kernel/ports.ts'
import type { Invocation } from '../surfaces/cli/command.ts'
import { type Assembly, assemble, type World } from './compose.ts'
import { type Loaded, loadConfig } from './load-config.ts'

let silenced = false

const writeLog = (line: string): void => {
  // Whoever reads our log may be gone; that is no reason to die.
  if (!silenced) process.stderr.on('error', () => {})
  silenced = true
  process.stderr.write(`${line}\n`)
}

/** The process as the rest of the program may see it. */
const world = (): World => ({
  cwd: process.cwd(),
  environment: process.env,
  writeLog,
})

export const loadSettings = ({ flags }: Invocation): Loaded => {
  const { cwd, environment } = world()
  return loadConfig(flags, { cwd, environment })
}

export const assembleHere = ({ config }: Loaded, recorder?: Recorder): Assembly =>
  assemble(config, world(), recorder)

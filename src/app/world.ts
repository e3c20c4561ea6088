import type { Recorder } from '../kernel/ports.ts'
import type { Invocation } from '../surfaces/cli/command.ts'
import { type Assembly, assemble, type World } from './compose.ts'
import { type Loaded, loadConfig } from './load-config.ts'

/** The process as the rest of the program may see it. */
const world = (): World => ({
  cwd: process.cwd(),
  environment: process.env,
  writeLog: (line) => void process.stderr.write(`${line}\n`),
})

export const loadSettings = ({ flags }: Invocation): Loaded => {
  const { cwd, environment } = world()
  return loadConfig(flags, { cwd, environment })
}

export const assembleHere = ({ config }: Loaded, recorder?: Recorder): Assembly =>
  assemble(config, world(), recorder)

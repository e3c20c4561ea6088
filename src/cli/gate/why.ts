import { resolve } from 'node:path'
import { createGateService } from '../../app/open/gate-service.ts'
import { locateRepository } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { GATE_STAGES } from '../../evidence/stage.ts'
import { writeExplanation } from '../../gate/why/write-text.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { repositoryFaults } from '../../setup/git-hooks/ports.ts'
import type { Invocation } from '../command/command.ts'
import { printOutput, textFlag } from '../command/subcommand.ts'
import { readChoice } from './pick-scope.ts'

/** Explains the verdict on the present change. Exits with 1 when it is blocked. */
export const run = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  const given = textFlag(invocation, 'stage')
  const stage = given === undefined ? undefined : readChoice(GATE_STAGES, given.toUpperCase(), 'stage')
  const folder = resolve(config.root)
  if ((await locateRepository(config, folder)) === undefined)
    throw repositoryFaults.absent('this folder is not in the working tree of a git repository')
  const service = createGateService(config, folder, { environment: process.env, clock: systemClock })
  const [about] = invocation.positionals
  const explanation = await service.why({ stage, about }, new AbortController().signal)
  printOutput(invocation, explanation, () => writeExplanation(explanation))
  return explanation.status === 'ALLOWED' ? 0 : 1
}

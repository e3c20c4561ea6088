import type { ReceiptPlace } from '../../app/open/receipts/find-receipts.ts'
import { openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import type { Invocation } from '../command/command.ts'

export const openPlace = async (invocation: Invocation): Promise<ReceiptPlace> => {
  const { config } = loadSettings(invocation)
  const { root, git, signal } = await openRepositoryForCommand(config)
  return { root, config, git, signal }
}

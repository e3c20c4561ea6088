import type { Invocation } from '../../../surfaces/cli/command.ts'
import type { ReceiptPlace } from '../../open/receipts/find-receipts.ts'
import { openRepositoryForCommand } from '../../open/repository.ts'
import { loadSettings } from '../../process-context.ts'

export const openPlace = async (invocation: Invocation): Promise<ReceiptPlace> => {
  const { config } = loadSettings(invocation)
  const { root, git, signal } = await openRepositoryForCommand(config)
  return { root, config, git, signal }
}

import { firstSet } from '../../app/config/load-config.ts'
import { verifyCitations } from '../../app/open/packets/citations.ts'
import { loadSettings } from '../../app/process-context.ts'
import { type GateCitation, MAX_CITATIONS } from '../../gate/reports/citations.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'

/** Verifies the passages that `--cite` names, in the packet folder that `warrant packet` uses here. */
export const readCitations = async ({
  flags,
  lists,
}: Pick<Invocation, 'flags' | 'lists'>): Promise<readonly GateCitation[]> => {
  const uris = lists?.cite ?? []
  if (uris.length > MAX_CITATIONS)
    throw usageFaults.option(`--cite may be given ${MAX_CITATIONS} times, not ${uris.length} times`)
  const folder = firstSet('packet-root', process.env.CPM_ROOT, process.env.RAG_CPM_DIR)
  const { config } = loadSettings({ flags: { ...folder, ...flags } })
  return verifyCitations({ config, root: config.root, clock: systemClock, environment: process.env }, uris)
}

import { isRecord } from '../../kernel/encoding/json.ts'
import { compareStates, type LogState } from '../../lineage/compare-logs.ts'
import { storeFaults } from '../../lineage/faults.ts'
import { rootAt } from '../../lineage/proof.ts'
import { readEntry, readRows } from '../../lineage/read-rows.ts'
import type { LogReader } from '../../lineage/store.ts'
import { type PublicEntry, verifyChain } from '../../lineage/verify.ts'
import { usageFaults } from '../command/command.ts'
import { printOutput, type Subcommand } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { readFileArgument } from './proofs.ts'
import { withOptionalLog } from './with-beliefs.ts'

const stateOfLog = async (log: LogReader | undefined, name: string, wanted: number): Promise<LogState> => {
  if (log === undefined) throw storeFaults.unknown('there is no log of which it could be a size')
  const { size, root } = await rootAt(log, wanted)
  const entries: PublicEntry[] = []
  for await (const row of readRows(log)) {
    if (row.seq >= size) break
    entries.push(readEntry(row))
  }
  return { name, size, root, genesis: log.genesis, entries }
}

/** A bundle is verified before it is compared: the root is that of its entries, whatever its checkpoint says. */
const stateOfBundle = async (name: string, value: unknown): Promise<LogState> => {
  const { genesis, entries } = isRecord(value) ? value : {}
  if (typeof genesis !== 'string' || !Array.isArray(entries))
    throw usageFaults.argument(`${name} is not a bundle; write one with \`log export FILE --bundle\``)
  const chain = await verifyChain(genesis, entries)
  if (chain.outcome === 'broken') throw usageFaults.argument(`${name} does not verify: ${chain.why}`)
  return { name, size: chain.size, root: chain.root, genesis, entries }
}

/** A checkpoint has no entries: those of the store are used, if the store has that state. */
const stateOfCheckpoint = async (
  log: LogReader | undefined,
  name: string,
  note: string,
): Promise<LogState> => {
  const [, size = '', encoded = ''] = note.split('\n')
  const root = Buffer.from(encoded, 'base64').toString('hex')
  if (!/^(0|[1-9]\d{0,14})$/.test(size) || root.length !== 64)
    throw usageFaults.argument(`${name} is not a number of entries, a bundle or a checkpoint`)
  const claimed = { name, size: Number(size), root }
  if (log === undefined || (await log.head()).size < claimed.size) return claimed
  const own = await stateOfLog(log, name, claimed.size)
  return own.root === root ? own : claimed
}

const readState = async (log: LogReader | undefined, argument: string | undefined): Promise<LogState> => {
  if (argument === undefined)
    throw usageFaults.argument('name two states: lineage diff A B, each a number of entries or a file')
  if (/^\d{1,15}$/.test(argument)) return stateOfLog(log, `the log of ${argument} entries`, Number(argument))
  const text = await readFileArgument(argument)
  if (!text.startsWith('{')) return stateOfCheckpoint(log, argument, text)
  try {
    return await stateOfBundle(argument, JSON.parse(text))
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw usageFaults.argument(`${argument} is not the JSON of a bundle`, { cause })
  }
}

/** Shows what was added between two states of a log, or that they contradict each other. Signatures are not checked. */
export const showDifference: Subcommand = (invocation, [one, other]) =>
  withOptionalLog(invocation, async (log) => {
    const [from, to] = [await readState(log, one), await readState(log, other)]
    const found = await compareStates(from, to)
    const shown = ({ name, size, root }: LogState) => ({ name, size, root })
    printOutput(invocation, { ...found, from: shown(from), to: shown(to) }, () => {
      if (found.outcome === 'same') return `the same ${to.size} entries`
      if (found.outcome === 'unknown') return `unknown: ${found.why}`
      if (found.outcome === 'grown')
        return writeTable(
          ['entry', 'time', 'operation'],
          found.added.map(({ index, time, operation }) => [String(index), time, operation]),
        )
      const states = [from, to].map(({ name, size, root }) => `  ${name}: ${size} entries, root ${root}`)
      const at = found.at === undefined ? '' : `; the first entry that differs is ${found.at}`
      return [`they contradict each other: ${found.why}${at}`, ...states].join('\n')
    })
    return found.outcome === 'same' || found.outcome === 'grown' ? 0 : 1
  })

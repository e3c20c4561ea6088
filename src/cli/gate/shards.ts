import { readFile } from 'node:fs/promises'
import type { ScanReuse } from '../../app/open/load-rules.ts'
import { loadSettings } from '../../app/process-context.ts'
import { isInShard, type Shard } from '../../gate/facts/shard.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import {
  decodeReport,
  encodeReport,
  isResultKey,
  type ScanResults,
} from '../../platform/scanner/scan-results.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { writeNamedFile } from './deliver-report.ts'
import { judgeChange, openForCommand } from './judge-change.ts'
import { limitGate } from './pick-findings.ts'
import { pickScope, pickScopes, pickStage } from './pick-scope.ts'

/**
 * A shard scans a part of the files on one machine, and `gate merge` judges with the results of all of them. A result
 * is bound to program, rules, path and content: what no shard has, the merge scans itself.
 */

const FORMAT = 'warrant-shard-1'

/** Results by key, in memory. */
class ShardResults implements ScanResults {
  readonly #reports = new Map<string, string>()
  /** Files that no shard has a result of. */
  missing = 0

  get(key: string): ReturnType<typeof decodeReport> {
    const text = this.#reports.get(key)
    if (text === undefined) this.missing += 1
    return text === undefined ? undefined : decodeReport(text)
  }

  put(key: string, report: Parameters<typeof encodeReport>[0]): void {
    this.#reports.set(key, encodeReport(report))
  }

  /** Adds the results of a shard file. */
  add(name: string, text: string): void {
    const refuse = (why: string, cause?: unknown) =>
      usageFaults.argument(`${JSON.stringify(name)} is not a shard: ${why}`, {
        cause,
        fix: 'Name the files that `warrant gate --shard 1/2 --output FILE` wrote.',
      })
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (cause) {
      throw refuse('it is not JSON', cause)
    }
    if (!isRecord(value) || value.format !== FORMAT || !isRecord(value.results))
      throw refuse(`its format is not ${FORMAT}`)
    for (const [key, report] of Object.entries(value.results)) {
      if (!isResultKey(key) || typeof report !== 'string' || decodeReport(report) === undefined)
        throw refuse('it has a damaged result')
      this.#reports.set(key, report)
    }
  }

  write({ number, count }: Shard): string {
    const results = Object.fromEntries([...this.#reports].sort(([a], [b]) => (a < b ? -1 : 1)))
    return JSON.stringify({ format: FORMAT, shard: `${number}/${count}`, results })
  }

  reuse(): ScanReuse {
    return { after: 0, open: async () => this }
  }
}

/** Reads the files that `gate merge` names. */
export const readShards = async (files: readonly string[]): Promise<ShardResults> => {
  if (files.length === 0)
    throw usageFaults.argument('`warrant gate merge` needs the files that the shards wrote')
  const results = new ShardResults()
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      throw usageFaults.argument(`cannot read ${JSON.stringify(file)}: ${cause.code}`, { cause })
    })
    results.add(file, text)
  }
  return results
}

/** Scans a part of the files for `gate merge`. Its findings are no verdict: they do not change the exit code. */
export const scanShard = async (invocation: Invocation, shard: Shard): Promise<number> => {
  const { config } = loadSettings(invocation)
  const results = new ShardResults()
  const gate = limitGate(await openForCommand(config, invocation, results.reuse()), (path) =>
    isInShard(path, shard),
  )
  const picked = await pickStage(invocation, pickScope(invocation), gate)
  let scanned = 0
  for (const scope of await pickScopes(invocation, picked, gate)) {
    const { report } = await judgeChange(invocation, gate, {
      stage: picked.stage,
      scope,
      write: false,
      rulesOnly: true,
    })
    scanned += report.files.scanned
  }
  const file = textFlag(invocation, 'output')
  const text = results.write(shard)
  if (file === undefined) invocation.terminal.print(text)
  else await writeNamedFile(gate.root, { flag: 'output', file }, `${text}\n`)
  if (!invocation.flags.quiet)
    invocation.terminal.printError(
      `warrant: shard ${shard.number}/${shard.count} scanned ${scanned} files. \`warrant gate merge\` gives the verdict of all shards.`,
    )
  return 0
}

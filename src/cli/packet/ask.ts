import { resolve } from 'node:path'
import type { LoadedConfig } from '../../app/config/load-config.ts'
import { lazyDecisions } from '../../app/open/lazy-services.ts'
import { PacketService } from '../../app/open/packets.ts'
import { createProcessContext } from '../../app/process-context.ts'
import type { Packets } from '../../packets/packets.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { readCount, type Subcommand, textFlag } from '../command/subcommand.ts'
import { embedSettings, NO_ABORT, needText, packetSettings, withProgressSteps } from './settings.ts'
import { asLines } from './show.ts'

const countFlag = (invocation: Invocation, name: string): number | undefined => {
  const text = textFlag(invocation, name)
  return text === undefined ? undefined : readCount(text, `--${name}`)
}

const withPackets = async <T>(
  { config }: LoadedConfig,
  work: (packets: Packets) => Promise<T>,
): Promise<T> => {
  const { clock, log } = createProcessContext(config)
  const context = { config, root: resolve(config.root), clock, log, environment: process.env }
  const decisions = lazyDecisions(context)
  const opened = new PacketService({ ...context, record: { clock, log, recorder: decisions.recorder } })
  try {
    return await work(await opened.open(undefined))
  } finally {
    await opened.close()
    await decisions.close()
  }
}

/** Prints a tool result, as text or JSON. A failure goes to stderr and gives exit code 1. */
const show = ({ json, terminal }: Invocation, answer: { readonly ok: boolean }): number => {
  if (json) terminal.print(JSON.stringify(answer))
  else if (answer.ok) terminal.print(asLines(answer))
  else terminal.printError(`warrant: ${asLines(answer)}`)
  return answer.ok ? 0 : 1
}

export const lookup: Subcommand = async (invocation, [what]) =>
  withPackets(packetSettings(invocation), async (packets) => {
    const named = needText(what, 'a packet or a reference')
    const isReference = /^oci:|[@:]/.test(named)
    return show(
      invocation,
      await packets.lookup(
        {
          ...(isReference ? { ref: named } : { name: named }),
          version: textFlag(invocation, 'version'),
          alias: textFlag(invocation, 'alias'),
          entrypoint: textFlag(invocation, 'entrypoint'),
          kind: textFlag(invocation, 'kind'),
          capability: textFlag(invocation, 'capabilities'),
          os_name: textFlag(invocation, 'os'),
          arch: textFlag(invocation, 'arch'),
          k: countFlag(invocation, 'k'),
          trust: invocation.flags.trust === true,
        },
        NO_ABORT,
      ),
    )
  })

export const query: Subcommand = async (invocation, [ref, question]) =>
  withPackets(await embedSettings(invocation), async (packets) => {
    const { 'dense-only': dense, 'lexical-only': lexical } = invocation.flags
    if (dense && lexical) throw usageFaults.option('--dense-only and --lexical-only exclude each other')
    const request = {
      ref: needText(ref, 'a packet'),
      q: needText(question, 'a question'),
      k: countFlag(invocation, 'k'),
      mode: dense ? ('dense' as const) : lexical ? ('lexical' as const) : undefined,
    }
    return show(
      invocation,
      await withProgressSteps(invocation, (watch) => packets.query(request, NO_ABORT, watch)),
    )
  })

const CONSTRAINTS = {
  alias: 'alias',
  entrypoint: 'entrypoint',
  kind: 'kind',
  capability: 'capabilities',
  os: 'os',
  arch: 'arch',
}

const readConstraints = (invocation: Invocation): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CONSTRAINTS).flatMap(([key, flag]) => {
      const value = textFlag(invocation, flag)
      return value === undefined ? [] : [[key, value]]
    }),
  )

export const plan: Subcommand = async (invocation, [intent]) =>
  withPackets(await embedSettings(invocation), async (packets) =>
    show(
      invocation,
      await withProgressSteps(invocation, (watch) =>
        packets.plan(
          {
            intent: needText(intent, 'an intent'),
            name_hint: textFlag(invocation, 'name'),
            version: textFlag(invocation, 'version'),
            constraints: readConstraints(invocation),
          },
          NO_ABORT,
          watch,
        ),
      ),
    ),
  )

export const digest: Subcommand = async (invocation, [ref, question]) =>
  withPackets(await embedSettings(invocation), async (packets) =>
    show(
      invocation,
      await withProgressSteps(invocation, (watch) =>
        packets.evidence(
          {
            ref: needText(ref, 'a packet'),
            question: needText(question, 'a question'),
            k: countFlag(invocation, 'k'),
            max_chars: countFlag(invocation, 'max-chars'),
          },
          NO_ABORT,
          watch,
        ),
      ),
    ),
  )

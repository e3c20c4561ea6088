import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DECISION_GENESIS } from '../../lineage/decisions.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import { lazyDecisions } from './lazy-services.ts'
import { openStore } from './store.ts'

const root = mkdtempSync(join(tmpdir(), 'warrant-lazy-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const { config } = loadConfig({}, { environment: {}, cwd: root })

describe('the decision recorder', () => {
  it('is opened again after a failed attempt, and records then', async () => {
    let attempts = 0
    const failingOnce: Config = {
      ...config,
      get clock() {
        attempts += 1
        if (attempts === 1) throw new Error('cannot be loaded')
        return config.clock
      },
    }
    const decisions = lazyDecisions({
      config: failingOnce,
      root,
      environment: {},
      clock: systemClock,
      log: { write: () => {} },
    })
    const call = { tool: 'ai_gate_check', effect: 'read', outcome: 'answer', ms: 1, verdict: {} } as const
    await expect(decisions.recorder.record(call)).rejects.toThrow('cannot be loaded')
    await decisions.recorder.record(call)
    await decisions.close()
    const store = await openStore(config, root)
    const log = await store.open(DECISION_LOG, DECISION_GENESIS)
    expect(await log.head()).toMatchObject({ size: 2 })
    await store.close()
  })
})

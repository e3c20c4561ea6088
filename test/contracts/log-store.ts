import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LineageLog, LogStore, Row } from '../../src/lineage/store.ts'
import { checkModel } from './log-model.ts'
import { addNext, GENESIS, node, readAll, row, rows, texts } from './log-rows.ts'

/** A log store under test, empty at first. */
export interface LogPlace {
  /** Another handle on the same store, as another process would have. */
  open(): LogStore
  remove(): Promise<void>
}

const fault = (kind: string, code: string) => expect.objectContaining({ name: 'Fault', kind, code })

/** Contract of every log store. */
export const logStoreContract = (kind: string, makePlace: () => Promise<LogPlace>, runs: number) =>
  describe(`log store, ${kind}`, () => {
    let place: LogPlace
    let stores: LogStore[] = []

    beforeEach(async () => {
      place = await makePlace()
    })
    afterEach(async () => {
      for (const store of stores) await store.close()
      stores = []
      await place.remove()
    })

    const handle = (): LogStore => {
      const store = place.open()
      stores.push(store)
      return store
    }
    const openLog = (name = 'log'): Promise<LineageLog> => handle().open(name, GENESIS)
    const faultOf = async (work: () => unknown): Promise<unknown> => {
      try {
        await work()
      } catch (error) {
        return error
      }
      throw new Error('it did not fail')
    }

    describe('entries', () => {
      it('come back in the order they were appended', async () => {
        const log = await openLog()
        expect(await log.head()).toEqual({ size: 0, entry: null })
        expect(await log.append(0, rows(0, 3), [])).toBe(true)
        expect(await log.append(3, rows(3, 2), [])).toBe(true)
        expect(await log.read(0, 10)).toEqual(rows(0, 5))
        expect(await log.head()).toEqual({ size: 5, entry: row(4).entry })
      })

      it.each([
        [0, 0, 0],
        [0, 1, 1],
        [1, 2, 2],
        [3, 10, 1],
        [4, 10, 0],
        [2 ** 40, 10, 0],
      ])('from %i on, %i at most, are %i of four', async (from, limit, count) => {
        const log = await openLog()
        await log.append(0, rows(0, 4), [])
        expect(await log.read(from, limit)).toEqual(rows(from, count))
      })

      it('cannot be read from nowhere', async () => {
        const log = await openLog()
        for (const [from, limit] of [
          [-1, 1],
          [0, -1],
          [0.5, 1],
          [0, Number.NaN],
        ] as const) {
          expect(await faultOf(() => log.read(from, limit))).toBeInstanceOf(RangeError)
        }
      })

      it('leave no gap and start where they are said to', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 2), [])
        for (const wrong of [[row(3)], [row(1)], [row(2), row(4)], [row(2), row(2)], [row(3), row(2)]]) {
          expect(await faultOf(() => log.append(2, wrong, []))).toBeInstanceOf(RangeError)
        }
        expect(await readAll(log)).toEqual(rows(0, 2))
      })

      it('succeed only with the current size, and change nothing otherwise', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 2), [node(0, 0), node(0, 1)])
        for (const stale of [0, 1, 3]) {
          expect(await log.append(stale, [row(stale, 'late')], [node(5, stale)])).toBe(false)
          expect((await faultOf(() => log.nodes([node(5, stale)]))) as object).toEqual(
            fault('missing', 'store.absent'),
          )
        }
        expect(await readAll(log)).toEqual(rows(0, 2))
      })

      it('are there after everything was closed', async () => {
        const store = handle()
        const log = await store.open('log', GENESIS)
        await log.append(0, rows(0, 3), [node(0, 0), node(1, 0)])
        await store.close()
        const again = await openLog()
        expect(await readAll(again)).toEqual(rows(0, 3))
        expect(await again.nodes([node(1, 0), node(0, 0)])).toEqual([node(1, 0).hash, node(0, 0).hash])
        expect(await again.append(3, [row(3)], [])).toBe(true)
      })

      it('are seen by every other handle at once', async () => {
        const [writer, reader] = [await openLog(), await openLog()]
        for (let size = 0; size < 50; size++) {
          const [from, to] = size % 2 === 0 ? [writer, reader] : [reader, writer]
          await from.append(size, [row(size)], [])
          expect(await to.head()).toEqual({ size: size + 1, entry: row(size).entry })
        }
      })

      it('get one place each when several handles append at once', async () => {
        const logs = await Promise.all(Array.from({ length: 6 }, () => openLog()))
        const won = await Promise.all(
          logs.map(async (log, who) => {
            const places: number[] = []
            for (let i = 0; i < 20; i++) places.push(await addNext(log, `${who}:${i}`))
            return places
          }),
        )
        const all = texts(await readAll(logs[0] as LineageLog))
        expect(won.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, seq) => seq))
        won.forEach((places, who) => {
          expect(places.map((seq) => all[seq])).toEqual(Array.from({ length: 20 }, (_, i) => `${who}:${i}`))
        })
      })

      it('have one winner for every place that many want', async () => {
        const logs = await Promise.all(Array.from({ length: 4 }, () => openLog()))
        for (let size = 0; size < 10; size++) {
          const wins = await Promise.all(
            logs.map(async (log, who) => await log.append(size, [row(size, `${who}`)], [node(0, size)])),
          )
          expect(wins.filter((won) => won)).toHaveLength(1)
          expect(texts(await (logs[0] as LineageLog).read(size, 1))).toEqual([`${wins.indexOf(true)}`])
        }
      })

      it('come in batches of ten thousand', async () => {
        const log = await openLog()
        const many = rows(0, 10_000)
        const nodes = many.map(({ seq }) => node(0, seq))
        expect(await log.append(0, many, nodes)).toBe(true)
        expect(await readAll(await openLog())).toEqual(many)
        expect(await log.nodes(nodes.slice(-500))).toEqual(nodes.slice(-500).map(({ hash }) => hash))
      })

      it('hold a mebibyte', async () => {
        const log = await openLog()
        const large = { seq: 0, entry: 'e'.repeat(2 ** 20), payload: 'ü€😀\\"'.repeat(2 ** 17) }
        await log.append(0, [large], [])
        expect(await readAll(await openLog())).toEqual([large])
        expect((await log.head()).entry).toBe(large.entry)
      })

      it.each([
        ['quotes', `'); DROP TABLE entries; --"\`$1\\`],
        ['NUL', 'a\u0000b\u0000'],
        ['control characters', '\u0001\u001f\u007f\u0085\u2028\r\n\t'],
        ['a byte order mark', '\ufeffa\ufeff'],
        ['the end of Unicode', '\uffff\ufffe\u{10ffff}😀é\u0301'],
        ['nothing', ''],
        ['what looks like bytes', '\\x00ff'],
        ['a list', '{NULL,"a"}'],
      ])('keep a text with %s as it is', async (_, text) => {
        const log = await openLog()
        const strange: Row = { seq: 0, entry: text, payload: text }
        await log.append(0, [strange, { ...strange, seq: 1, payload: null }], [])
        expect(await readAll(await openLog())).toEqual([strange, { ...strange, seq: 1, payload: null }])
      })

      it('refuse half a surrogate pair, which is no text', async () => {
        const log = await openLog()
        for (const broken of [
          { ...row(0), entry: '\ud800' },
          { ...row(0), payload: 'x\udc00' },
        ]) {
          expect(await faultOf(() => log.append(0, [broken], []))).toBeInstanceOf(RangeError)
        }
        expect((await log.head()).size).toBe(0)
      })
    })

    describe('erasing', () => {
      it('forgets the payload and keeps the entry', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 3), [])
        await log.erase(1)
        await log.erase(1)
        const left = rows(0, 3).map((one) => (one.seq === 1 ? { ...one, payload: null } : one))
        expect(await readAll(await openLog())).toEqual(left)
        expect(await log.head()).toEqual({ size: 3, entry: row(2).entry })
      })

      it('needs an entry', async () => {
        const log = await openLog()
        await (await openLog('other')).append(0, rows(0, 5), [])
        await log.append(0, rows(0, 1), [])
        for (const seq of [1, -1, 2 ** 33]) {
          expect(await faultOf(() => log.erase(seq))).toEqual(fault('missing', 'store.absent'))
        }
      })
    })

    describe('tree nodes', () => {
      it('come back in the order they were asked for', async () => {
        const log = await openLog()
        const all = [node(0, 0), node(0, 1), node(1, 0), node(0, 2), node(40, 2 ** 40)]
        await log.append(0, rows(0, 3), all)
        const wanted = [...all].reverse().concat(all)
        expect(await log.nodes(wanted)).toEqual(wanted.map(({ hash }) => hash))
        expect(await log.nodes([])).toEqual([])
      })

      it('that are not there are a fault', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 1), [node(0, 0)])
        const asked = () => log.nodes([node(0, 0), node(1, 0)])
        expect(await faultOf(asked)).toEqual(fault('missing', 'store.absent'))
      })

      it('cannot be written twice, and then the entries are not either', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 1), [node(0, 0)])
        const twice = () => log.append(1, rows(1, 1), [node(0, 1), node(0, 0)])
        expect(await faultOf(twice)).toEqual(fault('corrupt', 'store.damaged'))
        const same = () => log.append(1, rows(1, 1), [node(0, 1), node(0, 1)])
        expect(await faultOf(same)).toEqual(fault('corrupt', 'store.damaged'))
        expect((await log.head()).size).toBe(1)
        expect(await log.append(1, rows(1, 1), [node(0, 1)])).toBe(true)
      })

      it('need a hash', async () => {
        const log = await openLog()
        for (const hash of ['', 'ab', 'AB'.repeat(32), 'zz'.repeat(32)]) {
          const bad = { level: 0, index: 0, hash }
          expect(await faultOf(() => log.append(0, rows(0, 1), [bad]))).toBeInstanceOf(RangeError)
        }
      })
    })

    describe('snapshots', () => {
      const snapshot = (size: number, length = 10) => ({ size, bytes: new Uint8Array(length).fill(size) })

      it('are kept two at a time, newest first', async () => {
        const log = await openLog()
        expect(await log.snapshots()).toEqual([])
        for (const size of [1, 2, 3, 200]) await log.saveSnapshot(snapshot(size))
        const kept = (await (await openLog()).snapshots()).map(({ size, bytes }) => [size, [...bytes]])
        expect(kept).toEqual([200, 3].map((size) => [size, [...snapshot(size).bytes]]))
      })

      it('do not make room for an older one, and replace one of their own size', async () => {
        const log = await openLog()
        for (const size of [5, 9, 2]) await log.saveSnapshot(snapshot(size))
        await log.saveSnapshot(snapshot(9, 3))
        const kept = (await log.snapshots()).map(({ size, bytes }) => [size, bytes.length])
        expect(kept).toEqual([
          [9, 3],
          [5, 10],
        ])
      })

      it('give way to the one that comes with an erasure, or stay when there is nothing to erase', async () => {
        const log = await openLog()
        await log.append(0, rows(0, 3), [])
        for (const size of [1, 3]) await log.saveSnapshot(snapshot(size))
        const sizes = async () => (await log.snapshots()).map(({ size }) => size)
        expect(await faultOf(() => log.erase(7, snapshot(2)))).toEqual(fault('missing', 'store.absent'))
        expect(await sizes()).toEqual([3, 1])
        await log.erase(0, snapshot(2))
        expect(await sizes()).toEqual([2])
        await log.erase(1, snapshot(2, 4))
        expect((await log.snapshots()).map(({ bytes }) => bytes.length)).toEqual([4])
        expect((await readAll(log)).map(({ payload }) => payload === null)).toEqual([true, true, false])
      })

      it('hold four mebibytes, and none', async () => {
        const log = await openLog()
        await log.saveSnapshot(snapshot(7, 2 ** 22))
        await log.saveSnapshot(snapshot(8, 0))
        const [empty, large] = await log.snapshots()
        expect(empty?.bytes.length).toBe(0)
        expect(Buffer.from(large?.bytes ?? []).equals(snapshot(7, 2 ** 22).bytes)).toBe(true)
      })

      it('are copies: changing the saved or read bytes has no effect', async () => {
        const log = await openLog()
        const { size, bytes } = snapshot(4)
        await log.saveSnapshot({ size, bytes })
        bytes.fill(0)
        ;(await log.snapshots())[0]?.bytes.fill(1)
        expect([...((await log.snapshots())[0]?.bytes ?? [])]).toEqual([...snapshot(4).bytes])
      })
    })

    describe('quarantine', () => {
      it('stays until it is lifted, for every handle', async () => {
        const [log, other] = [await openLog(), await openLog()]
        expect(await log.quarantine()).toBe(null)
        await log.setQuarantine('entry 3 does not follow \u0000 ü')
        expect(await other.quarantine()).toBe('entry 3 does not follow \u0000 ü')
        for (const store of stores.splice(0)) await store.close()
        const again = await openLog()
        expect(await again.quarantine()).toBe('entry 3 does not follow \u0000 ü')
        await again.setQuarantine(null)
        expect(await (await openLog()).quarantine()).toBe(null)
      })
    })

    describe('logs', () => {
      it('are kept apart', async () => {
        const store = handle()
        const [one, two] = [await store.open('one', GENESIS), await store.open('two', GENESIS)]
        await one.append(0, rows(0, 3), [node(0, 0)])
        await two.append(0, [row(0, 'other')], [node(1, 0)])
        await two.setQuarantine('why')
        await one.saveSnapshot({ size: 3, bytes: Uint8Array.of(1) })
        expect(texts(await readAll(two))).toEqual(['other'])
        expect(await readAll(one)).toEqual(rows(0, 3))
        expect(await one.quarantine()).toBe(null)
        expect(await two.snapshots()).toEqual([])
        expect(await faultOf(() => two.nodes([node(0, 0)]))).toEqual(fault('missing', 'store.absent'))
      })

      it('keep the genesis they were made with', async () => {
        const genesis = '{"ü":"\u0000"}'
        await handle().open('log', genesis)
        expect((await handle().open('log', genesis)).genesis).toBe(genesis)
        expect((await handle().find('log'))?.genesis).toBe(genesis)
        const other = () => handle().open('log', GENESIS)
        expect(await faultOf(other)).toEqual(fault('conflict', 'store.genesis'))
      })

      it('are made once when many open one at the same moment', async () => {
        const logs = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            handle()
              .open('log', `{"who":${i}}`)
              .catch(() => undefined),
          ),
        )
        const made = logs.filter((log) => log !== undefined)
        expect(made).toHaveLength(1)
        expect((await handle().find('log'))?.genesis).toBe(made[0]?.genesis)
      })

      it('tell how much room they take', async () => {
        const store = handle()
        expect(await store.bytes()).toBe(0)
        const log = await store.open('log', GENESIS)
        const letters = 'x'.repeat(200_000)
        await log.append(0, [{ ...row(0), payload: letters }], [])
        expect(await handle().bytes()).toBeGreaterThan(1_000)
      })

      it('are not made by looking for them', async () => {
        expect(await handle().find('log')).toBe(undefined)
        expect(await handle().names()).toEqual([])
        const store = handle()
        expect(await store.find('log')).toBe(undefined)
        await openLog()
        expect(await store.find('log')).toBeDefined()
        expect(await store.find('other')).toBe(undefined)
        expect(await store.names()).toEqual(['log'])
      })

      it('that were found can be written', async () => {
        await openLog()
        const log = await handle().find('log')
        expect(await log?.append(0, rows(0, 1), [])).toBe(true)
        expect((await (await openLog()).head()).size).toBe(1)
      })

      it('are listed by name', async () => {
        const store = handle()
        const names = ['b', 'a', 'B', '_', '10', '9', '-', '.', '..', 'a.b', '__proto__', 'x'.repeat(64)]
        for (const name of names) await store.open(name, GENESIS)
        expect(await handle().names()).toEqual([...names].sort())
        expect(await store.find('constructor')).toBe(undefined)
      })

      it.each(['', 'x'.repeat(65), 'a b', 'a/b', 'ä', "a'b", 'a\n', 'a\u0000', '../x y', '%'])(
        'cannot be called %j',
        async (name) => {
          expect(await faultOf(() => handle().open(name, GENESIS))).toEqual(fault('invalid', 'store.name'))
          expect(await faultOf(() => handle().find(name))).toEqual(fault('invalid', 'store.name'))
        },
      )

      it('can be closed twice', async () => {
        const store = handle()
        await store.open('log', GENESIS)
        await store.close()
        await store.close()
        await place.open().close()
      })
    })

    it('behaves like a list, whatever is done to it by whom', { timeout: 60_000 }, async () => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(checkModel.commands, async (commands) => {
          count += 1
          await checkModel.run(place, `log-${count}`, commands)
        }),
        { numRuns: runs },
      )
    })
  })

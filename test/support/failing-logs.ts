import type { Fault } from '../../src/kernel/fault.ts'
import type { LineageLog, LogStore } from '../../src/lineage/store.ts'

/** A store whose logs fail to read when `next` returns a fault. */
export const failingLogs = (store: LogStore, next: () => Fault | undefined): LogStore => {
  const failing = (log: LineageLog): LineageLog =>
    new Proxy(log, {
      get(target, name) {
        const member = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          const fault = name === 'read' || name === 'head' ? next() : undefined
          if (fault !== undefined) throw fault
          return member.apply(target, args)
        }
      },
    })
  return {
    ...store,
    open: async (name, genesis) => failing(await store.open(name, genesis)),
    find: async (name) => {
      const log = await store.find(name)
      return log && failing(log)
    },
  }
}

import { describe, expect, it } from 'vitest'
import { ChangeEmitter, type ChangeEvent } from './change-events.ts'

const CHANGE: ChangeEvent = { kind: 'resource', uri: 'evidence://status' }

describe('changes', () => {
  it('are watched while there are listeners, by one watcher for all', () => {
    const events: string[] = []
    let emitChange: (change: ChangeEvent) => void = () => {}
    const changes = new ChangeEmitter((emit) => {
      events.push('start')
      emitChange = emit
      return () => events.push('stop')
    })
    const first = changes.listen(() => events.push('first'))
    const second = changes.listen(() => events.push('second'))
    emitChange(CHANGE)
    first()
    emitChange(CHANGE)
    second()
    second()
    changes.listen(() => {})
    expect(events).toEqual(['start', 'first', 'second', 'second', 'stop', 'start'])
  })
})

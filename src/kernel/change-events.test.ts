import { describe, expect, it } from 'vitest'
import { ChangeEmitter, type ChangeEvent } from './change-events.ts'

const NEWS: ChangeEvent = { kind: 'resource', uri: 'evidence://status' }

describe('changes', () => {
  it('are looked for while somebody listens, once for all, and no longer', () => {
    const events: string[] = []
    let tell: (change: ChangeEvent) => void = () => {}
    const changes = new ChangeEmitter((emit) => {
      events.push('start')
      tell = emit
      return () => events.push('stop')
    })
    const first = changes.listen(() => events.push('first'))
    const second = changes.listen(() => events.push('second'))
    tell(NEWS)
    first()
    tell(NEWS)
    second()
    second()
    changes.listen(() => {})
    expect(events).toEqual(['start', 'first', 'second', 'second', 'stop', 'start'])
  })
})

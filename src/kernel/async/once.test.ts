import { describe, expect, it } from 'vitest'
import { lazyAsync } from './once.ts'

/** An opener that the test ends by hand. */
const openByHand = () => {
  const attempts: { resolve: (value: string) => void; reject: (cause: Error) => void }[] = []
  const open = () => new Promise<string>((resolve, reject) => attempts.push({ resolve, reject }))
  return { attempts, lazy: lazyAsync(open) }
}

describe('a value that is opened once', () => {
  it('is not opened before it is asked for', async () => {
    const { attempts, lazy } = openByHand()
    expect(await lazy.peek()).toBeUndefined()
    expect(attempts).toHaveLength(0)
  })

  it('is opened once, for callers at the same time and for later ones', async () => {
    const { attempts, lazy } = openByHand()
    const both = Promise.all([lazy.get(), lazy.get(), lazy.peek()])
    attempts[0]?.resolve('open')
    expect(await both).toEqual(['open', 'open', 'open'])
    expect(await lazy.get()).toBe('open')
    expect(attempts).toHaveLength(1)
  })

  it('is opened again after a failure, which every caller of that attempt gets', async () => {
    const { attempts, lazy } = openByHand()
    const both = Promise.allSettled([lazy.get(), lazy.get(), lazy.peek()])
    attempts[0]?.reject(new Error('not today'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    expect(await lazy.peek()).toBeUndefined()
    const second = lazy.get()
    attempts[1]?.resolve('open')
    expect(await second).toBe('open')
    expect(attempts).toHaveLength(2)
  })
})

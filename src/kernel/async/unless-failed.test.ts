import { describe, expect, it } from 'vitest'
import { unlessFailed } from './unless-failed.ts'

describe('unlessFailed', () => {
  it('gives the value of each promise until the failure, and then the failure', async () => {
    let fail: (reason: unknown) => void = () => {}
    const failure = new Promise<never>((_, reject) => {
      fail = reject
    })
    const wait = unlessFailed(failure)
    expect(await wait(Promise.resolve(1))).toBe(1)
    await expect(wait(Promise.reject(new Error('own')))).rejects.toThrow('own')
    const hung = wait(new Promise(() => {}))
    fail(new Error('stopped'))
    await expect(hung).rejects.toThrow('stopped')
    await expect(wait(new Promise(() => {}))).rejects.toThrow('stopped')
  })
})

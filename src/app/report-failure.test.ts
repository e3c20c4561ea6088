import { describe, expect, it } from 'vitest'
import { requireNode } from './report-failure.ts'

describe('the version of Node.js', () => {
  it.each(['18.20.8', '20.9.0', '20.18.3'])('%s is too old, and the fault says which is not', (version) => {
    expect(() => requireNode(version)).toThrow(
      expect.objectContaining({ code: 'usage.node', fix: 'Install Node.js 20.19 or newer.' }),
    )
  })

  it.each(['20.19.0', '22.0.0', '26.9.0'])('%s will do', (version) => {
    expect(() => requireNode(version)).not.toThrow()
  })
})

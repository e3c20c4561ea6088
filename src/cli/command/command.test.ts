import { describe, expect, it } from 'vitest'
import { gateFaults } from '../../gate/faults.ts'
import { callFaults } from '../../kernel/call-faults.ts'
import { FAULT_KINDS } from '../../kernel/fault.ts'
import { EXIT_CODES, exitCodeOf } from './command.ts'

describe('the exit code of a fault', () => {
  it('differs for each kind and is never 0 or 1, which are "yes" and "no"', () => {
    const codes = Object.keys(FAULT_KINDS).map((kind) => EXIT_CODES[kind as keyof typeof FAULT_KINDS])
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes).not.toContain(0)
    expect(codes).not.toContain(1)
  })

  it('is 8 for a failed dependency', () => {
    expect(exitCodeOf(callFaults.unrecorded('the disk is full'))).toBe(8)
  })

  it('is 1 for a push without an upstream branch', () => {
    expect(exitCodeOf(gateFaults.base_missing('no upstream'))).toBe(1)
  })
})

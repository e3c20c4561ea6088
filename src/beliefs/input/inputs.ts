import * as z from 'zod'
import { MAX_ENERGY, MAX_WEIGHT } from '../config.ts'

/** What callers may send. JSON has no NaN, and `1e999`, which reads as infinity, is refused. */

export const BeliefInput = z.number().min(0).max(1).describe('Degree of belief, from 0 to 1.')

export const EnergyInput = z.number().min(0).max(MAX_ENERGY).describe('Energy to allocate, from 0 to 1e12.')

export const WeightInput = z
  .number()
  .min(-MAX_WEIGHT)
  .max(MAX_WEIGHT)
  .describe('Strength of the edge, from -1e6 to 1e6. A negative one argues for the opposite.')

export const DeltaInput = z.number().describe('How far to move the belief; it stays within 0 and 1.')

/** Half a letter cannot be written down. Found only when it is, it would take along all that share its commit. */
const LONE_SURROGATE = /\p{Surrogate}/u

export const ClaimInput = z
  .string()
  .max(2_000)
  .refine((text) => !LONE_SURROGATE.test(text), 'must be text, without lone surrogates')

const MAX_ID = 2n ** 64n - 1n
/** Leading zeros are allowed, but not without end. */
const MAX_DIGITS = 64

/** An id as text. One that is larger than a number can hold becomes a bigint: well-formed, and never there. */
export const IdInput = z
  .string()
  // Both abort, because what follows reads the text as a number.
  .max(MAX_DIGITS, { abort: true })
  .regex(/^[0-9]+$/, { abort: true })
  .refine((text) => BigInt(text) <= MAX_ID, 'must be at most 2^64 - 1')
  .transform((text): number | bigint => {
    const id = Number(text)
    return Number.isSafeInteger(id) ? id : BigInt(text)
  })
  .describe('Id as a string of digits.')

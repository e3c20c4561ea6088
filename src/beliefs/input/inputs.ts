import * as z from 'zod'
import { MAX_ENERGY, MAX_WEIGHT } from '../config.ts'

/** Inputs of the belief tools. JSON has no NaN, and `1e999`, which parses as infinity, is rejected. */

export const BeliefInput = z.number().min(0).max(1).describe('Degree of belief, from 0 to 1.')

export const EnergyInput = z.number().min(0).max(MAX_ENERGY).describe('Energy to allocate, from 0 to 1e12.')

export const WeightInput = z
  .number()
  .min(-MAX_WEIGHT)
  .max(MAX_WEIGHT)
  .describe('Weight of the edge, from -1e6 to 1e6. A negative weight pulls towards the opposite belief.')

export const DeltaInput = z.number().describe('Change of the belief. The result is clamped to 0 to 1.')

/** A lone surrogate cannot be stored as UTF-8. Rejected here, because in the store it would fail the whole batch. */
const LONE_SURROGATE = /\p{Surrogate}/u

export const ClaimInput = z
  .string()
  .max(2_000)
  .refine((text) => !LONE_SURROGATE.test(text), 'must be text, without lone surrogates')

const MAX_ID = 2n ** 64n - 1n
/** Leading zeros are allowed up to this length. */
const MAX_DIGITS = 64

/** An id as text. One above the safe integers becomes a bigint: it is well-formed, but no such node exists. */
export const IdInput = z
  .string()
  // Both abort, because the later checks parse the text as a number.
  .max(MAX_DIGITS, { abort: true })
  .regex(/^[0-9]+$/, { abort: true })
  .refine((text) => BigInt(text) <= MAX_ID, 'must be at most 2^64 - 1')
  .transform((text): number | bigint => {
    const id = Number(text)
    return Number.isSafeInteger(id) ? id : BigInt(text)
  })
  .describe('Id as a string of digits.')

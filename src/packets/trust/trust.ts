import * as z from 'zod'

const Presence = z.enum(['verified', 'present', 'absent', 'unchecked'])

/**
 * What is known about the origin of a packet. `present` means that a referrer of that kind exists, unverified;
 * only `verified` means verified.
 */
export const Trust = z.object({
  verified: z.literal(true).describe('The bytes are those of the digest.'),
  checked: z.boolean().describe('Whether the registry was asked for the rest.'),
  signature: z.enum(['verified', 'unverified', 'absent', 'unchecked']),
  signers: z.array(z.string()).readonly().describe('Keys and identities of the policy that signed it.'),
  sbom: Presence,
  provenance: Presence,
  builders: z.array(z.string()).readonly().describe('Who built it, by verified provenance.'),
  slsa_level: z
    .number()
    .nullable()
    .describe('What the policy makes of the builder; null when it is unknown.'),
  score: z.number(),
  referrers: z.array(z.object({ digest: z.string(), type: z.string() })).readonly(),
})
export type Trust = Readonly<z.infer<typeof Trust>>

/** What an answer says about the origin of the passages in it. */
export const PassageTrust = Trust.pick({ signature: true, signers: true }).extend({
  untrusted: z
    .boolean()
    .describe('No key or identity of the policy signed the packet, or this was not checked.'),
})
export type PassageTrust = Readonly<z.infer<typeof PassageTrust>>

export const passageTrust = ({ signature, signers }: Trust): PassageTrust => ({
  untrusted: signature !== 'verified',
  signature,
  signers,
})

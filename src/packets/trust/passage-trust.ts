import type { PassageTrust, Trust } from './trust.ts'

export const passageTrust = ({ signature, signers }: Trust): PassageTrust => ({
  untrusted: signature !== 'verified',
  signature,
  signers,
})

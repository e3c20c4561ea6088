import { generateKeyPairSync } from 'node:crypto'

/** A new private Ed25519 key as PEM. */
export const makePem = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Crypto = typeof import('node:crypto')

let loaded: Crypto | undefined

/** `node:crypto`, loaded on first use: it takes milliseconds that a handshake or health check does not need. */
export const lazyCrypto = (): Crypto => {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

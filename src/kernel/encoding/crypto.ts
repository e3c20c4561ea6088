type Crypto = typeof import('node:crypto')

let loaded: Crypto | undefined

/** Loading it takes Node milliseconds, which a server that only says that it lives does not owe. */
export const lazyCrypto = (): Crypto => {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

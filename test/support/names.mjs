// @ts-nocheck: it stands in for functions with a dozen forms, of which two are asked for
// Loaded before a program under test: gives names addresses, one after the other, the last for good.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/** @type {Record<string, string[]>} */
const names = JSON.parse(process.env.TEST_NAMES ?? '{}')
const { lookup } = dns
const { lookup: lookupLater } = dns.promises

/** @param {string} name */
const next = (name) => {
  const known = names[name]
  if (known === undefined) return undefined
  const address = known.length > 1 ? known.shift() : known[0]
  return [{ address, family: 4 }]
}

dns.lookup = (name, options, done) => {
  const found = next(name)
  if (found === undefined) return lookup(name, options, done)
  return options.all ? done(null, found) : done(null, found[0]?.address, 4)
}
dns.promises.lookup = async (name, options) => {
  const found = next(name)
  if (found === undefined) return lookupLater(name, options)
  return options?.all ? found : found[0]
}
syncBuiltinESMExports()

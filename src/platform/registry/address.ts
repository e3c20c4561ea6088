import { lookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { registryFaults } from './faults.ts'

/** Where an address lies. `special` is everything no registry has any business at. */
export type Zone = 'public' | 'private' | 'loopback' | 'link-local' | 'special'

type Net = readonly [address: string, bits: number]

const ZONES: Readonly<Record<Exclude<Zone, 'public'>, readonly Net[]>> = {
  loopback: [
    ['127.0.0.0', 8],
    ['::1', 128],
  ],
  private: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
    ['fc00::', 7],
  ],
  'link-local': [
    ['169.254.0.0', 16],
    ['fe80::', 10],
  ],
  special: [
    ['0.0.0.0', 8],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
    ['::', 128],
    // These carry an IPv4 address inside, and could carry any of the above.
    ['64:ff9b::', 32],
    ['2001::', 32],
    ['2002::', 16],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
}

// Not `isIP`: the first address it does not take for the fourth version costs it milliseconds.
const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

const lists = (Object.keys(ZONES) as (keyof typeof ZONES)[]).map((zone) => {
  const list = new BlockList()
  for (const [address, bits] of ZONES[zone]) list.addSubnet(address, bits, familyOf(address))
  return [zone, list] as const
})

/** The zone of an address. An IPv4 address written as IPv6 is what it stands for. */
export const zoneOf = (address: string): Zone => {
  const family = familyOf(address)
  return lists.find(([, list]) => list.check(address, family))?.[0] ?? 'public'
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

export const isLoopbackName = (hostname: string): boolean => {
  const bare = bareHost(hostname)
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || (isIP(bare) !== 0 && zoneOf(bare) === 'loopback')
  )
}

/** The zones a host's addresses lie in. A name that cannot be found lies nowhere, and fails when it is asked. */
const zonesOf = async (hostname: string): Promise<readonly Zone[]> => {
  const bare = bareHost(hostname)
  if (isIP(bare) !== 0) return [zoneOf(bare)]
  if (isLoopbackName(bare)) return ['loopback']
  const found = await lookup(bare, { all: true }).catch(() => [])
  return found.map(({ address }) => zoneOf(address))
}

/**
 * Looks up a name for a connection. A name that was judged a moment ago may mean another place by now, so what it
 * means here is judged again, and nothing else is connected to.
 */
const lookupWithin =
  (allows: (zones: readonly Zone[]) => boolean): LookupFunction =>
  (hostname, options, done) => {
    const judge = async () => {
      const found = await lookup(hostname, { ...options, all: true })
      if (!allows(found.map(({ address }) => zoneOf(address))))
        throw registryFaults.forbidden_target(`${hostname} lies in another place than a moment ago`)
      return found
    }
    judge().then(
      (found) => {
        const [first] = found
        if (options.all) done(null, found)
        else done(null, first?.address ?? '', first?.family ?? 0)
      },
      (cause) => done(cause, '', 0),
    )
  }

/** May a registry in one zone lead us into another? Out into the world always, within its own zone too. */
export const mayLead = (from: readonly Zone[], to: readonly Zone[]): boolean =>
  to.every((zone) => zone === 'public' || (zone !== 'special' && from.includes(zone)))

/**
 * Refuses a place a registry points at when it is nearer to us than the registry itself: a stranger must not
 * make us ask the machine next door, nor the one that hands out cloud credentials.
 */
export const checkTarget = async (
  registry: URL,
  target: URL,
  mayBePlain: (host: string) => boolean,
): Promise<void> => {
  if (target.username !== '' || target.password !== '')
    throw registryFaults.forbidden_target('the registry points at an address with a password in it')
  if (target.protocol !== 'https:' && !(target.protocol === 'http:' && mayBePlain(target.host)))
    throw registryFaults.forbidden_target(`the registry points at an address of the kind ${target.protocol}`)
  if (target.hostname === registry.hostname) return
  const [from, to] = await Promise.all([zonesOf(registry.hostname), zonesOf(target.hostname)])
  if (!mayLead(from, to)) throw registryFaults.forbidden_target(`the registry points at ${target.hostname}`)
}

/** How the name of a target is looked up that a registry leads to, or of a registry that nobody named. */
export const lookupFor = async (registry: URL, target: URL): Promise<LookupFunction> => {
  const from = target.hostname === registry.hostname ? [] : await zonesOf(registry.hostname)
  return lookupWithin((to) => mayLead(from, to))
}

/** Refuses a registry on this machine or network that nobody named in the settings. */
export const checkPublic = async (hostname: string): Promise<void> => {
  const zones = await zonesOf(hostname)
  if (!mayLead([], zones))
    throw registryFaults.not_allowed(`the registry ${hostname} lies in a private place and is not configured`)
}

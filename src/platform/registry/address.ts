import { lookup } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { keysOf } from '../../kernel/keys-of.ts'
import { registryFaults } from './faults.ts'

/** The network zone of an address. `special` has ranges that no registry can be in. */
type Zone = 'public' | 'private' | 'loopback' | 'link-local' | 'special'

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
    // These embed an IPv4 address, which could be any of the above.
    ['64:ff9b::', 32],
    ['2001::', 32],
    ['2002::', 16],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
}

// Not `isIP`: its first call on an IPv6 address costs milliseconds.
const addressFamily = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

const lists = keysOf(ZONES).map((zone) => {
  const list = new BlockList()
  for (const [address, bits] of ZONES[zone]) list.addSubnet(address, bits, addressFamily(address))
  return [zone, list] as const
})

/** The zone of an address. An IPv4-mapped IPv6 address has the zone of its IPv4 address. */
export const networkZone = (address: string): Zone => {
  const family = addressFamily(address)
  return lists.find(([, list]) => list.check(address, family))?.[0] ?? 'public'
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

export const isLoopbackName = (hostname: string): boolean => {
  const bare = bareHost(hostname)
  return (
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    (isIP(bare) !== 0 && networkZone(bare) === 'loopback')
  )
}

/** The zones of a host's addresses; none when the name cannot be resolved, so that the request fails later. */
const resolveZones = async (hostname: string): Promise<readonly Zone[]> => {
  const bare = bareHost(hostname)
  if (isIP(bare) !== 0) return [networkZone(bare)]
  if (isLoopbackName(bare)) return ['loopback']
  const found = await lookup(bare, { all: true }).catch(() => [])
  return found.map(({ address }) => networkZone(address))
}

/**
 * A DNS lookup for a connection that checks the result again: the name may resolve to another address than when
 * it was checked (DNS rebinding, TOCTOU).
 */
const lookupWithin =
  (allows: (zones: readonly Zone[]) => boolean): LookupFunction =>
  (hostname, options, done) => {
    const judge = async () => {
      const found = await lookup(hostname, { ...options, all: true })
      if (!allows(found.map(({ address }) => networkZone(address))))
        throw registryFaults.forbidden_target(
          `${hostname} resolves to another network zone than when it was checked`,
        )
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

/** Services of this machine are not one party: each port is another program. */
const CLOSED: readonly Zone[] = ['special', 'loopback']

/** Whether a registry may redirect to these zones: to public addresses, and within its own network. */
export const mayRedirect = (from: readonly Zone[], to: readonly Zone[]): boolean =>
  to.every((zone) => zone === 'public' || (!CLOSED.includes(zone) && from.includes(zone)))

/** What the operator's settings say about hosts, each with its port. */
interface HostRules {
  readonly mayBePlain: (host: string) => boolean
  /** Named by the operator: may be contacted wherever it is. */
  readonly isNamed: (host: string) => boolean
}

/**
 * Refuses a target that is closer to this machine than the registry: a registry must not make us request local
 * services or cloud metadata (SSRF).
 */
export const checkRedirect = async (
  registry: URL,
  target: URL,
  { mayBePlain, isNamed }: HostRules,
): Promise<void> => {
  if (target.username !== '' || target.password !== '')
    throw registryFaults.forbidden_target('the registry redirects to an address with a password in it')
  if (target.protocol !== 'https:' && !(target.protocol === 'http:' && mayBePlain(target.host)))
    throw registryFaults.forbidden_target(
      `the registry redirects to an address with the scheme ${target.protocol}`,
    )
  if (target.host === registry.host || isNamed(target.host)) return
  const [from, to] = await Promise.all([resolveZones(registry.hostname), resolveZones(target.hostname)])
  if (!mayRedirect(from, to))
    throw registryFaults.forbidden_target(`the registry redirects to ${target.host}`)
}

/** The checked lookup for redirect targets, and for registries that are not configured. */
export const checkedLookup = async (registry: URL, target: URL): Promise<LookupFunction> => {
  const from = target.hostname === registry.hostname ? [] : await resolveZones(registry.hostname)
  return lookupWithin((to) => mayRedirect(from, to))
}

/** Refuses a registry in a private network that is not configured. */
export const checkPublic = async (hostname: string): Promise<void> => {
  const zones = await resolveZones(hostname)
  if (!mayRedirect([], zones))
    throw registryFaults.not_allowed(`the registry ${hostname} is in a private network and is not configured`)
}

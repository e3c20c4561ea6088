import type { Container } from '../containers.ts'
import { hostOf } from '../names.ts'

/** Names of variables whose value is a host, without scheme and port. */
const HOST_NAME =
  /(^|[_.-]|[a-z])(HOST(NAME)?|ADDR(ESS)?|UR[IL]|SERVERS?|ENDPOINT|BROKERS?|SERVICE|UPSTREAM|BACKEND|TARGET|NODES?|hosts?)S?$/i

/** Hosts that a value names: URLs, `host:port`, `Host=db;…`, `user@tcp(db:3306)/x`, and a host alone if the name says so. */
const hostsIn = (name: string, value: string): readonly string[] => {
  const text = value.replace(/^--?[\w.-]+[= ]/, '')
  const [, socket] = /@tcp\(([\w.-]+)(?::\d+)?\)/.exec(text) ?? []
  const [, keyed] = /(?:^|[;\s])(?:Host|Server|Data Source)\s*=\s*(?:tcp:)?([\w.-]+)/i.exec(text) ?? []
  const found = [socket, keyed].flatMap((one) => one ?? [])
  if (found.length > 0) return found
  return text.split(/[,\s]+/).flatMap((one) => {
    const isAddress = /^[a-z][a-z0-9+.:-]*:\/\/|^[\w.-]+:\d{2,5}(\/|$)/i.test(one)
    const isHost = HOST_NAME.test(name) && /^[a-z][\w.-]*$/i.test(one)
    const host = isAddress || isHost ? hostOf(one) : undefined
    return host === undefined ? [] : [host]
  })
}

interface NamedHost {
  readonly host: string
  /** The variable that holds it; empty for an argument. */
  readonly variable: string
  readonly value: string
}

interface VariableUse {
  readonly reads: (variable: string) => boolean
  readonly isOthers: (variable: string) => boolean
}

/**
 * Hosts in the environment and the arguments of a container: of a shared environment, what its code names; of files
 * with variables, not what only other code names.
 */
export const containerHosts = (
  { environment, shared, values, fromFiles }: Container,
  { reads, isOthers }: VariableUse,
): readonly NamedHost[] => {
  const variables = [...environment, ...[...shared].filter(([name]) => !environment.has(name) && reads(name))]
  // Code is read last: it may be that of the whole project.
  const isMeant = ({ variable }: NamedHost) => fromFiles?.has(variable) !== true || !isOthers(variable)
  return [
    ...variables.flatMap(([variable, value]) =>
      hostsIn(variable, value)
        .map((host) => ({ host, variable, value }))
        .filter(isMeant),
    ),
    ...values.flatMap((value) => hostsIn('', value).map((host) => ({ host, variable: '', value }))),
  ]
}

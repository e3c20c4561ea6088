import { isRecord } from '../../kernel/encoding/json.ts'
import { defineFaults, type Fault, type FaultMaker } from '../../kernel/fault.ts'
import type { RegistryRepository } from '../../packets/ports.ts'
import type { HttpResponse } from './transport.ts'

export const registryFaults = defineFaults('registry', {
  unreachable: {
    kind: 'unavailable',
    fix: 'Check the address of the registry and the network, then try again.',
  },
  unavailable: { kind: 'unavailable', fix: 'Try again later; the registry is busy or failing.' },
  slow: { kind: 'unavailable', fix: 'Try again; the registry or the network is slow.' },
  denied: { kind: 'refused', fix: 'Log in with `docker login`, or request access to this repository.' },
  missing: {
    kind: 'missing',
    fix: 'Check the name and the tag; `warrant packet lookup NAME` lists the versions of a packet.',
  },
  not_allowed: {
    kind: 'refused',
    fix: 'Have the operator name the host with --registry or --registries, and in --allowed-registries where that is set.',
  },
  forbidden_target: {
    kind: 'refused',
    fix: 'If the redirect is intended, name that host with --registries.',
  },
  certificate: {
    kind: 'refused',
    fix: 'Check the name of the registry; for a private certificate authority set NODE_EXTRA_CA_CERTS.',
  },
  garbled: { kind: 'corrupt', fix: 'Check that the address is that of an OCI registry.' },
  too_large: {
    kind: 'exhausted',
    fix: 'Use a smaller packet, or raise --max-packet-bytes if that is the limit.',
  },
  rejected: { kind: 'conflict', fix: 'Correct what the registry rejected and publish again.' },
})

const MEANINGS: Readonly<Record<number, FaultMaker>> = {
  400: registryFaults.rejected,
  401: registryFaults.denied,
  403: registryFaults.denied,
  404: registryFaults.missing,
  405: registryFaults.rejected,
  413: registryFaults.rejected,
}

const MAX_TEXT = 2048

/** The registry's error code. Only capital letters pass, so that no foreign text gets into the message. */
const readCode = async (answer: HttpResponse): Promise<string> => {
  const bytes = await answer.head(MAX_TEXT)
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    const first: unknown = isRecord(parsed) && Array.isArray(parsed.errors) ? parsed.errors[0] : undefined
    const code = isRecord(first) ? first.code : undefined
    return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ''
  } catch {
    return ''
  }
}

/** The fault for an unexpected status. */
export const statusFault = async (
  at: RegistryRepository,
  answer: HttpResponse,
  what: string,
): Promise<Fault> => {
  const make = MEANINGS[answer.status] ?? registryFaults.garbled
  const code = await readCode(answer)
  return make(`${at.host}/${at.repository} answered ${answer.status}${code} to the request for ${what}`)
}

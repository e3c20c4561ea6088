import { isRecord } from '../../kernel/encoding/json.ts'
import type { Fault, FaultMaker } from '../../kernel/fault.ts'
import type { RegistryRepository } from '../../packets/registry.ts'
import { registryFaults } from './faults.ts'
import type { HttpResponse } from './transport.ts'

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

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

/** The registry's own code, when it is one: only capitals pass, so that no text of a stranger gets into ours. */
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

/** What an answer means that is not the one hoped for. */
export const statusFault = async (
  at: RegistryRepository,
  answer: HttpResponse,
  what: string,
): Promise<Fault> => {
  const make = MEANINGS[answer.status] ?? registryFaults.garbled
  const code = await readCode(answer)
  return make(`${at.host}/${at.repository} answers ${answer.status}${code} when asked for ${what}`)
}

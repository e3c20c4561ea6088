import type { Call } from '../kernel/call.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { defineFaults, type Fault, viewFault } from '../kernel/fault.ts'
import type { Prompt } from '../kernel/prompt.ts'
import { isTemplate, matchTemplate, type Resource, type Variables } from '../kernel/resource.ts'
import { FAULT_META } from './dialect.ts'
import type { Params, RpcError } from './message.ts'
import { type Service, WireError } from './service.ts'

export const resourceFaults = defineFaults('reading', {
  arguments: { kind: 'invalid', fix: 'Send the arguments that prompts/list names.' },
})

const MAX_VALUES = 100

const text = (params: Params, key: string): string | undefined =>
  typeof params[key] === 'string' ? params[key] : undefined

/** Handlers for resources and prompts, the same for every era and transport. */
export const resourceHandlers = ({ parts }: Service, era: 'legacy' | 'modern') => {
  const { catalog, dialect } = parts
  const invalid = (detail: string) => new WireError(dialect.frame('params', detail))
  const missing = (uri: string) => new WireError(dialect.absent('Resource', { uri: uri.slice(0, 1024) }))

  const findResource = (uri: string): [Resource, Variables] | undefined => {
    const exact = catalog.resources.find((resource) => resource.uri === uri)
    if (exact !== undefined && !isTemplate(exact)) return [exact, {}]
    for (const resource of catalog.resources.filter(isTemplate)) {
      const variables = matchTemplate(resource.uri, uri)
      if (variables !== undefined) return [resource, variables]
    }
    return undefined
  }

  const resolve = (params: Params): [string, Resource, Variables] => {
    const uri = text(params, 'uri')
    if (uri === undefined) throw invalid('uri must be a string')
    const found = findResource(uri)
    if (found === undefined) throw missing(uri)
    return [uri, ...found]
  }

  const findPrompt = (name: unknown): Prompt => {
    if (typeof name !== 'string') throw invalid('name must be a string')
    const prompt = catalog.prompts.find((one) => one.name === name)
    if (prompt === undefined) throw new WireError(dialect.absent('Prompt', { name: name.slice(0, 128) }))
    return prompt
  }

  return {
    /** A fault as a JSON-RPC error, for methods without a tool result. */
    refuse: (fault: Fault): RpcError => ({
      code: fault.kind === 'invalid' || fault.kind === 'missing' ? -32602 : -32603,
      message: fault.message,
      data: { [FAULT_META]: viewFault(fault) },
    }),

    /** The URI, when there is such a resource. */
    known: (params: Params): string => resolve(params)[0],

    async resource(params: Params, call: Call): Promise<object> {
      const [uri, resource, variables] = resolve(params)
      const body = await resource.read(variables, call)
      const { mimeType } = resource
      const content =
        typeof body === 'string'
          ? { uri, mimeType, text: body }
          : { uri, mimeType, blob: Buffer.from(body).toString('base64') }
      return { contents: [content], ...(era === 'modern' && { ttlMs: resource.ttlMs, cacheScope: 'public' }) }
    },

    async prompt(params: Params, call: Call): Promise<object> {
      const prompt = findPrompt(params.name)
      const parsed = prompt.args.safeParse(params.arguments ?? {})
      if (!parsed.success) {
        const texts = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
        throw resourceFaults.arguments(`${prompt.name}: ${texts.join('; ').slice(0, 512)}`)
      }
      const messages = await prompt.get(parsed.data, call)
      return { description: prompt.description, messages }
    },

    completion(params: Params): object {
      const { ref, argument } = params
      if (!isRecord(ref) || !isRecord(argument)) throw invalid('ref and argument must be objects')
      const name = text(argument, 'name')
      const prefix = text(argument, 'value')
      if (name === undefined || prefix === undefined) throw invalid('argument needs a name and a value')
      const owner =
        ref.type === 'ref/prompt'
          ? findPrompt(ref.name)
          : catalog.resources.find((resource) => resource.uri === ref.uri)
      if (owner === undefined) throw invalid('unknown reference')
      const values = owner.complete?.(name, prefix) ?? []
      return {
        completion: {
          values: values.slice(0, MAX_VALUES),
          total: values.length,
          hasMore: values.length > MAX_VALUES,
        },
      }
    },
  }
}

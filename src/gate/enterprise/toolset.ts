import * as z from 'zod'
import { GATE_STAGES, type GateStage } from '../../evidence/stage.ts'
import { defineResource, type Resource } from '../../kernel/resource.ts'
import { type CallContext, defineTool, type Tool } from '../../kernel/tool.ts'
import { RESOURCES, TOOLS, type ToolName } from './catalog.ts'
import type { EnterpriseReader } from './enterprise.ts'
import type { Envelope } from './tools.ts'

/** What the tools and resources call; opened at the first call. */
export interface EnterpriseService {
  readonly reader: () => Promise<EnterpriseReader>
  /** `attach` gets the receipt of a verdict; the answer does not name it. */
  readonly run: (
    tool: ToolName,
    stage: GateStage,
    signal: AbortSignal,
    attach?: CallContext['attach'],
  ) => Promise<Envelope>
}

const stage = z.enum(GATE_STAGES).default('PRE_COMMIT').describe('Stage of the change.')
const Staged = z.strictObject({ stage })
const Planned = z.strictObject({
  stage,
  dryRun: z.boolean().optional().describe('Ignored: always a dry run.'),
})

const Answer = z.object({
  tool: z.string(),
  dryRun: z.boolean(),
  executed: z.boolean(),
  success: z.boolean().describe('False when refused or failed; result says why.'),
  warnings: z.array(z.string()),
  result: z.looseObject({}),
})

/** The answer without the path of the repository on this machine. */
const hideRoot = (result: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(result), (key, value) => (key === 'repoRoot' ? '.' : value))

/** Every tool but `ai_gate_check`, which the gate's own toolset has. All of them only read. */
export const enterpriseTools = ({ run }: Pick<EnterpriseService, 'run'>): readonly Tool[] =>
  TOOLS.filter(({ name }) => name !== 'ai_gate_check').map(({ name, title, description, mutating }) =>
    defineTool({
      name,
      title,
      description,
      effect: 'read',
      input: mutating ? Planned : Staged,
      output: Answer,
      run: async ({ stage: at }, { signal }) => {
        const { warnings, result, ...rest } = await run(name, at, signal)
        return { ...rest, warnings: [...warnings], result: hideRoot(result) }
      },
    }),
  )

/** Every resource but `evidence://status`, which the evidence toolset has. */
export const enterpriseResources = ({ reader }: Pick<EnterpriseService, 'reader'>): readonly Resource[] =>
  RESOURCES.filter(({ uri }) => uri !== 'evidence://status').map(({ uri, title, description }) =>
    defineResource({
      uri,
      name: uri.replace('://', '-'),
      title,
      description,
      mimeType: 'application/json',
      read: async (_, { signal }) => JSON.stringify(await (await reader()).resource(uri, signal)),
    }),
  )

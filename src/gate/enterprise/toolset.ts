import * as z from 'zod'
import { defineResource, type Resource } from '../../kernel/resource.ts'
import { defineTool, type Tool } from '../../kernel/tool.ts'
import { GATE_STAGES, type GateStage } from '../stage.ts'
import { RESOURCES, type ResourceUri, type ToolName } from './catalog.ts'
import type { EnterpriseReader } from './enterprise.ts'
import type { Envelope } from './tools.ts'

/** What the tools and resources ask, opened when one of them first does. */
export interface EnterpriseService {
  readonly reader: () => Promise<EnterpriseReader>
  readonly run: (tool: ToolName, stage: GateStage, signal: AbortSignal) => Promise<Envelope>
}

const stage = z.enum(GATE_STAGES).default('PRE_COMMIT').describe('How far the change has come.')
const Staged = z.strictObject({ stage })
const Planned = z.strictObject({
  stage,
  dryRun: z.boolean().optional().describe('Accepted for compatibility: it is always a dry run.'),
})

const Answer = z.object({
  tool: z.string(),
  dryRun: z.boolean(),
  executed: z.boolean(),
  success: z.boolean().describe('False: refused, or it went wrong; result says why.'),
  warnings: z.array(z.string()),
  result: z.looseObject({}),
})

const GUARD = 'Refused while the specification does not let the stage pass.'

const TOOLS = [
  {
    name: 'check_sdd_status',
    title: 'Check the specification',
    description:
      'Tells whether OpenSpec and the open session let a stage pass, with a stable code when they do not. Call it before writing code for a change.',
    input: Staged,
  },
  {
    name: 'validate_and_fix',
    title: 'Validate the open change',
    description: `Runs the validator of OpenSpec on the changes and suggests what to do next. Repairs nothing itself. ${GUARD}`,
    input: Planned,
  },
  {
    name: 'sync_branches',
    title: 'Plan a branch sync',
    description: `Lists the git commands that would bring the branch level with its upstream. Runs none of them. ${GUARD}`,
    input: Planned,
  },
  {
    name: 'cleanup_stale_branches',
    title: 'Plan a branch cleanup',
    description: `Lists local branches that are merged and the commands that would delete them. Deletes none. ${GUARD}`,
    input: Planned,
  },
] as const

/** The tools beside the gate's own. None of them changes anything, so all of them only read. */
export const enterpriseTools = ({ run }: Pick<EnterpriseService, 'run'>): readonly Tool[] =>
  TOOLS.map(({ name, title, description, input }) =>
    defineTool({
      name,
      title,
      description,
      effect: 'read',
      input,
      output: Answer,
      run: async ({ stage: at }, { signal }) => {
        const { warnings, result, ...rest } = await run(name, at, signal)
        return { ...rest, warnings: [...warnings], result: { ...result } }
      },
    }),
  )

const TITLES: Readonly<Partial<Record<ResourceUri, string>>> = {
  'gitflow://state': 'Branch and upstream',
  'context://active': 'The repository at a glance',
  'sdd://status': 'Specification status',
  'sdd://active-change': 'The active change',
}

/** Every resource but the evidence's, which the evidence itself offers. */
export const enterpriseResources = ({ reader }: Pick<EnterpriseService, 'reader'>): readonly Resource[] =>
  RESOURCES.flatMap(({ uri, description }) => {
    const title = TITLES[uri]
    if (title === undefined) return []
    const read: Resource['read'] = async (_, { signal }) =>
      JSON.stringify(await (await reader()).resource(uri, signal))
    const name = uri.replace('://', '-')
    return [defineResource({ uri, name, title, description, mimeType: 'application/json', read })]
  })

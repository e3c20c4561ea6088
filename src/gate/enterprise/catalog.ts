/** The resources of the enterprise server, in the order it lists them. */
export const RESOURCES = [
  {
    uri: 'evidence://status',
    title: 'Evidence status',
    description: 'Whether there is a valid evidence file, and its counts of findings.',
  },
  {
    uri: 'gitflow://state',
    title: 'Branch and upstream',
    description: 'Branch, upstream, commits ahead and behind, and uncommitted changes.',
  },
  {
    uri: 'context://active',
    title: 'Repository overview',
    description: 'Repository, branch, installation and specification in one answer.',
  },
  {
    uri: 'sdd://status',
    title: 'Specification status',
    description: 'Whether OpenSpec is installed, its version, and the open session.',
  },
  {
    uri: 'sdd://active-change',
    title: 'Active change',
    description: 'The change that the open session is about, and the seconds left in the session.',
  },
] as const
export type ResourceUri = (typeof RESOURCES)[number]['uri']

/** `GET /resources`. */
export const RESOURCE_LIST = RESOURCES.map(({ uri, description }) => ({ uri, description }))

const GUARD = 'Refused while check_sdd_status blocks the stage.'

/**
 * The tools of the enterprise server, in the order it lists them. `mutating` is what the interface calls the three
 * that plan changes: the specification must allow the stage before they run. None of them changes anything.
 */
export const TOOLS = [
  {
    name: 'ai_gate_check',
    title: 'May I act?',
    description: 'Returns whether work may go on at a stage, judged by evidence file, branch and policy.',
    mutating: false,
  },
  {
    name: 'check_sdd_status',
    title: 'Check the specification',
    description:
      'Returns whether OpenSpec and the open session allow a stage, with a stable code when they do not. Call it before you write code for a change.',
    mutating: false,
  },
  {
    name: 'validate_and_fix',
    title: 'Validate the open change',
    description: `Runs the OpenSpec validator on the changes and returns what to do next. Repairs nothing. ${GUARD}`,
    mutating: true,
  },
  {
    name: 'sync_branches',
    title: 'Plan a branch sync',
    description: `Returns the git commands that would bring the branch level with its upstream. Runs none of them. ${GUARD}`,
    mutating: true,
  },
  {
    name: 'cleanup_stale_branches',
    title: 'Plan a branch cleanup',
    description: `Returns the merged local branches and the commands that would delete them. Deletes none. ${GUARD}`,
    mutating: true,
  },
] as const
export type ToolName = (typeof TOOLS)[number]['name']

/** `GET /tools`. */
export const TOOL_LIST = TOOLS.map(({ name, description, mutating }) => ({
  name,
  description,
  mutating,
  safeByDefault: true,
}))

export const findTool = (name: unknown): ToolName | undefined =>
  TOOLS.find((tool) => tool.name === name)?.name

export const findResource = (uri: unknown): ResourceUri | undefined =>
  RESOURCES.find((resource) => resource.uri === uri)?.uri

/** What the enterprise server can be asked for, in the order it lists it. */
export const RESOURCES = [
  { uri: 'evidence://status', description: 'Whether there is valid evidence, and what it says in numbers.' },
  { uri: 'gitflow://state', description: 'Branch, upstream, distance to it, and uncommitted changes.' },
  { uri: 'context://active', description: 'Repository, branch, installation and specification at a glance.' },
  { uri: 'sdd://status', description: 'OpenSpec, its version, and the session that is open.' },
  { uri: 'sdd://active-change', description: 'The change the open session is about, and how long it lasts.' },
] as const
export type ResourceUri = (typeof RESOURCES)[number]['uri']

/** `mutating` tools are those that would change something if they were let; here none ever does. */
export const TOOLS = [
  {
    name: 'ai_gate_check',
    description: 'Tells whether work may go on at a stage, by evidence, branch and policy.',
    mutating: false,
    safeByDefault: true,
  },
  {
    name: 'check_sdd_status',
    description: 'Tells whether the specification lets a stage pass, and why not.',
    mutating: false,
    safeByDefault: true,
  },
  {
    name: 'validate_and_fix',
    description: 'Validates the open change and says what to do next. Changes nothing.',
    mutating: true,
    safeByDefault: true,
  },
  {
    name: 'sync_branches',
    description: 'Plans how to bring the branch level with its upstream. Changes nothing.',
    mutating: true,
    safeByDefault: true,
  },
  {
    name: 'cleanup_stale_branches',
    description: 'Lists merged branches and the commands that would delete them. Changes nothing.',
    mutating: true,
    safeByDefault: true,
  },
] as const
export type ToolName = (typeof TOOLS)[number]['name']

export const findTool = (name: unknown): ToolName | undefined =>
  TOOLS.find((tool) => tool.name === name)?.name

export const findResource = (uri: unknown): ResourceUri | undefined =>
  RESOURCES.find((resource) => resource.uri === uri)?.uri

import { readYaml } from '../../kernel/text/safe-yaml.ts'

/** More than any policy or provider file needs. Aliases are not needed at all. */
const LIMITS = { aliases: 0, depth: 64, nodes: 50_000 }

/** YAML of a settings file. The parser is loaded at the first use. */
export const parseYaml = async (text: string): Promise<unknown> =>
  readYaml(await import('yaml'), text, LIMITS)

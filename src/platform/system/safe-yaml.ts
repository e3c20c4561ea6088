/** YAML as data: without aliases, by which a few bytes become many, and without a word on stderr. */
export const parseYaml = async (text: string): Promise<unknown> => {
  const { parse } = await import('yaml')
  return parse(text, { maxAliasCount: 0, logLevel: 'error' })
}

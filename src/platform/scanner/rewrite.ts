import type { RewriteMatch } from '../../gate/findings/edits.ts'
import { isBuiltIn, parseText, type SgNode } from '../syntax/ast-grep.ts'

/** In-process parsing cannot be interrupted: longer or deeper code gets no edit. */
const MAX_CHARS = 16_384
const MAX_BRACKETS = 2_000

/** `$$$NAME` for several nodes, `$NAME` for one. */
const VARIABLE = /(\$\$\$|\$)([A-Z][A-Z0-9_]*)/g

/** The text from the first to the last node of a variable for several nodes. */
const textOfMany = (node: SgNode, name: string, text: string): string => {
  const nodes = node.getMultipleMatches(name)
  const [first, last] = [nodes[0], nodes.at(-1)]
  if (first === undefined || last === undefined) return ''
  return text.slice(first.range().start.index, last.range().end.index)
}

/** Fills the template of a rule. Undefined when the matched text alone does not match the rule, or a value is missing. */
export const rewriteMatch: RewriteMatch = async ({ grammar, text, matcher, template }) => {
  const brackets = text.match(/[([{<`]/g)?.length ?? 0
  if (!isBuiltIn(grammar) || text.length > MAX_CHARS || brackets > MAX_BRACKETS) return undefined
  const found = parseText(grammar, text)
    .findAll(matcher)
    .find((node) => node.range().start.index === 0 && node.range().end.index === text.length)
  if (found === undefined) return undefined
  const isMissing = ([, sign, name = '']: RegExpMatchArray) => sign === '$' && found.getMatch(name) === null
  if ([...template.matchAll(VARIABLE)].some(isMissing)) return undefined
  return template.replace(VARIABLE, (_, sign: string, name: string) =>
    sign === '$' ? (found.getMatch(name)?.text() ?? '') : textOfMany(found, name, text),
  )
}

import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'

/** CI servers run commands that they find in a log: `##vso[` anywhere in a line, `::` at its start. */
export const escapeCommands = (text: string): string =>
  escapeLineBreaks(text).replace(/##(?=(?:vso|teamcity)?\[)/gi, '#\\u0023')
export const escapeLine = (text: string): string => escapeCommands(text).replace(/^( *):(?=:)/, '$1\\u003a')

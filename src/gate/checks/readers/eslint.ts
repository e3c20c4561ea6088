import { isRecord } from '../../../kernel/encoding/json.ts'
import { type CheckReader, type CheckResult, CheckUnreadable, type ReaderInput } from './reader.ts'
import { cleanRule, cleanText, MAX_MESSAGE, placePath, ResultCollector, resultOf } from './results.ts'
import { type JsonRecord, listAt, member, splitJson, textAt } from './split-json.ts'

const levelOf = (problem: JsonRecord): string => {
  if (member(problem, 'fatal') === true) return 'fatal'
  return member(problem, 'severity') === 1 ? 'warning' : 'error'
}

const readResult = (problem: JsonRecord, path: string, input: ReaderInput): CheckResult => {
  const message = cleanText(textAt(problem, 'message') ?? '', MAX_MESSAGE) || 'The tool gives no message.'
  return resultOf({
    rule: cleanRule(textAt(problem, 'ruleId') ?? '', problem.fatal === true ? 'parse-error' : 'no-rule'),
    level: levelOf(problem),
    message,
    place: placePath(path, input),
    region: [problem.line, problem.column, problem.endLine, problem.endColumn],
  })
}

const notEslint = (): CheckUnreadable =>
  new CheckUnreadable('the output is not the JSON of ESLint: a list of files with filePath and messages')

/** The output of `eslint --format json` or `json-with-metadata`, one file at a time: it holds the text of each file. */
export const readEslint: CheckReader = (input) => {
  const plain = splitJson(input.bytes, [])
  const { lists } = plain.lists.length > 0 ? plain : splitJson(input.bytes, ['results'])
  if (lists.length === 0) throw notEslint()
  const collector = new ResultCollector(input.limits)
  let suppressed = 0
  for (const { elements } of lists)
    for (const file of elements) {
      const path = textAt(file, 'filePath')
      if (path === undefined || !Array.isArray(member(file, 'messages'))) throw notEslint()
      suppressed += listAt(file, 'suppressedMessages').length
      for (const problem of listAt(file, 'messages')) {
        if (!isRecord(problem)) throw notEslint()
        collector.add(levelOf(problem), () => readResult(problem, path, input))
      }
    }
  return { tool: { name: 'eslint' }, ...collector.finish(), ...(suppressed > 0 && { suppressed }) }
}

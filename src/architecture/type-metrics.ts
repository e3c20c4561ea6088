import type { TypeLocation } from './source/source-index.ts'
import { bodiesOf, findAnnotation, type Method } from './source/source-unit.ts'
import { type Measured, measuredAt, type SuggestionSeverity } from './suggestion.ts'

const LONG_METHOD = 50
const LONG_CLASS = 300
const HUGE_CLASS = 800
const MANY_PARAMETERS = 7

type Rule = (place: TypeLocation) => readonly Measured[]

const FRAMEWORK =
  /^(org\.springframework|jakarta\.(persistence|ws|ejb)|javax\.(persistence|ws|ejb)|org\.hibernate)\b/

/** A rule over each constructor and method. `find` returns the lines to report; their value is 1. */
const lineRule =
  (rule: string, severity: SuggestionSeverity, find: (method: Method) => readonly number[]): Rule =>
  (place) =>
    bodiesOf(place.type).flatMap((method) =>
      find(method).map((line) =>
        measuredAt(place, { rule, severity, value: 1, line, subject: `${place.type.name}.${method.name}` }),
      ),
    )

/** Rules that need one type only. */
export const TYPE_RULES: readonly Rule[] = [
  (place) => {
    const { lines } = place.type
    const severity = lines > HUGE_CLASS ? 'high' : 'medium'
    return lines > LONG_CLASS ? [measuredAt(place, { rule: 'long_class', severity, value: lines })] : []
  },
  (place) =>
    bodiesOf(place.type)
      .filter(({ lines }) => lines > LONG_METHOD)
      .map(({ name, line, lines }) => {
        const subject = `${place.type.name}.${name}`
        return measuredAt(place, { rule: 'long_method', severity: 'medium', value: lines, line, subject })
      }),
  (place) =>
    place.type.constructors
      .filter(({ parameters }) => parameters.length > MANY_PARAMETERS && place.type.kind !== 'record')
      .map(({ line, parameters }) =>
        measuredAt(place, { rule: 'many_parameters', severity: 'medium', value: parameters.length, line }),
      ),
  (place) => {
    const fields = place.type.fields.filter(
      ({ annotations }) => findAnnotation(annotations, 'Autowired', 'Inject') !== undefined,
    )
    const [first] = fields
    if (first === undefined || place.unit.language === 'script') return []
    const { line } = first
    return [measuredAt(place, { rule: 'field_injection', severity: 'low', value: fields.length, line })]
  },
  lineRule('silent_catch', 'high', ({ silentCatches }) => silentCatches),
  lineRule('print_stack', 'low', ({ calls }) =>
    calls.filter(({ name }) => name === 'printStackTrace').map(({ line }) => line),
  ),
  lineRule('raw_thread', 'medium', ({ calls }) =>
    calls.filter(({ makes, name }) => makes && name === 'Thread').map(({ line }) => line),
  ),
  (place) => {
    const { package: name, imports, types } = place.unit
    const foreign = imports.filter((one) => FRAMEWORK.test(one) || /\.infrastructure\./.test(one))
    const inDomain = /(^|\.)domain(\.|$)/.test(name) && types[0] === place.type
    return inDomain && foreign.length > 0
      ? [measuredAt(place, { rule: 'domain_framework', severity: 'high', value: foreign.length })]
      : []
  },
]

import type { TypeLocation } from '../source/source-index.ts'
import { bodiesOf, findAnnotation, type Method } from '../source/source-unit.ts'
import { type Measured, measuredAt } from './suggestion.ts'

const LONG_METHOD = 50
const LONG_CLASS = 300
const HUGE_CLASS = 800
const MANY_PARAMETERS = 7

type Rule = (place: TypeLocation) => readonly Measured[]

const ofMethods = (place: TypeLocation, find: (method: Method) => readonly Measured[]): readonly Measured[] =>
  bodiesOf(place.type).flatMap(find)

const FRAMEWORK =
  /^(org\.springframework|jakarta\.(persistence|ws|ejb)|javax\.(persistence|ws|ejb)|org\.hibernate)\b/

/** What can be said of one type alone. */
export const TYPE_RULES: readonly Rule[] = [
  (place) => {
    const { lines } = place.type
    return lines > LONG_CLASS
      ? [
          measuredAt(place, {
            rule: 'long_class',
            severity: lines > HUGE_CLASS ? 'high' : 'medium',
            value: lines,
          }),
        ]
      : []
  },
  (place) =>
    ofMethods(place, ({ name, line, lines }) =>
      lines > LONG_METHOD
        ? [
            measuredAt(place, {
              rule: 'long_method',
              severity: 'medium',
              value: lines,
              line,
              subject: `${place.type.name}.${name}`,
            }),
          ]
        : [],
    ),
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
    return first === undefined || place.unit.language === 'script'
      ? []
      : [
          measuredAt(place, {
            rule: 'field_injection',
            severity: 'low',
            value: fields.length,
            line: first.line,
          }),
        ]
  },
  (place) =>
    ofMethods(place, ({ name, silentCatches }) =>
      silentCatches.map((line) =>
        measuredAt(place, {
          rule: 'silent_catch',
          severity: 'high',
          value: 1,
          line,
          subject: `${place.type.name}.${name}`,
        }),
      ),
    ),
  (place) =>
    ofMethods(place, ({ name, calls }) =>
      calls
        .filter((call) => call.name === 'printStackTrace')
        .map((call) =>
          measuredAt(place, {
            rule: 'print_stack',
            severity: 'low',
            value: 1,
            line: call.line,
            subject: `${place.type.name}.${name}`,
          }),
        ),
    ),
  (place) =>
    ofMethods(place, ({ name, calls }) =>
      calls
        .filter((call) => call.makes && call.name === 'Thread')
        .map((call) =>
          measuredAt(place, {
            rule: 'raw_thread',
            severity: 'medium',
            value: 1,
            line: call.line,
            subject: `${place.type.name}.${name}`,
          }),
        ),
    ),
  (place) => {
    const inDomain = /(^|\.)domain(\.|$)/.test(place.unit.package)
    const foreign = place.unit.imports.filter(
      (name) => FRAMEWORK.test(name) || /\.infrastructure\./.test(name),
    )
    const first = place.unit.types[0] === place.type
    return inDomain && first && foreign.length > 0
      ? [measuredAt(place, { rule: 'domain_framework', severity: 'high', value: foreign.length })]
      : []
  },
]

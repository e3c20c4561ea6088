import type { TypeLocation } from '../source/source-index.ts'
import { bodiesOf, findAnnotation, type Method } from '../source/source-unit.ts'
import { measuredAt as at, type Measured } from './suggestion.ts'

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
    return lines > LONG_CLASS ? [at(place, 'long_class', lines > HUGE_CLASS ? 'high' : 'medium', lines)] : []
  },
  (place) =>
    ofMethods(place, ({ name, line, lines }) =>
      lines > LONG_METHOD
        ? [at(place, 'long_method', 'medium', lines, line, `${place.type.name}.${name}`)]
        : [],
    ),
  (place) =>
    place.type.constructors
      .filter(({ parameters }) => parameters.length > MANY_PARAMETERS && place.type.kind !== 'record')
      .map(({ line, parameters }) => at(place, 'many_parameters', 'medium', parameters.length, line)),
  (place) => {
    const fields = place.type.fields.filter(
      ({ annotations }) => findAnnotation(annotations, 'Autowired', 'Inject') !== undefined,
    )
    const [first] = fields
    return first === undefined || place.unit.language === 'script'
      ? []
      : [at(place, 'field_injection', 'low', fields.length, first.line)]
  },
  (place) =>
    ofMethods(place, ({ name, silentCatches }) =>
      silentCatches.map((line) => at(place, 'silent_catch', 'high', 1, line, `${place.type.name}.${name}`)),
    ),
  (place) =>
    ofMethods(place, ({ name, calls }) =>
      calls
        .filter((call) => call.name === 'printStackTrace')
        .map((call) => at(place, 'print_stack', 'low', 1, call.line, `${place.type.name}.${name}`)),
    ),
  (place) =>
    ofMethods(place, ({ name, calls }) =>
      calls
        .filter((call) => call.makes && call.name === 'Thread')
        .map((call) => at(place, 'raw_thread', 'medium', 1, call.line, `${place.type.name}.${name}`)),
    ),
  (place) => {
    const inDomain = /(^|\.)domain(\.|$)/.test(place.unit.package)
    const foreign = place.unit.imports.filter(
      (name) => FRAMEWORK.test(name) || /\.infrastructure\./.test(name),
    )
    const first = place.unit.types[0] === place.type
    return inDomain && first && foreign.length > 0
      ? [at(place, 'domain_framework', 'high', foreign.length)]
      : []
  },
]

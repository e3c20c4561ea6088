import { optional } from '../../kernel/optional.ts'
import type { Configuration } from './configuration.ts'
import {
  type CallExpression,
  type Expression,
  findAnnotation,
  NO_METHOD,
  recordEntry,
  type Variable,
} from './source-unit.ts'
import type { TypeScope } from './type-scope.ts'

/** Templates of Helm, read as YAML: their actions are taken out, never run. */

const ACTION = /\{\{-?([^{}]{0,2000}?)-?\}\}/g

/** Actions that print nothing, or several lines. */
const CONTROL = /^\s*(if|else|end|with|range|define|\$\w+\s*:?=)|\b(toYaml|nindent|tpl)\b/

export const isTemplatePath = (path: string): boolean => /(^|\/)templates\/.*\.ya?ml$/.test(path)

const CHART_NAME = `\${.Chart.Name}`
const UNKNOWN = `\${.}`

/** What stays of an action inside of a line: the value it prints, where that is a name. */
const placeholder = (action: string): string => {
  const [, value] = /\.Values\.([\w.-]+)/.exec(action) ?? []
  if (/\b(include|template)\s+"[\w.-]*name"|\.(Chart|Release)\.Name/.test(action)) return CHART_NAME
  const [, fallback] = /\|\s*default\s+"([^"]*)"/.exec(action) ?? []
  return value === undefined ? (fallback ?? UNKNOWN) : `\${.Values.${value}}`
}

/** A template as YAML with the same lines. Both branches of a condition stay. */
export const plainTemplate = (text: string): string =>
  text
    .replace(/\{\{-?\s*\/\*[\s\S]{0,2000}?\*\/\s*-?\}\}/g, (remark) => remark.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line) => {
      if (!line.includes('{{')) return line
      if (line.replace(ACTION, '').trim() === '') return ''
      return line.replace(ACTION, (_, action: string) => (CONTROL.test(action) ? '' : placeholder(action)))
    })
    .join('\n')

export type TextConfidence = 'high' | 'medium' | 'low'

/** The value of a text expression, as far as static analysis can know it. */
export interface KnownText {
  readonly text: string
  readonly confidence: TextConfidence
  /** The text before placeholders were filled in. */
  readonly origin?: string
}

export const NO_TEXT: KnownText = { text: '', confidence: 'high' }

const MAX_DEPTH = 24
const MAX_STEPS = 2_000
/** A list may contain itself. */
const MAX_LIST_DEPTH = 3

/** Calls whose result is the text of their first argument; not in Python, where `settings.get("host")` is a value. */
const RETURNS_ARGUMENT = /^(create|URI|URL|fromHttpUrl|fromUriString|fromPath|valueOf|of|get|URLEncoder)$/
/** Calls whose result is the text of their receiver. */
const RETURNS_RECEIVER =
  /^(build|toUriString|toUri|toString|toURL|encode|trim|strip|intern|buildAndExpand|expand|queryParam|queryParams|toURI|toHttpUrl|trimEnd|trimIndent)$/
/** Calls that append their arguments to their receiver. */
const APPENDS = /^(path|pathSegment|concat|plus)$/

/** `#{'${topics}'.split(',')}` gives one text for each item of the setting. */
const SPLIT_EXPRESSION = /^#\{\s*'?(\$\{[^}]*\})'?.*\}$/s

/** A placeholder whose default has a part that is not known. */
const UNKNOWN_DEFAULT = /\$\{(\w+):[^{}]*\{[^{}]*\}[^{}]*\}/g

/** Whether a text has no part that is known only at run time. */
export const isFixed = (text: string): boolean => text !== '' && !/[{}$]/.test(text)

const CONFIDENCES: readonly TextConfidence[] = ['high', 'medium', 'low']

/** The lower of two confidences. */
export const weaker = (a: TextConfidence, b: TextConfidence): TextConfidence =>
  CONFIDENCES.indexOf(a) > CONFIDENCES.indexOf(b) ? a : b

export class TextResolver {
  readonly configuration: Configuration
  /** Parts of the current text that are known only at run time. */
  #holes = 0
  #steps = 0

  constructor(configuration: Configuration) {
    this.configuration = configuration
  }

  /** All texts of an expression: one, or one for each item of a list. */
  texts(expression: Expression | undefined, scope: TypeScope, depth = 0): readonly KnownText[] {
    if (expression === undefined || depth > MAX_LIST_DEPTH) return []
    const list = expression.kind === 'list' ? expression.items : this.#listed(expression, scope)
    if (list !== undefined) return list.flatMap((item) => this.texts(item, scope, depth + 1))
    this.#holes = 0
    this.#steps = 0
    const raw = this.#raw(expression, scope, 0)
    const spread = SPLIT_EXPRESSION.exec(raw)?.[1]
    if (spread === undefined) return [this.#known(raw, scope)]
    const { text, complete } = this.configuration.fill(spread, scope.unit.file)
    return complete
      ? text.split(',').map((one) => ({ text: one.trim(), confidence: 'medium', origin: raw }))
      : [{ text: raw, confidence: 'low' }]
  }

  text(expression: Expression | undefined, scope: TypeScope): KnownText | undefined {
    return this.texts(expression, scope)[0]
  }

  /** The items, when the name refers to a constant list. */
  #listed(expression: Expression, scope: TypeScope): readonly Expression[] | undefined {
    if (expression.kind !== 'name') return undefined
    const { name } = expression
    const dot = name.lastIndexOf('.')
    const place = dot < 0 ? undefined : scope.index.find(name.slice(0, dot), scope.unit)
    const member = place === undefined ? undefined : scope.index.field(place, name.slice(dot + 1))?.variable
    const values = [...scope.variables(name), ...(member === undefined ? [] : [member])].map(
      ({ value }) => value,
    )
    const list = values.find((value) => value?.kind === 'list')
    return list?.kind === 'list' ? list.items : undefined
  }

  #known(raw: string, scope: TypeScope): KnownText {
    const filled = this.configuration.fill(raw, scope.unit.file)
    const { origin, complete } = filled
    // A default that is known only at run time says nothing: `${URL:http://localhost:{port}}` is `${URL}`.
    const text = complete ? filled.text : filled.text.replace(UNKNOWN_DEFAULT, '$${$1}')
    const unsure = !complete || (this.#holes > 0 && text.startsWith('{'))
    const confidence = unsure ? 'low' : origin !== undefined || this.#holes > 0 ? 'medium' : 'high'
    return { text, confidence, ...optional({ origin }) }
  }

  #unknown(name: string): string {
    this.#holes += 1
    return `{${name}}`
  }

  #raw(expression: Expression, scope: TypeScope, depth: number): string {
    this.#steps += 1
    // Constants may be made of one another: neither circles nor doublings may take for ever.
    if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) return this.#unknown('')
    switch (expression.kind) {
      case 'text':
        return expression.text
      case 'join':
        return expression.parts.map((part) => this.#raw(part, scope, depth + 1)).join('')
      case 'name':
        return this.#named(expression.name, scope, depth)
      case 'call':
        return this.#called(expression.call, scope, depth)
      default:
        return this.#unknown('')
    }
  }

  #named(name: string, scope: TypeScope, depth: number): string {
    if (depth > MAX_DEPTH) return this.#unknown(name)
    const dot = name.lastIndexOf('.')
    if (dot >= 0) return this.#member(name.slice(0, dot), name.slice(dot + 1), scope, depth)
    for (const variable of scope.variables(name)) {
      const found = this.#variable(variable, name, scope, depth)
      if (found !== undefined) return found
    }
    const elsewhere = this.#imported(name, scope)
    if (elsewhere !== undefined) return this.#named(elsewhere.name, elsewhere.scope, depth + 1)
    const imported = scope.unit.imports.find((one) => one.endsWith(`.${name}`))
    if (imported !== undefined) {
      const owner = imported.slice(0, -name.length - 1)
      const found = this.#member(owner.slice(owner.lastIndexOf('.') + 1), name, scope, depth)
      if (!found.startsWith('{')) return found
    }
    for (const type of scope.unit.types) {
      const found = type.fields.find((one) => one.name === name && one.value !== undefined)
      if (found?.value !== undefined)
        return this.#raw(found.value, scope.at(scope.unit, type, NO_METHOD), depth + 1)
    }
    const constant = scope.index.topLevel(name, scope.unit)
    if (constant?.variable.value !== undefined)
      return this.#raw(constant.variable.value, scope.at(constant.unit, undefined, NO_METHOD), depth + 1)
    return this.#unknown(name)
  }

  /** The declaration of an imported name of a script or of Python, and the scope of its file. */
  #imported(
    name: string,
    scope: TypeScope,
  ): { readonly name: string; readonly scope: TypeScope } | undefined {
    if (!scope.unit.bindings.has(name)) return undefined
    const { unit, name: declared } = scope.index.modules.declaration(name, scope.unit)
    return unit === scope.unit
      ? undefined
      : { name: declared, scope: scope.at(unit, undefined, unit.topLevel) }
  }

  #variable(variable: Variable, name: string, scope: TypeScope, depth: number): string | undefined {
    const annotation = findAnnotation(variable.annotations, 'Value')
    if (annotation !== undefined) {
      const value = annotation.args.get('value')
      return value === undefined ? undefined : this.#raw(value, scope, depth + 1)
    }
    const { value } = variable
    if (value === undefined || (value.kind === 'name' && value.name === name)) return undefined
    const found = this.#raw(value, scope, depth + 1)
    return found === '{}' ? undefined : found
  }

  #member(owner: string, member: string, scope: TypeScope, depth: number): string {
    if (depth > MAX_DEPTH) return this.#unknown(member)
    const constant = `BuildConfig.${member}`
    if (/(^|\.)BuildConfig$/.test(owner) && this.configuration.find(constant, scope.unit.file) !== undefined)
      return `\${${constant}}`
    const elsewhere = this.#imported(owner, scope)
    if (elsewhere?.name === '*') return this.#named(member, elsewhere.scope, depth + 1)
    if (elsewhere !== undefined) return this.#member(elsewhere.name, member, elsewhere.scope, depth + 1)
    const record = scope.variables(owner).find(({ value }) => value?.kind === 'record')?.value
    const entry = recordEntry(record, member)
    if (entry !== undefined) return this.#raw(entry, scope, depth + 1)
    const place =
      scope.index.find(owner, scope.unit) ??
      scope.index.find(scope.typeOf({ kind: 'name', name: owner }), scope.unit)
    const field = place === undefined ? undefined : scope.index.field(place, member)
    const value = field?.variable.value
    if (field !== undefined && value !== undefined)
      return this.#raw(value, scope.at(field.place.unit, field.place.type, NO_METHOD), depth + 1)
    return this.#property(owner, member, scope) ?? this.#unknown(member)
  }

  /** `props.getUrl()` of a class bound to `@ConfigurationProperties("billing")` is the setting `billing.url`. */
  #property(owner: string, member: string, scope: TypeScope): string | undefined {
    const place = scope.index.find(scope.typeOf({ kind: 'name', name: owner }), scope.unit)
    const bound = findAnnotation(place?.type.annotations ?? [], 'ConfigurationProperties')
    const prefix = bound?.args.get('prefix') ?? bound?.args.get('value')
    if (prefix?.kind !== 'text') return undefined
    return `\${${prefix.text}.${member.replace(/^get(?=[A-Z])/, '')}}`
  }

  /** Scripts: `this.baseUrl()` is what the method of the class returns. */
  #returned(call: CallExpression, scope: TypeScope, depth: number): string | undefined {
    if (scope.unit.language !== 'script' || scope.type === undefined) return undefined
    if (call.receiver?.kind !== 'name' || call.receiver.name !== 'this') return undefined
    const method = scope.type.methods.find(({ name }) => name === call.name)
    const [value] = method?.returned ?? []
    return method === undefined || value === undefined
      ? undefined
      : this.#raw(value, scope.at(scope.unit, scope.type, method), depth + 1)
  }

  #called(call: CallExpression, scope: TypeScope, depth: number): string {
    const [first] = call.args
    // Only where the result contains it: the type in `URI.create("http://…")` is no part of the text.
    const receiver = () => (call.receiver === undefined ? '' : this.#raw(call.receiver, scope, depth + 1))
    if (/^get(Required)?Property$/.test(call.name) && first?.kind === 'text') return `\${${first.text}}`
    // Scripts: `config.get('DB_HOST')`.
    if (scope.unit.language === 'script' && /^get(OrThrow)?$/.test(call.name) && call.receiver !== undefined)
      return first?.kind === 'text' ? `\${${first.text}}` : this.#unknown(call.name)
    if (call.name === 'format' && first !== undefined && call.receiver?.kind === 'name')
      return this.#raw(first, scope, depth + 1).replace(/%[-\d.]*[a-z]/gi, '{}')
    if (call.name === 'formatted') return receiver().replace(/%[-\d.]*[a-z]/gi, '{}')
    if (RETURNS_RECEIVER.test(call.name)) return receiver()
    if (APPENDS.test(call.name)) {
      const base = receiver()
      const added = call.args.map((one) => this.#raw(one, scope, depth + 1))
      return base + (call.name === 'pathSegment' ? added.map((one) => `/${one}`).join('') : added.join(''))
    }
    const own = this.#returned(call, scope, depth)
    if (own !== undefined) return own
    // Scripts: `new URL(path, base)`.
    if (scope.unit.language === 'script' && call.makes && call.name === 'URL' && call.args.length === 2) {
      const [path = '', base = ''] = call.args.map((one) => this.#raw(one, scope, depth + 1))
      return /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
        ? path
        : `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
    }
    const returns = scope.unit.language !== 'python' && RETURNS_ARGUMENT.test(call.name)
    if (first !== undefined && (returns || (call.makes && /^UR[IL]$/.test(call.name))))
      return this.#raw(first, scope, depth + 1)
    const bound =
      call.receiver?.kind === 'name' ? this.#property(call.receiver.name, call.name, scope) : undefined
    return bound ?? this.#unknown(call.name)
  }
}

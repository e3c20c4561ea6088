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

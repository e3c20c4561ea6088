import { expect, it } from 'vitest'
import { isTemplateValue } from './template-value.ts'

it.each([
  '${DB_PASSWORD}',
  '<your password>',
  '{{ .Values.secret }}',
  'changeme',
  'your-api-key',
  'test',
  'AKIAIOSFODNN7EXAMPLE',
])('%s only says that a value belongs there', (value) => {
  expect(isTemplateValue(value)).toBe(true)
})

it.each(['hunter2', 'geheim', 'k9Zq4TxP'])('%s may be a value', (value) => {
  expect(isTemplateValue(value)).toBe(false)
})

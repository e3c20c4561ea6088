import type { ReportLanguage } from './model.ts'
import { EN, type ReportStrings } from './strings-en.ts'
import { ES } from './strings-es.ts'

export type { ReportStrings }

export const REPORT_STRINGS: Readonly<Record<ReportLanguage, ReportStrings>> = { en: EN, es: ES }

export const RULE_IMPACTS: Readonly<Record<string, readonly (keyof ReportStrings['impacts'])[]>> = {
  long_class: ['readability', 'maintainability'],
  long_method: ['readability', 'testability'],
  many_parameters: ['readability', 'testability'],
  duplicate: ['maintainability'],
  field_injection: ['testability'],
  domain_framework: ['maintainability', 'testability'],
  skips_service: ['maintainability'],
  cycle: ['maintainability', 'testability'],
  silent_catch: ['reliability', 'maintainability'],
  print_stack: ['maintainability'],
  raw_thread: ['reliability', 'maintainability'],
  no_resilience: ['reliability'],
  no_advice: ['maintainability', 'readability'],
  many_values: ['maintainability', 'readability'],
  untested: ['testability'],
  old_java: ['maintainability', 'security'],
  old_boot: ['security', 'maintainability'],
  secret: ['security'],
}

/** Fills in `{…}`. */
export const format = (sentence: string, values: Readonly<Record<string, string | number>>): string =>
  sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  )

/** A kind of secret in the language of the report; names from code are returned unchanged. */
export const placeName = (place: string, strings: ReportStrings): string =>
  Object.hasOwn(strings.places, place) ? (strings.places[place] ?? place) : place

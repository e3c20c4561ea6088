import type { ConfigEntry } from './configuration.ts'

/** Constants that a Gradle script of Android generates: `buildConfigField("String", "API_URL", "\"https://…\"")`. */

const FIELD =
  /buildConfigField[\s(]+(?:type\s*=\s*)?["']String["']\s*,\s*(?:name\s*=\s*)?["'](\w{1,100})["']\s*,\s*(?:value\s*=\s*)?(?:"((?:[^"\\\n]|\\.){0,500})"|'((?:[^'\\\n]|\\.){0,500})')/g

export const readBuildConstants = (file: string, text: string): readonly ConfigEntry[] =>
  [...text.matchAll(FIELD)].flatMap(({ 1: name = '', 2: double, 3: single, index }) => {
    const value = (double ?? single ?? '').replaceAll('\\', '').replace(/^"|"$/g, '')
    // A value that the script computes is known when it runs.
    if (value === '' || /\$|" *\+/.test(value)) return []
    return [{ key: `BuildConfig.${name}`, value, file, line: text.slice(0, index).split('\n').length }]
  })

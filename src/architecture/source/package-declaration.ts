const SKIP = /(?:\s+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|@[\w.:]+(?:\([^()]*\))?|#![^\n]*)/y
const PACKAGE = /package\s+([\p{L}\p{N}_$.`]+)/uy

/** The package of a Java or Kotlin file, read without parsing the file. */
export const packageDeclaration = (text: string): string => {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    SKIP.lastIndex = at
    if (!SKIP.test(text) || SKIP.lastIndex === at) break
    at = SKIP.lastIndex
  }
  PACKAGE.lastIndex = at
  return PACKAGE.exec(text)?.[1]?.replaceAll('`', '') ?? ''
}

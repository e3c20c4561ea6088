/** Quotes text for sh, bash, zsh and fish. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same, without quotes where none are needed: for commands that people read and paste. */
export const quoteShellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : quoteShell(word)

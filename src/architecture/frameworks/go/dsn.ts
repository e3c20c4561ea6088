/** Connection strings of Go's drivers as addresses. */

/** `host=db port=5432 dbname=shop` */
const keywordAddress = (text: string): string | undefined => {
  const value = (key: string): string | undefined =>
    new RegExp(`(?:^|\\s)${key}\\s*=\\s*'?([^\\s']+)`).exec(text)?.[1]
  const host = value('host')
  if (host === undefined) return undefined
  const [port, database] = [value('port'), value('dbname')]
  return `${host}${port === undefined ? '' : `:${port}`}${database === undefined ? '' : `/${database}`}`
}

/** `user:password@tcp(db:3306)/shop?parseTime=true` */
const MYSQL_DSN = /^(?:[^@]*@)?(?:tcp)?\(([^)]+)\)\/([^?]*)/

/**
 * The address that a connection string holds, without user and password; a text that is none comes back as it is.
 * `sqlite:` is the scheme of files.
 */
export const dsnAddress = (scheme: string, text: string): string => {
  if (scheme === 'sqlite')
    return `sqlite:${text.replace(/^(sqlite3?:(\/\/)?|file:)/, '').replace(/\?.*$/, '')}`
  if (text.includes('://') || scheme === '') return text
  const keywords = keywordAddress(text)
  if (keywords !== undefined) return `${scheme}://${keywords}`
  const [, host, database = ''] = MYSQL_DSN.exec(text) ?? []
  if (host !== undefined) return `${scheme}://${host}${database === '' ? '' : `/${database}`}`
  return /^[\w.-]+(:\d+)?$/.test(text) ? `${scheme}://${text}` : text
}

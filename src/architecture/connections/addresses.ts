import { maskText } from '../../kernel/text/secrets.ts'

/** An address without query, fragment and credentials. */
export const plainAddress = (url: string): string => {
  const masked = maskText(url)
  const cut = masked.search(/[?#]/)
  const bare = cut < 0 ? masked : masked.slice(0, cut)
  return bare.replace(/(?<=[^/:])\/+$/, '')
}

/** Scheme, host and port of an address; undefined when the text is not one. */
export const originOf = (url: string): string | undefined => {
  const masked = maskText(url.trim())
  const found = /^((?:[a-z][a-z0-9+.-]{0,30}:){1,4}\/\/)((?:\*\*\*@)?[^/?#\s;,]{1,400})/i.exec(masked)
  return found === null ? undefined : `${found[1]}${found[2]}`
}

/** Hosts of namespaces and schemas: such a URL is an identifier, not a connection. */
const NAMESPACE_HOSTS =
  /^https?:\/\/(?:www\.)?(?:w3\.org|maven\.apache\.org|springframework\.org|java\.sun\.com|xmlns\.jcp\.org|jakarta\.ee|schemas\.\w+\.(?:org|com)|json-schema\.org|json\.schemastore\.org|mybatis\.org|hibernate\.org|logback\.qos\.ch|apache\.org|opensource\.org|example\.(?:com|org|net))(?:[:/]|$)/i

export const isNamespaceUrl = (url: string): boolean => NAMESPACE_HOSTS.test(url)

/** Joins a base address and a path: `http://host/base` and `/x` give `http://host/base/x`. */
export const joinAddress = (base: string, path: string): string => {
  if (base === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return path
  if (path === '') return base
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`
}

/** Joins route paths with single slashes: one at the start, none at the end. */
export const joinRoutes = (...parts: readonly string[]): string => {
  const joined = parts.map((part) => part.replace(/^\/+|\/+$/g, '')).filter((part) => part !== '')
  return `/${joined.join('/')}`
}

/** A JDBC or R2DBC address up to the database name; options are dropped, because they may hold passwords. */
export const databaseOf = (url: string): string => {
  const masked = maskText(url.trim())
  const cut = masked.search(/[?;]/)
  return (cut < 0 ? masked : masked.slice(0, cut)).slice(0, 200)
}

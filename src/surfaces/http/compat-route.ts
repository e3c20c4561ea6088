import type { ServerResponse } from 'node:http'
import { type Route, sendJson } from './server.ts'

/** How the servers answer whose clients were there before us. */

export const COMPAT_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/** The words of the refusals that clients know by heart; any other is said as it is. */
const REFUSALS: Readonly<Record<number, string>> = { 404: 'Not found', 405: 'Method not allowed' }

/** What their routes share: most of them read, and all of them refuse in one line. */
export const compatRoute = {
  methods: ['GET', 'HEAD'],
  normalizePath: true,
  headers: COMPAT_HEADERS,
  refuse: (status: number, message: string) => ({ error: REFUSALS[status] ?? message }),
} satisfies Partial<Route>

export const sendCompat = (response: ServerResponse, status: number, value: object): void =>
  sendJson(response, status, value, COMPAT_HEADERS)

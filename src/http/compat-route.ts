import type { ServerResponse } from 'node:http'
import { type Route, sendJson } from './server.ts'

/** Response format of the compatibility servers, which their existing clients depend on. */

export const COMPAT_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
} as const

/** Error texts that existing clients compare; any other status keeps its own message. */
const REFUSALS: Readonly<Record<number, string>> = { 404: 'Not found', 405: 'Method not allowed' }

/** Defaults of all compatibility routes. */
export const compatRoute = {
  methods: ['GET', 'HEAD'],
  normalizePath: true,
  headers: COMPAT_HEADERS,
  refuse: (status: number, message: string) => ({ error: REFUSALS[status] ?? message }),
} satisfies Partial<Route>

export const sendCompat = (response: ServerResponse, status: number, value: object): void =>
  sendJson(response, status, value, COMPAT_HEADERS)

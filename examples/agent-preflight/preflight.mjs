#!/usr/bin/env node

// What an agent does before it touches a repository: ask the evidence server, judge the answers by fixed rules,
// and either act or fall back to read-only diagnosis. Plain Node.js, no dependencies, any server that speaks the
// evidence routes. Exit code 0: act. 1: read-only. 2: called wrongly.

import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const USAGE = 'Usage: preflight.mjs [--url URL] [--route PATH] [--platform NAME] [--attempts N] [--full]'
const TIMEOUT_MS = 5_000
const PAGE = 100
const MAX_PAGES = 100

/** Nothing is asked with a filter, and no page is turned, unless the server says that it can. */
const NEEDED_FILTERS = {
  findings: ['severity', 'ruleId', 'platform', 'limit', 'offset'],
  rulesets: ['platform', 'bundle', 'limit', 'offset'],
  platforms: ['detectedOnly', 'confidence', 'limit', 'offset'],
  ledger: ['lastSeenAfter', 'lastSeenBefore', 'limit', 'offset'],
}
const KNOWN_STAGES = ['PRE_COMMIT', 'PRE_PUSH', 'CI']

const hasFilters = (/** @type {any} */ filters) =>
  Object.entries(NEEDED_FILTERS).every(([name, needed]) =>
    needed.every((one) => filters?.[name]?.includes(one)),
  )

const hasBounds = (/** @type {any} */ bounds) =>
  Object.keys(NEEDED_FILTERS).every((name) => Number.isInteger(bounds?.[name]?.max_limit))

/**
 * The gate on the agent's side. Each rule says what it looks at, so that a blocker can be reported and not guessed.
 *
 * @typedef {{ status: any, summary: any, platform: string | undefined }} Context
 * @type {{ name: string, expected: string, found: (context: Context) => unknown, holds: (found: any, context: Context) => boolean }[]}
 */
const CHECKS = [
  {
    name: 'evidence.valid',
    expected: 'true',
    found: ({ status }) => status?.evidence?.valid ?? null,
    holds: (valid) => valid === true,
  },
  {
    name: 'evidence.version',
    expected: '2.1',
    found: ({ status }) => status?.evidence?.version ?? null,
    holds: (version) => version === '2.1',
  },
  {
    name: 'context_api.filters',
    expected: 'every filter an agent composes requests with',
    found: ({ status }) => status?.context_api?.filters ?? null,
    holds: hasFilters,
  },
  {
    name: 'context_api.pagination_bounds',
    expected: 'a whole max_limit for each collection',
    found: ({ status }) => status?.context_api?.pagination_bounds ?? null,
    holds: hasBounds,
  },
  {
    name: 'summary.snapshot.stage',
    expected: KNOWN_STAGES.join(' or '),
    found: ({ summary }) => summary?.snapshot?.stage ?? null,
    holds: (stage) => KNOWN_STAGES.includes(stage),
  },
  {
    name: 'summary.platforms',
    expected: 'the platform of the task among the detected ones',
    found: ({ summary }) => (summary?.platforms ?? []).map((/** @type {any} */ one) => one.platform),
    holds: (names, { platform }) => platform === undefined || names.includes(platform),
  },
]

/** The server did not answer, or not with what it must. */
class Unreachable extends Error {}

/** @param {string} base @param {number} attempts */
const reader = (base, attempts) => {
  /** @type {Record<string, string>} */
  const headers = process.env.WARRANT_TOKEN ? { authorization: `Bearer ${process.env.WARRANT_TOKEN}` } : {}
  const once = async (/** @type {string} */ path) => {
    const response = await fetch(`${base}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    // Only the server's own trouble is worth another try; what it says about us or the evidence stays true.
    if (response.status >= 500) throw new Error(`status ${response.status}`)
    return { status: response.status, body: await response.json() }
  }
  return async (/** @type {string} */ path) => {
    let last = ''
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      try {
        return await once(path)
      } catch (error) {
        const { message, cause } = /** @type {Error & { cause?: { code?: string } }} */ (error)
        last = cause?.code ?? message
        if (attempt < attempts) await sleep(100 * 2 ** (attempt - 1))
      }
    }
    throw new Unreachable(`${path}: ${last} (${attempts} attempts)`)
  }
}

/** @typedef {ReturnType<typeof reader>} Read */

/** @param {Read} read @param {string} path */
const need = async (read, path) => {
  const { status, body } = await read(path)
  if (status !== 200) throw new Unreachable(`${path}: status ${status}, ${body?.error ?? 'no reason given'}`)
  return body
}

/** Every item of a collection, page by page, for as long as the server says that there is more. */
const readAll = async (/** @type {Read} */ read, /** @type {string} */ path, /** @type {string} */ name) => {
  const items = []
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const body = await need(read, `${path}?limit=${PAGE}&offset=${items.length}`)
    items.push(...body[name])
    if (body.pagination.has_more !== true) return items
  }
  throw new Unreachable(`${path}: more than ${MAX_PAGES} pages`)
}

/** @param {Context} context */
const judge = (context) =>
  CHECKS.map(({ name, expected, found, holds }) => ({ check: name, expected, found: found(context), holds }))
    .filter(({ found, holds }) => !holds(found, context))
    .map(({ check, expected, found }) => ({ check, expected, found }))

/**
 * The sequence: alive, status, summary, then the details; the whole file only when somebody needs it.
 *
 * @param {Read} read
 * @param {string} route
 * @param {string | undefined} platform
 * @param {boolean} full
 */
const gather = async (read, route, platform, full) => {
  await need(read, '/health')
  const status = await need(read, '/status')
  if (status.evidence?.valid !== true)
    return { blockers: judge({ status, summary: undefined, platform }), status }
  const summary = await need(read, `${route}/summary`)
  const blockers = judge({ status, summary, platform })
  if (blockers.length > 0) return { blockers, status, summary }
  const { snapshot } = await need(read, `${route}/snapshot`)
  const details = {
    findings: await readAll(read, `${route}/findings`, 'findings'),
    rulesets: await readAll(read, `${route}/rulesets`, 'rulesets'),
    platforms: await readAll(read, `${route}/platforms`, 'platforms'),
    ledger: await readAll(read, `${route}/ledger`, 'ledger'),
  }
  const whole = full ? await need(read, route) : await need(read, `${route}/summary`)
  if (whole.timestamp !== summary.timestamp || snapshot.findings_count !== details.findings.length) {
    const found = { before: summary.timestamp, after: whole.timestamp }
    return {
      blockers: [{ check: 'one evidence', expected: 'no change while it was read', found }],
      status,
      summary,
    }
  }
  return { blockers, status, summary, details, ...(full && { evidence: whole }) }
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:7341' },
      route: { type: 'string', default: '/ai-evidence' },
      platform: { type: 'string' },
      attempts: { type: 'string', default: '3' },
      full: { type: 'boolean', default: false },
    },
  })
  const attempts = Number(values.attempts)
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > 10)
    throw new Error('--attempts takes 1 to 10')
  try {
    const read = reader(values.url.replace(/\/+$/, ''), attempts)
    return await gather(read, values.route.replace(/\/+$/, ''), values.platform, values.full)
  } catch (error) {
    // Not knowing is no permission.
    const found = error instanceof Error ? error.message : String(error)
    return { blockers: [{ check: 'transport', expected: 'an answer to every request', found }] }
  }
}

try {
  const { blockers, summary, details } = await main()
  const report = {
    mode: blockers.length === 0 ? 'act' : 'read-only',
    blockers,
    ...(summary && { stage: summary.snapshot?.stage, outcome: summary.snapshot?.outcome }),
    ...(details && {
      findings: details.findings.length,
      rulesets: details.rulesets.length,
      platforms: details.platforms.map((/** @type {any} */ one) => one.platform),
      ledger: details.ledger.length,
    }),
    ...(blockers.length > 0 && {
      allowed: ['read files', 'explain the blockers', 'propose how to regenerate evidence'],
      forbidden: ['change production code', 'commit', 'push'],
    }),
  }
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = blockers.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`)
  process.exitCode = 2
}

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Evidence } from '../../src/evidence/schema.ts'
import { EVIDENCE_FILE } from '../../src/evidence/store.ts'
import { sweep } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'
import {
  type EvidenceServer,
  evidenceOf,
  finding,
  putEvidence,
  sealedText,
  startEvidence,
} from '../support/evidence.ts'
import { exchange, LOCAL, rawRequest } from '../support/raw-http.ts'

/** What clients of the evidence server count on, through the program itself. */

let server: EvidenceServer
beforeAll(async () => {
  server = await startEvidence()
})
afterAll(async () => {
  // After all requests the server is still the same process, and it logged no error.
  expect(server.program.child.exitCode).toBeNull()
  expect(server.program.stderr).toMatch(/^Every user of this machine may ask \S+\. .*\n$/)
  expect(readdirSync(server.root).filter((name) => name !== EVIDENCE_FILE)).toEqual([])
  await sweep()
  rmSync(server.root, { recursive: true, force: true })
})

const get = (path: string, headers?: readonly (readonly [string, string])[]) =>
  server.ask(path, 'GET', headers)
const put = (content: unknown) => putEvidence(server.root, content)
const remove = () => rmSync(join(server.root, EVIDENCE_FILE), { force: true })

const suppressed = {
  ruleId: 'heuristics.ts.console-log.ast',
  file: 'apps/backend/src/main.ts',
  replacedByRuleId: 'backend.no-console-log',
  reason: 'semantic-family-precedence',
}
const emptied = (more: Partial<Evidence> = {}): Evidence => ({
  ...evidenceOf([]),
  platforms: {},
  rulesets: [],
  ...more,
})

describe('without evidence', () => {
  test('it is alive, and answers only to reading', async () => {
    remove()
    expect(await get('/health')).toMatchObject({ status: 200, json: { status: 'ok' } })
    for (const path of ['/health', '/status', '/ai-evidence', '/nothing']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
        const { status, headers, json } = await server.ask(path, method)
        expect([path, method, status, headers.allow, json]).toEqual([
          path,
          method,
          405,
          'GET, HEAD',
          { error: 'Method not allowed' },
        ])
      }
    }
  })

  test('the status is degraded and tells what can be asked', async () => {
    remove()
    const { status, json } = await get('/status')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      status: 'degraded',
      evidence: { exists: false, present: false, valid: false, version: null, findings_count: 0 },
    })
    expect(json.evidence.path).toBe(join(server.root, EVIDENCE_FILE))
    const bound = { max_limit: 100 }
    expect(json.context_api.pagination_bounds).toEqual({
      findings: bound,
      rulesets: bound,
      platforms: bound,
      ledger: bound,
    })
    expect(json.context_api.filters.rulesets).toEqual(['platform', 'bundle', 'limit', 'offset', 'maxLimit'])
    expect(json.context_api.endpoints).toContain('/ai-evidence/findings')
  })

  test.each(['', '/summary', '/snapshot', '/findings', '/rulesets', '/platforms', '/ledger'])(
    '/ai-evidence%s is not found, also when the file is of another version',
    async (under) => {
      remove()
      const answer = { status: 404, json: { error: 'Evidence file not found or invalid' } }
      expect(await get(`/ai-evidence${under}`)).toMatchObject(answer)
      put({ version: '1.0' })
      expect(await get(`/ai-evidence${under}`)).toMatchObject(answer)
    },
  )

  test.each([
    ['{"version":"2.0"}', '2.0', 'wrong-version'],
    ['{ half', null, 'not-json'],
    ['{"version":"2.1"}', '2.1', 'schema'],
    ['{"version":21}', null, 'wrong-version'],
  ])('%s is there and not valid', async (text, version, reason) => {
    put(text)
    const { json } = await get('/status')
    expect(json).toMatchObject({
      status: 'degraded',
      evidence: { exists: true, present: true, valid: false, version, findings_count: 0, reason },
    })
  })
})

describe('the figures', () => {
  test('of evidence without findings and one suppressed', async () => {
    const consolidation = { suppressed: [suppressed] }
    put(emptied({ consolidation, snapshot: { stage: 'CI', outcome: 'PASS', findings: [] } }))
    const { json } = await get('/status')
    expect(json.status).toBe('ok')
    expect(json.evidence).toMatchObject({
      exists: true,
      present: true,
      valid: true,
      version: '2.1',
      stage: 'CI',
      outcome: 'PASS',
      has_findings: false,
      severity_counts: {},
      highest_severity: null,
      rulesets_fingerprint: '',
      suppressed_findings_count: 1,
      suppressed_platforms_count: 1,
      suppressed_with_replacement_count: 1,
      suppressed_without_replacement_count: 0,
      suppressed_replacement_rules_count: 1,
      suppressed_finding_coverage_ratio_pct: 100,
      platforms: [],
    })
  })

  test('of suppressed findings count the empty id among the rules that replace, and not among replacements', async () => {
    const replaced = (id: string | null) => ({ ...suppressed, replacementRuleId: id })
    put(emptied({ consolidation: { suppressed: ['a', 'a', '', '', null].map(replaced) } }))
    expect((await get('/status')).json.evidence).toMatchObject({
      suppressed_replacement_rules_count: 2,
      suppressed_with_replacement_count: 2,
      suppressed_without_replacement_count: 3,
    })
  })

  test('of one finding, in the order clients know', async () => {
    const ledger = ['apps/backend/a.ts', 'apps/ios/a.swift'].map((file) => ({
      ruleId: 'r',
      file,
      firstSeen: '2026-02-01T00:00:00.000Z',
      lastSeen: '2026-02-02T00:00:00.000Z',
    }))
    put(evidenceOf([finding()], { ledger }))
    const { json } = await get('/ai-evidence/summary')
    expect(json).toMatchObject({
      version: '2.1',
      snapshot: {
        stage: 'PRE_COMMIT',
        outcome: 'WARN',
        has_findings: true,
        findings_count: 1,
        findings_with_lines_count: 1,
        findings_without_lines_count: 0,
        severity_counts: { ERROR: 1 },
        findings_by_platform: { backend: 1 },
        highest_severity: 'ERROR',
        blocking_findings_count: 1,
      },
      ledger_by_platform: { backend: 1, ios: 1 },
      rulesets_fingerprint: '222|111',
      platform_confidence_counts: { HIGH: 2, LOW: 1 },
      platforms: [
        { platform: 'backend', detected: true, confidence: 'HIGH' },
        { platform: 'ios', detected: true, confidence: 'HIGH' },
      ],
      tracked_platforms_count: 3,
      detected_platforms_count: 2,
      non_detected_platforms_count: 1,
    })
    expect(Object.keys(json)).toEqual([
      'version',
      'timestamp',
      'snapshot',
      'ledger_count',
      'ledger_files_count',
      'ledger_rules_count',
      'ledger_by_platform',
      'rulesets_count',
      'rulesets_platforms_count',
      'rulesets_bundles_count',
      'rulesets_hashes_count',
      'rulesets_by_platform',
      'rulesets_fingerprint',
      'platform_confidence_counts',
      'suppressed_findings_count',
      'suppressed_rules_count',
      'suppressed_files_count',
      'suppressed_platforms_count',
      'suppressed_reasons_count',
      'suppressed_replacement_rules_count',
      'suppressed_with_replacement_count',
      'suppressed_without_replacement_count',
      'suppressed_finding_coverage_ratio_pct',
      'tracked_platforms_count',
      'detected_platforms_count',
      'non_detected_platforms_count',
      'platforms',
    ])
    const { json: status } = await get('/status')
    expect(status.evidence.platforms).toEqual(['backend', 'frontend', 'ios'])
    expect(Object.keys(status.evidence).slice(0, 9)).toEqual([
      'path',
      'exists',
      'present',
      'valid',
      'version',
      'timestamp',
      'stage',
      'outcome',
      'has_findings',
    ])
  })

  test('count an empty list of lines as none, and each path to the platform the builder would', async () => {
    const files = ['apps/web/a.ts', 'ios/a.m', 'lib/a.swift', 'lib/a.kt']
    const bare = evidenceOf(files.map((file) => finding({ file, ruleId: 'x' })))
    const findings = bare.snapshot.findings.map((one) => ({ ...one, lines: [] }))
    put({ ...bare, snapshot: { ...bare.snapshot, findings } })
    const { json } = await get('/ai-evidence/summary')
    expect(json.snapshot).toMatchObject({
      findings_with_lines_count: 0,
      findings_without_lines_count: 4,
      findings_by_platform: { android: 1, frontend: 1, ios: 2 },
    })
  })
})

describe('the pages', () => {
  const rulesets = [
    { platform: 'ios', bundle: 'shared', hash: 'zzz' },
    { platform: 'backend', bundle: 'backend', hash: 'bbb' },
    { platform: 'ios', bundle: 'ios', hash: 'aaa' },
  ]
  const names = (json: { rulesets: { platform: string; bundle: string }[] }) =>
    json.rulesets.map(({ platform, bundle }) => `${platform}/${bundle}`)

  test('of rulesets are sorted, filtered and cut', async () => {
    put(emptied({ rulesets }))
    expect(names((await get('/ai-evidence/rulesets')).json)).toEqual([
      'backend/backend',
      'ios/ios',
      'ios/shared',
    ])
    expect(names((await get('/ai-evidence/rulesets?platform=IOS&bundle=shared')).json)).toEqual([
      'ios/shared',
    ])
    const second = (await get('/ai-evidence/rulesets?limit=1&offset=1')).json
    expect(names(second)).toEqual(['ios/ios'])
    expect(second.total_count).toBe(3)
    expect(second.pagination).toEqual({
      requested_limit: 1,
      max_limit: 100,
      limit: 1,
      offset: 1,
      has_more: true,
    })
    expect((await get('/ai-evidence/rulesets?limit=9999')).json.pagination).toMatchObject({
      requested_limit: 9999,
      limit: 100,
      has_more: false,
    })
    expect((await get('/ai-evidence/rulesets')).json.pagination).toEqual({
      requested_limit: null,
      max_limit: 100,
      limit: null,
      offset: 0,
      has_more: false,
    })
    expect((await get('/ai-evidence/rulesets?limit=0')).json).toMatchObject({
      rulesets: [],
      pagination: { limit: 0, has_more: true },
    })
    expect((await get('/ai-evidence/rulesets?offset=7')).json).toMatchObject({
      rulesets: [],
      pagination: { offset: 7, has_more: false },
    })
  })

  test('of platforms hide what was not detected, unless asked', async () => {
    put(evidenceOf([]))
    const list = async (query: string) => {
      const { json } = await get(`/ai-evidence/platforms${query}`)
      return [json.platforms.map(({ platform }: { platform: string }) => platform), json.filters]
    }
    expect(await list('')).toEqual([['backend', 'ios'], { detectedOnly: true, confidence: null }])
    expect((await list('?detectedOnly=false'))[0]).toEqual(['backend', 'frontend', 'ios'])
    expect(await list('?detectedOnly=OFF&confidence=LOW')).toEqual([
      ['frontend'],
      { detectedOnly: false, confidence: 'low' },
    ])
    expect((await list('?detectedOnly=false&limit=1&offset=1'))[0]).toEqual(['frontend'])
  })

  const seen = (ruleId: string, file: string, lastSeen: string) => ({
    ruleId,
    file,
    firstSeen: '2026-01-01T00:00:00.000Z',
    lastSeen,
  })
  const ledger = [
    seen('b', 'a.ts', '2026-02-03T10:00:00.000Z'),
    seen('a', 'b.ts', '2026-02-02T10:00:00.000Z'),
    seen('a', 'a.ts', '2026-02-01T10:00:00.000Z'),
  ]

  test.each([
    ['', ['a a.ts', 'a b.ts', 'b a.ts']],
    ['lastSeenAfter=2026-02-02t10:00:00.000z', ['a b.ts', 'b a.ts']],
    ['lastSeenAfter=2026-02-02T10:00:00.001Z', ['b a.ts']],
    ['lastSeenAfter=2026-02-02T11:00:00%2B01:00', ['a b.ts', 'b a.ts']],
    ['lastSeenAfter=2026-02-02T11:00:00+01:00', ['a b.ts', 'b a.ts']],
    ['lastSeenAfter=2026-02-02T10:00', ['a b.ts', 'b a.ts']],
    ['lastSeenBefore=2026-02-02', ['a a.ts', 'a b.ts']],
    ['lastSeenAfter=2026-02-02&lastSeenBefore=2026-02-02', ['a b.ts']],
    ['lastSeenAfter=2026-02-04', []],
    ['lastSeenAfter=%20', ['a a.ts', 'a b.ts', 'b a.ts']],
  ])('of the ledger with "%s" are within their window, bounds included', async (query, rows) => {
    put(emptied({ ledger }))
    const { status, json } = await get(`/ai-evidence/ledger?${query}`)
    expect(status).toBe(200)
    expect(json.ledger.map((row: { ruleId: string; file: string }) => `${row.ruleId} ${row.file}`)).toEqual(
      rows,
    )
    expect(json.total_count).toBe(rows.length)
  })

  test('of the ledger repeat their bounds in lower case', async () => {
    put(emptied({ ledger }))
    const { json } = await get('/ai-evidence/ledger?lastSeenAfter=2026-02-02T10:00:00.000Z')
    expect(json.filters).toEqual({ lastSeenAfter: '2026-02-02t10:00:00.000z', lastSeenBefore: null })
  })

  test('of findings are filtered by severity, rule and platform', async () => {
    put(
      evidenceOf([
        finding({ ruleId: 'a', file: 'apps/ios/a.swift' }),
        finding({ ruleId: 'b' }),
        finding({ ruleId: 'C', severity: 'WARN' }),
      ]),
    )
    const rules = async (query: string) => {
      const { json } = await get(`/ai-evidence/findings?${query}`)
      return [
        json.findings.map(({ ruleId }: { ruleId: string }) => ruleId),
        json.findings_count,
        json.total_count,
      ]
    }
    expect(await rules('')).toEqual([['C', 'a', 'b'], 3, 3])
    expect(await rules('severity=ERROR')).toEqual([['a', 'b'], 2, 2])
    expect(await rules('platform=ios')).toEqual([['a'], 1, 1])
    expect(await rules('ruleId=c')).toEqual([['C'], 1, 1])
    expect(await rules('ruleId=c&severity=error')).toEqual([[], 0, 0])
    expect(await rules('limit=1&offset=1')).toEqual([['a'], 1, 3])
    const { json } = await get('/ai-evidence/findings?severity=Error&severity=WARN&unknown=1')
    expect(json.filters).toEqual({ severity: 'error', ruleId: null, platform: null })
    expect(json.snapshot).toEqual({ stage: 'PRE_COMMIT', outcome: 'WARN' })
  })

  test.each([
    ['findings', 'severity=LOUD', 'severity'],
    ['findings', 'limit=-1', 'limit'],
    ['findings', 'limit=1.2', 'limit'],
    ['findings', 'limit=NaN', 'limit'],
    ['findings', `limit=${'9'.repeat(400)}`, 'limit'],
    ['findings', 'offset=x', 'offset'],
    ['rulesets', 'limit=%00', 'limit'],
    ['platforms', 'confidence=sure', 'confidence'],
    ['platforms', 'detectedOnly=%20maybe%20', 'detectedOnly'],
    ['ledger', 'lastSeenAfter=yesterday', 'lastSeenAfter'],
    ['ledger', 'lastSeenBefore=2026-02-30', 'lastSeenBefore'],
    ['ledger', 'lastSeenBefore=2026-02-02T25:00:00Z', 'lastSeenBefore'],
  ])('of %s with %s are refused, naming the parameter', async (name, query, parameter) => {
    put(evidenceOf([finding()]))
    const { status, json } = await get(`/ai-evidence/${name}?${query}`)
    expect(status).toBe(400)
    expect(json).toEqual({ error: expect.any(String), parameter, expected: expect.any(String) })
  })

  test.each([
    ['limit=%200007%20', 7],
    ['limit=99999999999999999999', 100_000_000_000_000_000_000],
    ['limit=', null],
    ['maxLimit=1', null],
  ])('understand %s', async (query, requested) => {
    put(evidenceOf([finding()]))
    const { status, json } = await get(`/ai-evidence/findings?${query}`)
    expect([status, json.pagination.requested_limit]).toEqual([200, requested])
  })
})

describe('the whole file', () => {
  test.each([
    ['', true],
    ['?includeSuppressed=false', false],
    ['?includeSuppressed=%20NO', false],
    ['?view=compact', false],
    ['?view=full', true],
    ['?view=full&includeSuppressed=false', true],
    ['?view=compact&includeSuppressed=true', false],
    ['?includeSuppressed=unknown', true],
  ])('with "%s" shows what was suppressed: %s', async (query, shown) => {
    put(emptied({ consolidation: { suppressed: [suppressed] }, operational_hints: { kept: 1 } }))
    const { json } = await get(`/ai-evidence${query}`)
    expect('consolidation' in json).toBe(shown)
    expect(json.operational_hints).toEqual({ kept: 1 })
  })

  test('is served in its own order, the snapshot in ours: by code unit, and lines by number', async () => {
    const places = [
      ['b', 'a.ts', 9],
      ['b', 'a.ts', 10],
      ['a', 'z.ts', 1],
      ['a', 'É.ts', 1],
      ['Z', 'a.ts', 1],
    ] as const
    const made = evidenceOf(places.map(([ruleId, file, lines]) => finding({ ruleId, file, lines: [lines] })))
    const findings = made.snapshot.findings.toReversed()
    put({ ...made, snapshot: { ...made.snapshot, findings } })
    const { json: whole } = await get('/ai-evidence')
    expect(whole.snapshot.findings).toEqual(findings)
    const { json } = await get('/ai-evidence/snapshot')
    expect(json.snapshot.findings_count).toBe(5)
    const order = json.snapshot.findings.map(
      (one: (typeof findings)[number]) => `${one.ruleId} ${one.file} ${one.lines}`,
    )
    expect(order).toEqual(['Z a.ts 1', 'a z.ts 1', 'a É.ts 1', 'b a.ts 9', 'b a.ts 10'])
  })

  test('is read again when it changes, and its chain is checked', async () => {
    const text = sealedText(evidenceOf([finding()]))
    put(text)
    expect((await get('/status')).json.evidence.findings_count).toBe(1)
    put(sealedText(evidenceOf([finding(), finding({ ruleId: 'x' })])))
    expect((await get('/status')).json.evidence.findings_count).toBe(2)
    put(text.replace('console.log was called', 'nothing happened'))
    expect((await get('/status')).json.evidence).toMatchObject({
      valid: false,
      reason: 'evidence-chain-invalid',
    })
    put(text)
    expect((await get('/status')).json.status).toBe('ok')
  })
})

describe('over HTTP', () => {
  const read = ['/health', '/status', '/ai-evidence', '/ai-evidence/summary', '/ai-evidence/findings?limit=1']

  test('every answer is compact JSON of exact length and is not cached', async () => {
    put(evidenceOf([finding()]))
    for (const path of [...read, '/nothing']) {
      const { headers, body } = await get(path)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(headers['cache-control']).toBe('no-store')
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body))
      expect(body).toBe(JSON.stringify(JSON.parse(body)))
    }
  })

  test('HEAD has the headers of GET and no body', async () => {
    put(evidenceOf([finding()]))
    for (const path of read) {
      const url = `http://127.0.0.1:${server.port}${path}`
      const [head, whole] = await Promise.all([fetch(url, { method: 'HEAD' }), fetch(url)])
      expect(head.status).toBe(200)
      expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
      expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
      expect(await head.text()).toBe('')
    }
  })

  test('a matching ETag gets 304 until the file changes', async () => {
    put(evidenceOf([finding()]))
    for (const path of read.slice(1)) {
      const { etag = '' } = (await get(path)).headers
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/)
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await get(path, [['If-None-Match', tags]])
        expect([path, again.status, again.body]).toEqual([path, 304, ''])
      }
      expect((await get(path, [['If-None-Match', '"x"']])).status).toBe(200)
    }
    const { etag = '' } = (await get('/status')).headers
    put(evidenceOf([]))
    expect((await get('/status', [['If-None-Match', etag]])).status).toBe(200)
  })

  test.each([
    ['/health/', 200],
    ['/ai-evidence///', 200],
    ['/x/../ai-evidence/./summary', 200],
    ['http://localhost/health', 400],
    ['/ai-evidence%2Fsummary', 404],
    ['/AI-EVIDENCE', 404],
    ['/ai-evidence/summary/x', 404],
    ['/', 404],
    ['//', 404],
    ['///', 404],
    ['//health', 404],
    ['/%', 404],
    ['/%ff%fe', 404],
    ['/..%2f..%2fetc/passwd', 404],
    ['/../../etc/passwd', 404],
    [`/${'a'.repeat(8_000)}`, 404],
    ['/health?%', 200],
    ['/ai-evidence/findings?limit=%ff', 400],
    [`/ai-evidence/findings?${'a=1&'.repeat(2_000)}`, 200],
  ])('%s is %i', async (path, status) => {
    put(evidenceOf([finding()]))
    expect((await get(path)).status).toBe(status)
    expect((await get('/health')).status).toBe(200)
  })

  test('a body is refused past its limit, and is otherwise of no interest', async () => {
    const post = (bytes: number) =>
      exchange(
        server.port,
        rawRequest('POST', '/ai-evidence', [...LOCAL, ['Connection', 'close']], Buffer.alloc(bytes)),
      )
    expect(await post(1024 * 1024 + 1)).toMatchObject({ status: 413 })
    expect(await post(10)).toMatchObject({ status: 405 })
  })

  test.each([
    [[['Host', 'evil.example']], 403],
    [
      [
        ['Host', 'localhost'],
        ['Origin', 'http://evil.example'],
      ],
      403,
    ],
    [
      [
        ['Host', 'localhost'],
        ['Origin', 'http://localhost:3000'],
      ],
      200,
    ],
  ] as const)('with %j it is %i', async (headers, status) => {
    const answer = await exchange(
      server.port,
      rawRequest('GET', '/health', [...headers, ['Connection', 'close']]),
    )
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

describe('bad files', () => {
  const deep = (inner: string) =>
    JSON.stringify(evidenceOf([])).replace('{', `{"x":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)},`)

  test.each([
    ['nothing at all', () => '', 'not-json'],
    ['half a document', () => sealedText(evidenceOf([finding()])).slice(0, -100), 'not-json'],
    ['brackets without end', () => '['.repeat(1_000_000), 'not-json'],
    ['a deep extra', () => deep(''), 'schema'],
    ['the version alone', () => '{"version":"2.1"}', 'schema'],
    [
      'findings that are none',
      () => ({ ...evidenceOf([]), snapshot: { stage: 'CI', outcome: 'PASS', findings: [7] } }),
      'schema',
    ],
    [
      'a platform called __proto__',
      () => JSON.stringify(evidenceOf([])).replace('"ios":', '"__proto__":'),
      'schema',
    ],
    ['zeros', () => Buffer.alloc(4096), 'not-json'],
  ])('%s: the status says so, the rest is not found, the process lives', async (_, content, reason) => {
    put(content())
    const { status, json } = await get('/status')
    expect([status, json.evidence.valid, json.evidence.reason]).toEqual([200, false, reason])
    for (const path of ['', '/summary', '/findings?limit=1', '/ledger']) {
      expect((await get(`/ai-evidence${path}`)).status).toBe(404)
    }
    expect((await get('/health')).status).toBe(200)
  })

  test('large evidence is served, 64 MiB and more are not looked at', async () => {
    // 50 MB in the long run.
    const count = caseCount(7_000, 70_000)
    const many = Array.from({ length: count }, (_, at) =>
      finding({ ruleId: `r${at}`, message: 'm'.repeat(40), severity: 'INFO' }),
    )
    const text = sealedText(evidenceOf(many))
    const bytes = Buffer.byteLength(text)
    expect(bytes).toBeGreaterThan(caseCount(5e6, 50e6))
    put(text)
    expect((await get('/ai-evidence/summary')).json.snapshot.findings_count).toBe(count)
    expect((await get(`/ai-evidence/findings?ruleId=r${count - 1}`)).json.total_count).toBe(1)
    put(Buffer.concat([Buffer.from(text), Buffer.alloc(64 * 1024 * 1024 - bytes + 1, 0x20)]))
    expect((await get('/status')).json.evidence).toMatchObject({ valid: false, reason: 'too-large' })
    remove()
  })
})

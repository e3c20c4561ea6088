import type { CallRecord, Recorder } from '../kernel/ports.ts'

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 50]

interface Timing {
  readonly counts: number[]
  count: number
  sum: number
}

export interface Gauge {
  readonly name: string
  readonly help: string
  readonly value: number
}

const label = (text: string): string =>
  /[\\"\n]/.test(text) ? text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : text

/** Counts calls and requests and writes them as Prometheus text in a stable order. */
export class Metrics implements Recorder {
  readonly #calls = new Map<string, number>()
  readonly #timings = new Map<string, Timing>()
  readonly #requests = new Map<string, number>()

  record({ tool, outcome, ms }: CallRecord): undefined {
    const key = `tool="${label(tool)}",outcome="${outcome}"`
    this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1)
    let timing = this.#timings.get(tool)
    if (timing === undefined) {
      timing = { counts: BUCKETS.map(() => 0), count: 0, sum: 0 }
      this.#timings.set(tool, timing)
    }
    const seconds = ms / 1000
    timing.count += 1
    timing.sum += seconds
    for (let at = BUCKETS.length - 1; at >= 0 && seconds <= (BUCKETS[at] ?? 0); at -= 1) {
      timing.counts[at] = (timing.counts[at] ?? 0) + 1
    }
  }

  request(route: string, status: number): void {
    const key = `route="${label(route)}",status="${status}"`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
  }

  write(gauges: readonly Gauge[]): string {
    const counter = (name: string, help: string, rows: ReadonlyMap<string, number>) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} counter`,
      ...[...rows].sort().map(([key, value]) => `${name}{${key}} ${value}`),
    ]
    const lines = [
      ...counter('warrant_calls_total', 'Tool calls by outcome.', this.#calls),
      '# HELP warrant_call_seconds How long tool calls took.',
      '# TYPE warrant_call_seconds histogram',
      ...[...this.#timings].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(writeTiming),
      ...counter('warrant_http_requests_total', 'HTTP requests by route and status.', this.#requests),
      ...gauges.flatMap(writeGauge),
    ]
    return `${lines.join('\n')}\n`
  }
}

const writeGauge = ({ name, help, value }: Gauge): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
]

const writeTiming = ([name, { counts, count, sum }]: [string, Timing]): string[] => {
  const tool = `tool="${label(name)}"`
  return [
    ...BUCKETS.map((le, at) => `warrant_call_seconds_bucket{${tool},le="${le}"} ${counts[at]}`),
    `warrant_call_seconds_bucket{${tool},le="+Inf"} ${count}`,
    `warrant_call_seconds_sum{${tool}} ${sum}`,
    `warrant_call_seconds_count{${tool}} ${count}`,
  ]
}

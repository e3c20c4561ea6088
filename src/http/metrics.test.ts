import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'

describe('metrics', () => {
  it('write counts, cumulative buckets and gauges in one order', () => {
    const metrics = new Metrics()
    metrics.record({ tool: 'b', effect: 'read', outcome: 'answer', ms: 3 })
    metrics.record({ tool: 'a', effect: 'read', outcome: 'fault', code: 'x.y', ms: 60_000 })
    metrics.record({ tool: 'a', effect: 'read', outcome: 'answer', ms: 0.5 })
    metrics.request('/mcp', 200)
    const lines = metrics
      .write([{ name: 'process_resident_memory_bytes', help: 'Resident memory.', value: 10 }])
      .split('\n')
    expect(lines.filter((line) => line.startsWith('warrant_calls_total'))).toEqual([
      'warrant_calls_total{tool="a",outcome="answer"} 1',
      'warrant_calls_total{tool="a",outcome="fault"} 1',
      'warrant_calls_total{tool="b",outcome="answer"} 1',
    ])
    expect(
      lines.filter((line) => line.startsWith('warrant_call_seconds') && line.includes('tool="a"')),
    ).toEqual([
      'warrant_call_seconds_bucket{tool="a",le="0.001"} 1',
      'warrant_call_seconds_bucket{tool="a",le="0.005"} 1',
      'warrant_call_seconds_bucket{tool="a",le="0.025"} 1',
      'warrant_call_seconds_bucket{tool="a",le="0.1"} 1',
      'warrant_call_seconds_bucket{tool="a",le="0.5"} 1',
      'warrant_call_seconds_bucket{tool="a",le="2.5"} 1',
      'warrant_call_seconds_bucket{tool="a",le="10"} 1',
      'warrant_call_seconds_bucket{tool="a",le="50"} 1',
      'warrant_call_seconds_bucket{tool="a",le="+Inf"} 2',
      'warrant_call_seconds_sum{tool="a"} 60.0005',
      'warrant_call_seconds_count{tool="a"} 2',
    ])
    expect(lines).toContain('warrant_http_requests_total{route="/mcp",status="200"} 1')
    expect(lines).toContain('process_resident_memory_bytes 10')
  })

  it('escape what is in a label', () => {
    const metrics = new Metrics()
    metrics.request('a"b\\c\nd', 200)
    expect(metrics.write([])).toContain('route="a\\"b\\\\c\\nd"')
  })
})

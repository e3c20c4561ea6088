import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../test/support/memory-files.ts'
import { syntaxTrees } from '../platform/syntax-trees.ts'
import { analyse } from './architecture.ts'
import { drawMermaid, fitGraph } from './mermaid.ts'
import { maskAll } from './secrets.ts'

const parser = syntaxTrees()
const AT = '2026-03-04T05:06:07Z'

const fixture = (name: string): Record<string, string> => {
  const root = join('test/fixtures', name)
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Object.fromEntries(
    paths.map((one) => {
      const path = join(one.parentPath, one.name)
      return [relative(root, path), readFileSync(path, 'utf8')]
    }),
  )
}

const study = (texts: Record<string, string | undefined>) =>
  analyse(memoryFiles(texts), parser, { at: AT, watch: () => {} })

const inboundOf = (found: ReturnType<typeof study>) =>
  found.connections.inbound.map(({ protocol, endpoint }) => `${protocol} ${endpoint}`)
const outboundOf = (found: ReturnType<typeof study>) =>
  found.connections.outbound.map(
    ({ target_service, protocol, type }) => `${protocol}/${type} ${target_service}`,
  )

describe('the orders project', () => {
  const found = maskAll(study(fixture('orders')))

  it('is reached in these ways', () => {
    expect(inboundOf(found)).toEqual([
      'Messaging-Kafka a',
      'Messaging-Kafka b',
      'Messaging-Kafka orders.created',
      'Scheduled OrderService.sweep (cron 0 0 * * * *)',
      'REST GET /api/orders/{id}',
      'REST GET /api/orders',
      'REST POST /api/orders/new',
      'REST PATCH /api/orders/p',
      'REST DELETE /api/orders/a',
      'REST DELETE /api/orders/b',
      'REST PUT /api/orders/put/{id}',
    ])
  })

  it('reaches these others', () => {
    expect(outboundOf(found)).toEqual([
      'REST/FeignClient inventory',
      'REST/FeignClient payment-service',
      'REST/WebClient http://u',
      'REST/RestTemplate http://billing/api',
      'REST/RestTemplate http://z/api',
      'Messaging-Kafka/KafkaTemplate orders.audit',
      'Messaging-JMS/JmsTemplate jq',
      'JDBC/JdbcTemplate jdbc:postgresql://db.internal:5432/orders',
      'gRPC/Stub Stock',
      'Configuration/Service URL http://***@db.internal:8080',
      'Configuration/Service URL https://pay.internal',
      'JDBC/Data source jdbc:postgresql://db.internal:5432/orders',
    ])
  })

  it('keeps what was written beside what it stands for', () => {
    expect(found.connections.inbound.find(({ endpoint }) => endpoint === 'orders.created')).toMatchObject({
      origin: '${topic.name}',
      confidence: 'medium',
      handler: 'OrderService.configured',
    })
    expect(
      found.connections.outbound.find(({ target_service }) => target_service === 'payment-service'),
    ).toMatchObject({
      url: 'https://pay.internal/v2',
      calls: ['POST /payments'],
    })
  })

  it('never shows a password, and says where they are', () => {
    expect(JSON.stringify(found)).not.toMatch(/s3cret|hunter2/)
    expect(found.secrets.map(({ file, line, place }) => `${file}:${line} ${place}`)).toEqual([
      'src/main/resources/application.yml:5 credentials in an address',
      'src/main/resources/application.yml:12 spring.datasource.password',
    ])
  })

  it('draws who calls whom, and nothing else', () => {
    expect(drawMermaid(fitGraph(found.graph)).split('\n')).toEqual([
      'graph TD',
      '  APP_OrdersApplication(["OrdersApplication"])',
      '  CTRL_OrderController["OrderController"]',
      '  SVC_OrderService["OrderService"]',
      expect.stringContaining('EXT_InventoryClient'),
      ...Array(11).fill(expect.stringMatching(/^ {2}EXT_/)),
      ...Array(13).fill(expect.stringContaining('-->')),
    ])
  })
})

import { expect, it } from 'vitest'
import { syntaxTrees } from '../../../platform/syntax/syntax-trees.ts'
import { analyse } from '../../architecture/architecture.ts'
import { memoryFiles } from '../../source/memory-files.fake.ts'

interface RelationCase {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** `from -> to protocol`, without the kinds; with the kind of a relation that is no call. */
  readonly relations: readonly string[]
}

const CASES: readonly RelationCase[] = [
  {
    title: 'an order of starts is no call, unless an address or the code shows one',
    files: {
      'compose.yaml': `services:
  web: { image: x/web, depends_on: [api, db, cache], environment: { CACHE_URL: "redis://cache" } }
  api: { image: x/api }
  db: { image: postgres }
  cache: { image: redis }
  adminer: { image: adminer, depends_on: [db, api] }`,
    },
    relations: [
      'adminer -> api starts after (depends_on, low)',
      'adminer -> db PostgreSQL (configuration, medium)',
      'web -> api starts after (depends_on, low)',
      'web -> cache Redis (configuration, medium)',
      'web -> db starts after (depends_on, low)',
    ],
  },
  {
    title: 'a broker uses what its environment names, not what it waits for',
    files: {
      'compose.yaml': `services:
  kafka:
    image: cp-kafka
    depends_on: [zookeeper, db]
    environment: { KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092" }
  zookeeper: { image: cp-zookeeper }
  db: { image: postgres }`,
    },
    relations: ['kafka -> zookeeper Zookeeper (configuration, medium)'],
  },
]

it.each(CASES)('$title', async ({ files, relations }) => {
  const options = { at: '', checkDeadline: () => {} }
  const { system, warnings } = await analyse(memoryFiles(files), syntaxTrees(), options)
  expect(warnings).toEqual([])
  const plain = (id: string) => id.replace(/^\w+:/, '')
  expect(
    system.relations.map(({ kind, confidence, from, to, protocol }) => {
      const shown = kind === 'call' ? '' : ` (${kind}, ${confidence})`
      return `${plain(from)} -> ${plain(to)} ${protocol}${shown}`
    }),
  ).toEqual(relations)
})

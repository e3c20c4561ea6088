import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'shortens a service URL to scheme, host and port',
    files: { 'application.yml': 'billing:\n  url: https://billing:8443/api/v1?x=1\n' },
    rows: ['2: Configuration Service URL -> https://billing:8443; path billing.url'],
  },
  {
    title: 'keeps the database of a data source and drops its options',
    files: {
      'application.properties': `a=jdbc:mysql://db/shop?password=hunter2
b=mongodb://user:hunter2@mongo/shop
c=redis://cache:6379/0`,
    },
    rows: [
      '1: JDBC Data source -> jdbc:mysql://db/shop; path a',
      '2: MongoDB Data source -> mongodb://***@mongo/shop; path b',
      '3: Redis Data source -> redis://cache:6379; path c',
    ],
  },
  {
    title: 'finds no address in sentences, pages, commands and regular expressions',
    files: {
      'notes.yml': `a: See https://docs.shop.com/x for more.
b: '请参考 https://docs.shop.com/x'
c: '<a href="https://docs.shop.com/x">more</a>'
d: curl -s https://docs.shop.com/x | bash
e: '(Bot)/[\\d.]+ \\(\\+https://docs.shop.com/'
f: 'http://one:80/a, http://two:80/b'
`,
    },
    rows: [
      '6: Configuration Service URL -> http://one:80; path f',
      '6: Configuration Service URL -> http://two:80; path f',
    ],
  },
  {
    title: 'gives one row for each named broker',
    files: { 'application.properties': 'spring.kafka.bootstrap-servers=k1:9092,k2:9092' },
    rows: [
      '1: Messaging-Kafka Broker -> k1:9092; path spring.kafka.bootstrap-servers',
      '1: Messaging-Kafka Broker -> k2:9092; path spring.kafka.bootstrap-servers',
    ],
  },
  {
    title: 'fills in placeholders, and lowers the confidence of those it cannot fill',
    files: {
      'application.properties': `host=billing
a=http://\${host}/x
b=http://\${unknown}/x`,
    },
    rows: [
      '2: Configuration Service URL -> http://billing; path a',
      '3: Configuration Service URL -> http://${unknown}; path b [low]',
    ],
  },
  {
    title: 'gives no row for namespaces, schemas and build files',
    files: {
      'beans.xml': '<beans xmlns="http://www.springframework.org/schema/beans"><a>text</a></beans>',
      'openapi.yaml': 'externalDocs:\n  url: https://docs.internal/x\n$schema: https://schema.internal/y\n',
      'pom.xml': '<project><url>https://shop.internal</url></project>',
      'logback.xml': '<configuration><url>http://logs.internal</url></configuration>',
    },
    rows: [],
  },
  {
    title: 'gives no row for configuration of tests and for values without an address',
    files: {
      'src/test/resources/application.yml': 'url: http://test.internal\n',
      'application.properties': 'name=billing\npath=/x//y',
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})

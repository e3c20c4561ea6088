import { expect, it } from 'vitest'
import { inboundRows, outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'tRPC: procedures of nested, mounted and merged routers',
    files: {
      'app.ts': `import { router, mergeRouters } from './trpc'
import { users } from './users'
import { posts as blog } from './posts'
const inner = router({ users, blog, health: publicProcedure.query(() => 1) })
export const appRouter = router({ v1: inner })`,
      'users.ts': `export const users = createTRPCRouter({
  byId: authedProcedure.input(z.string())
    .query(() => 1),
  admin: t.router({ ban: t.procedure.use(x).mutation(() => 1) }),
  limit: 3,
})`,
      'posts.ts': `const read = router({ added: publicProcedure.subscription(() => 1) })
export const posts = mergeRouters(read)`,
    },
    rows: [
      '4: tRPC query v1.health, v1.health',
      '1: tRPC subscription v1.blog.added, v1.blog.added',
      '3: tRPC query v1.users.byId, v1.users.byId',
      '4: tRPC mutation v1.users.admin.ban, v1.users.admin.ban',
    ],
  },
  {
    title: 'tRPC: routers that contain each other end, and other records give nothing',
    files: {
      'a.ts': `const a = router({ b, x: publicProcedure.query(() => 1) })
const b = router({ a })
const c = router({ rows: db.query('select 1'), list: client.users.query() })`,
    },
    rows: ['1: tRPC query b.a.x, b.a.x'],
  },
  {
    title: 'messages of kafkajs, amqplib and BullMQ in both directions',
    files: {
      'kafka.ts': `import { Kafka } from 'kafkajs'
const kafka = new Kafka({ brokers: [process.env.BROKER ?? 'kafka:9092'] })
const producer = kafka.producer()
const consumer = kafka.consumer({ groupId: 'g' })
await producer.send({ topic: 'orders', messages })
await consumer.subscribe({ topics: ['paid', 'sent'] })
await consumer.subscribe({ topic: name })
socket.send({ topic: 'not-kafka' })`,
      'rabbit.ts': `import amqp from 'amqplib'
const QUEUE = 'mails'
channel.consume(QUEUE, (message) => 1)
channel.sendToQueue(QUEUE, body)
channel.publish('events', 'user.created', body)`,
      'bull.ts': `import { Worker } from 'bullmq'
new Worker('thumbnails', async (job) => 1)`,
    },
    rows: [
      '2: Messaging-BullMQ thumbnails',
      '6: Messaging-Kafka paid',
      '6: Messaging-Kafka sent',
      '3: Messaging-RabbitMQ mails',
      '2: Messaging-Kafka Broker -> kafka:9092 [medium]',
      '5: Messaging-Kafka kafkajs -> orders',
      '4: Messaging-RabbitMQ amqplib -> mails',
      '5: Messaging-RabbitMQ amqplib -> events',
    ],
  },
  {
    title: 'messages: nothing without the library',
    files: {
      'a.ts': `const producer = kafka.producer()
producer.send({ topic: 'orders' })
channel.consume('queue', handle)
new Worker('worker.js')
store.subscribe({ topic: 'x' })`,
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect([...(await inboundRows(files)), ...(await outboundRows(files))]).toEqual(rows)
})

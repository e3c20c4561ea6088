import { expect, it } from 'vitest'
import { inboundRows, outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
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
  {
    title: 'names of queues that a folder exports',
    files: {
      'queues/index.ts': "export * from './other'\nexport * from './names'\nexport * from './index'",
      'queues/other.ts': "export { Lost } from './names'\nexport const other = 1",
      'queues/names.ts': "export enum QueueName { Mail = 'mails' }\nexport { Lost } from './other'",
      'mail.ts': `import { Processor, WorkerHost } from '@nestjs/bullmq'
import { QueueName, Lost } from './queues'
@Processor(QueueName.Mail)
export class MailProcessor extends WorkerHost {
  async process() {}
}
@Processor(Lost)
export class LostProcessor extends WorkerHost {
  async process() {}
}`,
    },
    rows: [
      '5: Messaging-BullMQ mails, MailProcessor.process',
      '9: Messaging-BullMQ {Lost}, LostProcessor.process [low]',
    ],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect([...(await inboundRows(files)), ...(await outboundRows(files))]).toEqual(rows)
})

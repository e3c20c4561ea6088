import type { FrameworkSnippets } from './snippet-corpus.ts'

const messages = {
  language: 'TypeScript, JavaScript',
  finds: ['messages'],
} as const

export const KAFKAJS: FrameworkSnippets = {
  framework: 'kafkajs',
  ...messages,
  found: [
    {
      title: 'a producer',
      files: {
        'a.ts': `import { Kafka } from 'kafkajs'
const kafka = new Kafka({ clientId: 'shop', brokers: ['kafka:9092'] })
const producer = kafka.producer()
await producer.send({ topic: 'orders', messages })
await producer.sendBatch({ topicMessages: [{ topic: 'paid', messages }, { topic: 'sent', messages }] })`,
      },
      rows: [
        'out 2: Messaging-Kafka Broker -> kafka:9092',
        'out 4: Messaging-Kafka kafkajs -> orders',
        'out 5: Messaging-Kafka kafkajs -> paid',
        'out 5: Messaging-Kafka kafkajs -> sent',
      ],
    },
    {
      title: 'a consumer in a class',
      files: {
        'a.ts': `import { Consumer, Kafka } from 'kafkajs'
class Listener {
  constructor(private readonly consumer: Consumer) {}
  async start() { await this.consumer.subscribe({ topic: 'orders', fromBeginning: true }) }
}`,
      },
      rows: ['in 4: Messaging-Kafka orders, Listener'],
    },
    {
      title: 'several topics',
      files: {
        'a.js': `const { Kafka } = require('kafkajs')
const consumer = kafka.consumer({ groupId: 'g' })
consumer.subscribe({ topics: ['a', 'b'] })`,
      },
      rows: ['in 3: Messaging-Kafka a', 'in 3: Messaging-Kafka b'],
    },
  ],
  notFound: [
    {
      title: 'topics known only at run time, and other objects',
      files: {
        'a.ts': `import { Kafka } from 'kafkajs'
const consumer = kafka.consumer({ groupId: 'g' })
consumer.subscribe({ topic: name })
socket.send({ topic: 'not-kafka' })`,
      },
    },
  ],
}

export const AMQPLIB: FrameworkSnippets = {
  framework: 'amqplib',
  ...messages,
  found: [
    {
      title: 'a queue in both directions',
      files: {
        'a.ts': `import amqp from 'amqplib'
const QUEUE = 'mails'
const connection = await amqp.connect('amqp://rabbit')
channel.consume(QUEUE, (message) => 1)
channel.sendToQueue(QUEUE, body)`,
      },
      rows: [
        'in 4: Messaging-RabbitMQ mails',
        'out 3: Messaging-RabbitMQ Broker -> amqp://rabbit',
        'out 5: Messaging-RabbitMQ amqplib -> mails',
      ],
    },
    {
      title: 'an exchange',
      files: {
        'a.js':
          "const amqp = require('amqplib')\nchannel.publish('events', 'user.created', Buffer.from(text))",
      },
      rows: ['out 2: Messaging-RabbitMQ amqplib -> events'],
    },
    {
      title: 'callbacks',
      files: {
        'a.js': `const amqp = require('amqplib/callback_api')
amqp.connect(process.env.AMQP_URL || 'amqp://localhost', (error, connection) => {
  channel.consume('tasks', work, { noAck: true })
})`,
      },
      rows: [
        'in 3: Messaging-RabbitMQ tasks',
        'out 2: Messaging-RabbitMQ Broker -> amqp://localhost [medium]',
      ],
    },
  ],
  notFound: [
    {
      title: 'without the library',
      files: { 'a.ts': "channel.consume('queue', handle)\nstore.subscribe({ topic: 'x' })" },
    },
  ],
}

export const BULLMQ: FrameworkSnippets = {
  framework: 'BullMQ',
  ...messages,
  found: [
    {
      title: 'a queue and its worker',
      files: {
        'a.ts': `import { Queue, Worker } from 'bullmq'
const mails = new Queue('mails', { connection })
new Worker('mails', async (job) => 1)`,
      },
      rows: ['in 3: Messaging-BullMQ mails', 'out 2: Messaging-BullMQ BullMQ -> mails'],
    },
    {
      title: 'bull',
      files: {
        'a.js': `const Queue = require('bull')
const videos = new Queue('videos', 'redis://cache:6379')
videos.process(async (job) => 1)
child.process('x')`,
      },
      rows: ['in 3: Messaging-BullMQ videos', 'out 2: Messaging-BullMQ BullMQ -> videos'],
    },
    {
      title: 'the store of all queues of an application',
      files: {
        'app.module.ts': `import { BullModule } from '@nestjs/bullmq'
@Module({
  imports: [
    BullModule.forRoot({ connection: { host: 'cache', port: 6379 } }),
    BullModule.registerQueue({ name: 'mails' }),
  ],
})
export class AppModule {}`,
      },
      rows: ['out 4: Redis BullMQ -> redis://cache:6379, AppModule'],
    },
  ],
  notFound: [
    {
      title: 'other queues and workers',
      files: { 'a.ts': "new Worker('worker.js')\nnew Queue('e')\nqueue.process('x')" },
    },
  ],
}

export const AWS_SDK: FrameworkSnippets = {
  framework: 'AWS SDK',
  language: messages.language,
  finds: ['messages', 'stores'],
  found: [
    {
      title: 'queues of SQS and topics of SNS',
      files: {
        'a.ts': `import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
const client = new SQSClient({ endpoint: 'http://localstack:4566' })
const url = 'https://sqs.eu-west-1.amazonaws.com/1234/orders'
await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody }))
await client.send(new ReceiveMessageCommand({ QueueUrl: process.env.JOBS_QUEUE_URL }))
await new SNSClient({}).send(new PublishCommand({ TopicArn: 'arn:aws:sns:eu-west-1:1234:paid' }))`,
      },
      rows: [
        `in 6: Messaging-SQS \${JOBS_QUEUE_URL} [low]`,
        'out 3: Messaging-SQS Broker -> http://localstack:4566',
        'out 5: Messaging-SQS AWS SDK -> orders',
        'out 7: Messaging-SNS AWS SDK -> paid',
        'out 7: Messaging-SNS Broker -> SNS [low]',
      ],
    },
    {
      title: 'stores',
      files: {
        'a.ts': `import { S3Client } from '@aws-sdk/client-s3'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
class Files { client = new S3Client({ endpoint: 'http://minio:9000' }) }
const table = new DynamoDBClient({ region: 'eu-west-1' })`,
      },
      rows: ['out 3: S3 AWS SDK -> http://minio:9000, Files', 'out 4: DynamoDB AWS SDK -> DynamoDB [low]'],
    },
    {
      title: 'the older SDK',
      files: {
        'a.js': `const AWS = require('aws-sdk')
const S3 = require('aws-sdk/clients/s3')
const sqs = new AWS.SQS({ region })
sqs.sendMessage({ QueueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/mails', MessageBody }, done)
sqs.receiveMessage({ QueueUrl: queue }, done)
const items = new AWS.DynamoDB.DocumentClient()
const files = new S3()`,
      },
      rows: [
        'out 3: Messaging-SQS Broker -> SQS [low]',
        'out 4: Messaging-SQS AWS SDK -> mails',
        'out 6: DynamoDB AWS SDK -> DynamoDB [low]',
        'out 7: S3 AWS SDK -> S3 [low]',
      ],
    },
    {
      title: 'a consumer of another library',
      files: {
        'a.ts': `import { Consumer } from 'sqs-consumer'
Consumer.create({ queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/mails', handleMessage }).start()`,
      },
      rows: ['in 2: Messaging-SQS mails'],
    },
  ],
  notFound: [
    {
      title: 'commands and clients of other modules',
      files: {
        'a.ts': `import { SendMessageCommand, S3Client } from './own'
new S3Client({})
bot.sendMessage({ QueueUrl: 'x' })
new SendMessageCommand({ QueueUrl: 'y' })`,
      },
    },
  ],
}

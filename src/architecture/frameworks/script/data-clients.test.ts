import { expect, it } from 'vitest'
import { outboundRows, type Snippet } from '../../../../test/support/project-rows.ts'

const SNIPPETS: readonly Snippet[] = [
  {
    title: 'addresses, options and environment variables',
    files: {
      'a.ts': `import Redis from 'ioredis'
import pg, { Pool } from 'pg'
import { createClient } from 'redis'
import mongoose from 'mongoose'
import postgres from 'postgres'
const cache = new Redis('redis://cache:6379')
const other = new Redis({ host: process.env.REDIS_HOST || 'cache2', port: 6379 })
const pool = new Pool({ connectionString: process.env.DATABASE_URL })
const client = new pg.Client({ host: 'db', database: 'shop', password: 'x' })
const third = createClient({ url: 'redis://u:secret@cache3' })
await mongoose.connect('mongodb://mongo/shop?retryWrites=true')
const sql = postgres(process.env.PG_URL ?? 'postgres://db/x')`,
    },
    rows: [
      '6: Redis ioredis -> redis://cache:6379',
      '7: Redis ioredis -> redis://cache2:6379 [medium]',
      '8: SQL pg -> PostgreSQL [low]',
      '9: SQL pg -> postgresql://db/shop',
      '10: Redis redis -> redis://***@cache3',
      '11: MongoDB Mongoose -> mongodb://mongo/shop',
      '12: SQL postgres -> postgres://db/x [medium]',
    ],
  },
  {
    title: 'mappers, with the database that their options name',
    files: {
      'a.ts': `import { DataSource } from 'typeorm'
import { TypeOrmModule } from '@nestjs/typeorm'
import knex from 'knex'
import { Sequelize } from 'sequelize'
import { drizzle } from 'drizzle-orm/node-postgres'
import Database from 'better-sqlite3'
new DataSource({ type: 'mysql', host: 'db', port: 3306, database: 'shop' })
@Module({ imports: [TypeOrmModule.forRoot({ type: 'postgres', url: 'postgres://pg/a' })] }) export class App {}
const options = { client: 'pg', connection: { host: 'k', database: 'b' } }
knex(options)
new Sequelize('mariadb://m/c')
drizzle('postgres://d/e')
drizzle(pool)
new Database('data.db')
knex('users')`,
    },
    rows: [
      '7: SQL TypeORM -> mysql://db:3306/shop',
      '8: SQL TypeORM -> postgres://pg/a, App',
      '10: SQL Knex -> postgresql://k/b',
      '11: SQL Sequelize -> mariadb://m/c',
      '12: SQL Drizzle -> postgres://d/e',
      '14: SQL better-sqlite3 -> sqlite:data.db',
    ],
  },
  {
    title: 'brokers, queues and clients of AWS',
    files: {
      'a.ts': `import { Kafka } from 'kafkajs'
import amqp from 'amqplib'
import { Queue, Worker } from 'bullmq'
import { S3Client } from '@aws-sdk/client-s3'
const kafka = new Kafka({ brokers: ['kafka:9092'] })
amqp.connect('amqp://rabbit')
const mails = new Queue('mails', { connection })
class Files { client = new S3Client({ endpoint: 'http://minio:9000' }) }
const s3 = new S3Client({})`,
    },
    rows: [
      '5: Messaging-Kafka Broker -> kafka:9092',
      '6: Messaging-RabbitMQ Broker -> amqp://rabbit',
      '7: Messaging-BullMQ BullMQ -> mails',
      '8: S3 AWS SDK -> http://minio:9000, Files',
      '9: S3 AWS SDK -> S3 [low]',
    ],
  },
  {
    title: 'data sources of Prisma, not its generators and comments',
    files: {
      'prisma/schema.prisma': `generator client { provider = "prisma-client-js" }
// datasource old { provider = "mysql" }
datasource db {
  provider = "postgresql" // the store
  url      = env("DATABASE_URL")
}`,
      'lite.prisma': 'datasource db {\n provider = "sqlite"\n url = "file:./dev.db"\n}',
      'mongo.prisma': 'datasource db {\n url = "mongodb://u:secret@mongo/x"\n provider = "mongodb"\n}',
      'test/schema.prisma': 'datasource db {\n provider = "mysql"\n}',
    },
    rows: [
      '1: SQL Prisma -> sqlite:./dev.db',
      '1: MongoDB Prisma -> mongodb://***@mongo/x',
      '3: SQL Prisma -> PostgreSQL [low]',
    ],
  },
  {
    title: 'ClickHouse',
    files: {
      'a.ts':
        "import { createClient } from '@clickhouse/client'\ncreateClient({ url: 'http://clickhouse:8123' })",
    },
    rows: ['2: ClickHouse ClickHouse -> http://clickhouse:8123'],
  },
  {
    title: 'nothing for the same names of other modules',
    files: {
      'a.ts': `import { Pool, Client } from 'undici'
import Redis from './redis'
import { createClient } from 'urql'
new Pool('http://a')
new Redis('redis://b')
createClient({ url: 'http://c' })
new Worker('d.js')
new Queue('e')
db.connect('postgres://f')`,
    },
    rows: [],
  },
]

it.each(SNIPPETS)('$title', async ({ files, rows }) => {
  expect(await outboundRows(files)).toEqual(rows)
})

import { EXPRESS } from './express.ts'
import { APOLLO, NEST_GRAPHQL, TYPE_GRAPHQL, YOGA } from './script-graphql.ts'
import { AXIOS, FETCH, GOT, KY, UNDICI } from './script-http.ts'
import { AMQPLIB, AWS_SDK, BULLMQ, KAFKAJS } from './script-messages.ts'
import { NESTJS } from './script-nest.ts'
import { NEXTJS, TRPC_SNIPPETS } from './script-next.ts'
import { PROXIES } from './script-proxies.ts'
import { FASTIFY, HONO, KOA } from './script-routers.ts'
import { DRIZZLE, KNEX, PG, SEQUELIZE, TYPEORM } from './script-sql.ts'
import { CLOUD_STORES, MONGOOSE, PRISMA, REDIS } from './script-stores.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

export const SCRIPT_SNIPPETS: readonly FrameworkSnippets[] = [
  EXPRESS,
  FASTIFY,
  HONO,
  KOA,
  NESTJS,
  NEST_GRAPHQL,
  TYPE_GRAPHQL,
  APOLLO,
  YOGA,
  NEXTJS,
  TRPC_SNIPPETS,
  FETCH,
  AXIOS,
  GOT,
  KY,
  UNDICI,
  PROXIES,
  PRISMA,
  TYPEORM,
  DRIZZLE,
  MONGOOSE,
  KNEX,
  SEQUELIZE,
  PG,
  REDIS,
  CLOUD_STORES,
  KAFKAJS,
  AMQPLIB,
  BULLMQ,
  AWS_SDK,
]

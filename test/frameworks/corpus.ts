import { EXPRESS } from './express.ts'
import { GO_CLIENTS } from './go-clients.ts'
import { GO_SNIPPETS } from './go-corpus.ts'
import { GO_OTHER_STORES } from './go-document-stores.ts'
import { GO_KAFKA } from './go-messages.ts'
import { GO_QUEUES } from './go-queues.ts'
import { GO_SQL_STORES } from './go-stores.ts'
import { JAVA_CLIENT_SNIPPETS } from './java-clients.ts'
import { JAVA_DRIVER_SNIPPETS } from './java-drivers.ts'
import { JAVA_EVENT_SNIPPETS } from './java-events.ts'
import { JAVA_HTTP_SNIPPETS } from './java-http.ts'

import { JAKARTA_SNIPPETS } from './java-jakarta.ts'

import { JAVA_MAPPER_SNIPPETS } from './java-mappers.ts'
import { JAVA_MESSAGE_SNIPPETS } from './java-messages.ts'
import { JAVA_STORE_SNIPPETS } from './java-stores.ts'
import { JAVA_WEB_SNIPPETS } from './java-web.ts'
import { ANDROID_SNIPPETS } from './kotlin-android.ts'
import { KTOR_SNIPPETS } from './kotlin-ktor.ts'
import { PYTHON_HTTP_SNIPPETS } from './python-clients.ts'
import { PYTHON_DJANGO_SNIPPETS } from './python-django.ts'
import { PYTHON_ENDPOINT_SNIPPETS } from './python-endpoints.ts'
import { PYTHON_GRPC_SNIPPETS } from './python-grpc.ts'
import { PYTHON_MESSAGE_SNIPPETS } from './python-messages.ts'
import { PYTHON_STORE_SNIPPETS } from './python-stores.ts'
import { SCRIPT_SNIPPETS } from './script.ts'
import { APOLLO, NEST_GRAPHQL, TYPE_GRAPHQL, YOGA } from './script-graphql.ts'
import { AXIOS, FETCH, GOT, KY, UNDICI } from './script-http.ts'
import { AMQPLIB, AWS_SDK, BULLMQ, KAFKAJS } from './script-messages.ts'
import { NESTJS } from './script-nest.ts'
import { NEXTJS, TRPC_SNIPPETS } from './script-next.ts'
import { FASTIFY, HONO, KOA } from './script-routers.ts'
import { DRIZZLE, KNEX, MONGOOSE, PG, PRISMA, REDIS, SEQUELIZE, TYPEORM } from './script-stores.ts'
import type { FrameworkSnippets } from './snippet-corpus.ts'

/** The snippet corpus: every framework that the analysis recognizes. The table in the documentation is made of it. */
export const CORPUS: readonly FrameworkSnippets[] = [
  EXPRESS,
  ...GO_CLIENTS,
  ...GO_SNIPPETS,
  ...GO_OTHER_STORES,
  ...GO_KAFKA,
  ...GO_QUEUES,
  ...GO_SQL_STORES,
  ...JAVA_CLIENT_SNIPPETS,
  ...JAVA_DRIVER_SNIPPETS,
  ...JAVA_EVENT_SNIPPETS,
  ...JAVA_HTTP_SNIPPETS,
  ...JAKARTA_SNIPPETS,
  ...JAVA_MAPPER_SNIPPETS,
  ...JAVA_MESSAGE_SNIPPETS,
  ...JAVA_STORE_SNIPPETS,
  ...JAVA_WEB_SNIPPETS,
  ...ANDROID_SNIPPETS,
  ...KTOR_SNIPPETS,
  ...PYTHON_HTTP_SNIPPETS,
  ...PYTHON_DJANGO_SNIPPETS,
  ...PYTHON_ENDPOINT_SNIPPETS,
  PYTHON_GRPC_SNIPPETS,
  ...PYTHON_MESSAGE_SNIPPETS,
  ...PYTHON_STORE_SNIPPETS,
  NEST_GRAPHQL,
  TYPE_GRAPHQL,
  APOLLO,
  YOGA,
  FETCH,
  AXIOS,
  GOT,
  KY,
  UNDICI,
  KAFKAJS,
  AMQPLIB,
  BULLMQ,
  AWS_SDK,
  NESTJS,
  NEXTJS,
  TRPC_SNIPPETS,
  FASTIFY,
  KOA,
  HONO,
  PRISMA,
  TYPEORM,
  DRIZZLE,
  MONGOOSE,
  KNEX,
  SEQUELIZE,
  PG,
  REDIS,
  ...SCRIPT_SNIPPETS,
]

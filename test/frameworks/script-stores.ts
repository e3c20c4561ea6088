import type { FrameworkSnippets } from './snippet-corpus.ts'

const store = {
  language: 'TypeScript, JavaScript',
  finds: ['stores'],
} as const

export const PRISMA: FrameworkSnippets = {
  framework: 'Prisma',
  ...store,
  found: [
    {
      title: 'an environment variable',
      files: {
        'prisma/schema.prisma': `generator client { provider = "prisma-client-js" }
// datasource old { provider = "mysql" }
datasource db {
  provider = "postgresql" // the store
  url      = env("DATABASE_URL")
}`,
        'db.ts': "import { PrismaClient } from '@prisma/client'\nexport const db = new PrismaClient()",
      },
      rows: ['out 3: SQL Prisma -> PostgreSQL [low]'],
    },
    {
      title: 'a file',
      files: { 'schema.prisma': 'datasource db {\n provider = "sqlite"\n url = "file:./dev.db"\n}' },
      rows: ['out 1: SQL Prisma -> sqlite:./dev.db'],
    },
    {
      title: 'an address, without its password',
      files: {
        'mongo.prisma': 'datasource db {\n url = "mongodb://u:secret@mongo/x"\n provider = "mongodb"\n}',
      },
      rows: ['out 1: MongoDB Prisma -> mongodb://***@mongo/x'],
    },
  ],
  notFound: [
    {
      title: 'generators, and schemas of tests',
      files: {
        'schema.prisma': 'generator client {\n provider = "prisma-client-js"\n}',
        'test/schema.prisma': 'datasource db {\n provider = "mysql"\n}',
      },
    },
  ],
}

export const MONGOOSE: FrameworkSnippets = {
  framework: 'Mongoose',
  ...store,
  found: [
    {
      title: 'an address without its options',
      files: {
        'a.js':
          "const mongoose = require('mongoose')\nmongoose.connect('mongodb://mongo/shop?retryWrites=true')",
      },
      rows: ['out 2: MongoDB Mongoose -> mongodb://mongo/shop'],
    },
    {
      title: 'an environment variable',
      files: {
        'a.ts':
          "import { connect } from 'mongoose'\nawait connect(process.env.MONGO_URL ?? 'mongodb://localhost/x')",
      },
      rows: ['out 2: MongoDB Mongoose -> mongodb://localhost/x [medium]'],
    },
    {
      title: 'a module of Nest with a factory',
      files: {
        'a.ts': `import { MongooseModule } from '@nestjs/mongoose'
@Module({
  imports: [
    MongooseModule.forRootAsync({
      useFactory: async () => {
        return { uri: 'mongodb://mongo/nest' }
      },
    }),
  ],
})
export class App {}`,
      },
      rows: ['out 4: MongoDB Mongoose -> mongodb://mongo/nest, App'],
    },
  ],
  notFound: [
    {
      title: 'models',
      files: {
        'a.js': "const mongoose = require('mongoose')\nmongoose.model('User', new mongoose.Schema({}))",
      },
    },
  ],
}

export const REDIS: FrameworkSnippets = {
  framework: 'Redis',
  ...store,
  found: [
    {
      title: 'ioredis',
      files: { 'a.ts': "import Redis from 'ioredis'\nconst cache = new Redis('redis://cache:6379')" },
      rows: ['out 2: Redis ioredis -> redis://cache:6379'],
    },
    {
      title: 'options with a default',
      files: {
        'a.ts':
          "import { Redis } from 'ioredis'\nnew Redis({ host: process.env.REDIS_HOST || 'cache2', port: 6379 })",
      },
      rows: ['out 2: Redis ioredis -> redis://cache2:6379 [medium]'],
    },
    {
      title: 'redis, without its password',
      files: {
        'a.js': "const { createClient } = require('redis')\ncreateClient({ url: 'redis://u:secret@cache3' })",
      },
      rows: ['out 2: Redis redis -> redis://***@cache3'],
    },
    {
      title: 'a cache of Keyv',
      files: {
        'a.ts':
          "import { createKeyv } from '@keyv/redis'\nconst cache = createKeyv(process.env.REDIS_URL || 'redis://cache4:6379')",
      },
      rows: ['out 2: Redis Keyv -> redis://cache4:6379 [medium]'],
    },
  ],
  notFound: [
    {
      title: 'a class of the project',
      files: {
        'a.ts':
          "import Redis from './redis'\nimport { createClient } from 'urql'\nnew Redis('redis://b')\ncreateClient({ url: 'http://c' })",
      },
    },
  ],
}

export const CLOUD_STORES: FrameworkSnippets = {
  framework: 'Firestore, Cosmos DB, Couchbase',
  language: 'JavaScript, TypeScript',
  finds: ['stores'],
  found: [
    {
      title: 'Cosmos DB, with an address and without',
      files: {
        'a.ts':
          "import { CosmosClient } from '@azure/cosmos'\nnew CosmosClient({ endpoint: 'https://shop.documents.azure.com', key })\nnew CosmosClient(process.env.COSMOS)",
      },
      rows: [
        'out 2: Cosmos DB Cosmos DB -> https://shop.documents.azure.com',
        'out 3: Cosmos DB Cosmos DB -> Cosmos DB [low]',
      ],
    },
    {
      title: 'Firestore, by its own library and by Firebase',
      files: {
        'a.js': "const { Firestore } = require('@google-cloud/firestore')\nnew Firestore({ projectId: 'x' })",
        'b.ts': "import { getFirestore } from 'firebase-admin/firestore'\nconst db = getFirestore()",
        'c.ts': "import * as admin from 'firebase-admin'\nconst db = admin.firestore()",
      },
      rows: [
        'out 2: Firestore Firestore -> Firestore [low]',
        'out 2: Firestore Firestore -> Firestore [low]',
        'out 2: Firestore Firestore -> Firestore [low]',
      ],
    },
    {
      title: 'Couchbase',
      files: {
        'a.ts': "import { connect } from 'couchbase'\nconst cluster = await connect('couchbase://db')",
      },
      rows: ['out 2: Couchbase Couchbase -> couchbase://db'],
    },
  ],
  notFound: [
    {
      title: 'names of the project',
      files: {
        'a.ts': "import { CosmosClient, getFirestore } from './own'\nnew CosmosClient()\ngetFirestore()",
      },
    },
  ],
}

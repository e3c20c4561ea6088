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

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

export const TYPEORM: FrameworkSnippets = {
  framework: 'TypeORM',
  ...store,
  found: [
    {
      title: 'a data source',
      files: {
        'a.ts': `import { DataSource } from 'typeorm'
export const source = new DataSource({ type: 'mysql', host: 'db', port: 3306, database: 'shop' })`,
      },
      rows: ['out 2: SQL TypeORM -> mysql://db:3306/shop'],
    },
    {
      title: 'a module of Nest',
      files: {
        'a.ts': `import { TypeOrmModule } from '@nestjs/typeorm'
@Module({ imports: [TypeOrmModule.forRoot({ type: 'postgres', url: 'postgres://pg/a' })] }) export class App {}`,
      },
      rows: ['out 2: SQL TypeORM -> postgres://pg/a, App'],
    },
    {
      title: 'a module of Nest with a factory',
      files: {
        'a.ts': `import { TypeOrmModule } from '@nestjs/typeorm'
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ type: 'postgres', host: config.get('DB_HOST'), port: 5432 }),
    }),
    TypeOrmModule.forFeature([User]),
  ],
})
export class App {}`,
      },
      rows: ['out 4: SQL TypeORM -> PostgreSQL, App [low]'],
    },
  ],
  notFound: [
    {
      title: 'a class of the project',
      files: {
        'a.ts': "import { DataSource } from './source'\nnew DataSource({ type: 'mysql', host: 'db' })",
      },
    },
  ],
}

export const DRIZZLE: FrameworkSnippets = {
  framework: 'Drizzle',
  ...store,
  found: [
    {
      title: 'an address',
      files: {
        'a.ts':
          "import { drizzle } from 'drizzle-orm/node-postgres'\nexport const db = drizzle('postgres://d/e')",
      },
      rows: ['out 2: SQL Drizzle -> postgres://d/e'],
    },
    {
      title: 'options',
      files: {
        'a.ts': `import { drizzle } from 'drizzle-orm/mysql2'
const db = drizzle({ connection: { uri: 'mysql://m/shop' } })`,
      },
      rows: ['out 2: SQL Drizzle -> mysql://m/shop'],
    },
    {
      title: 'a client that it is given',
      files: {
        'a.ts': `import postgres from 'postgres'
import { drizzle } from 'drizzle-orm/postgres-js'
const client = postgres('postgres://pg/shop')
export const db = drizzle(client, { schema })`,
      },
      rows: ['out 3: SQL postgres -> postgres://pg/shop'],
    },
  ],
  notFound: [
    {
      title: 'tables and queries',
      files: {
        'a.ts':
          "import { pgTable, serial } from 'drizzle-orm/pg-core'\nexport const users = pgTable('users', {})",
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

export const KNEX: FrameworkSnippets = {
  framework: 'Knex',
  ...store,
  found: [
    {
      title: 'options of a constant',
      files: {
        'a.ts': `import knex from 'knex'
const options = { client: 'pg', connection: { host: 'k', database: 'b' } }
export const db = knex(options)`,
      },
      rows: ['out 3: SQL Knex -> postgresql://k/b'],
    },
    {
      title: 'an address',
      files: {
        'a.js': "const knex = require('knex')({ client: 'mysql2', connection: 'mysql://m/c' })",
      },
      rows: ['out 1: SQL Knex -> mysql://m/c'],
    },
    {
      title: 'a file',
      files: {
        'a.ts':
          "import { knex } from 'knex'\nknex({ client: 'better-sqlite3', connection: { filename: 'data.db' } })",
      },
      rows: ['out 2: SQL Knex -> sqlite:data.db'],
    },
  ],
  notFound: [{ title: 'queries', files: { 'a.ts': "import knex from 'knex'\nknex('users').where({ id })" } }],
}

export const SEQUELIZE: FrameworkSnippets = {
  framework: 'Sequelize',
  ...store,
  found: [
    {
      title: 'an address',
      files: { 'a.ts': "import { Sequelize } from 'sequelize'\nnew Sequelize('mariadb://m/c')" },
      rows: ['out 2: SQL Sequelize -> mariadb://m/c'],
    },
    {
      title: 'options',
      files: {
        'a.ts':
          "import { Sequelize } from 'sequelize-typescript'\nnew Sequelize({ dialect: 'postgres', host: 'pg', database: 'shop' })",
      },
      rows: ['out 2: SQL Sequelize -> postgresql://pg/shop'],
    },
    {
      title: 'a file',
      files: {
        'a.js':
          "const { Sequelize } = require('sequelize')\nnew Sequelize({ dialect: 'sqlite', storage: 'shop.db' })",
      },
      rows: ['out 2: SQL Sequelize -> sqlite:shop.db'],
    },
  ],
  notFound: [
    {
      title: 'models',
      files: { 'a.js': "const { Model } = require('sequelize')\nUser.init({}, { sequelize })" },
    },
  ],
}

export const PG: FrameworkSnippets = {
  framework: 'pg',
  ...store,
  found: [
    {
      title: 'a pool with an address known at run time',
      files: {
        'a.ts':
          "import { Pool } from 'pg'\nconst pool = new Pool({ connectionString: process.env.DATABASE_URL })",
      },
      rows: ['out 2: SQL pg -> PostgreSQL [low]'],
    },
    {
      title: 'a client with options',
      files: {
        'a.ts': "import pg from 'pg'\nnew pg.Client({ host: 'db', database: 'shop', password: 'x' })",
      },
      rows: ['out 2: SQL pg -> postgresql://db/shop'],
    },
    {
      title: 'an address',
      files: {
        'a.js': "const { Client } = require('pg')\nconst client = new Client('postgres://u:secret@db/shop')",
      },
      rows: ['out 2: SQL pg -> postgres://***@db/shop'],
    },
  ],
  notFound: [
    {
      title: 'the same names of other modules',
      files: {
        'a.ts': "import { Pool, Client } from 'undici'\nnew Pool('http://a')\nnew Client('http://b')",
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

import type { FrameworkSnippets } from './snippet-corpus.ts'

const store = {
  language: 'TypeScript, JavaScript',
  finds: ['stores'],
} as const

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

import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** Runs SQL on a separate connection. */
export const runSql = async (address: string, text: string, values: unknown[] = []) => {
  const client = new Client({ connectionString: address })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

export interface TestDatabase {
  readonly address: string
  remove(): Promise<void>
}

/** A separate database on a server that tests share. */
export const makeDatabase = async (server: string): Promise<TestDatabase> => {
  const name = `warrant_${randomBytes(8).toString('hex')}`
  await runSql(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    address: url.href,
    remove: async () => {
      await runSql(server, `DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

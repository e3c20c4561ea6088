import { storeFaults } from '../../../lineage/faults.ts'
import type { Postgres } from './pool.ts'

const VERSION = 1
/** Advisory lock ('wLog' in ASCII) for creating the tables: all processes must use the same number. */
const ADVISORY_LOCK = 0x774c6f67

/**
 * Texts are bytea because PostgreSQL's text cannot hold a NUL. `claim` is a random id on the first entry of an append: a
 * writer that lost its connection compares it to find out whether its own append succeeded. Every append updates the
 * row of the log, so a fillfactor of 50 leaves space on the page (HOT updates).
 */
const TABLES = `
SELECT pg_advisory_xact_lock(${ADVISORY_LOCK});
CREATE SCHEMA IF NOT EXISTS warrant;
CREATE TABLE IF NOT EXISTS warrant.logs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  genesis bytea NOT NULL,
  size bigint NOT NULL DEFAULT 0,
  quarantine bytea
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS warrant.entries (
  log bigint NOT NULL,
  seq bigint NOT NULL,
  entry bytea NOT NULL,
  payload bytea,
  claim uuid,
  PRIMARY KEY (log, seq)
);
CREATE TABLE IF NOT EXISTS warrant.nodes (
  log bigint NOT NULL,
  level int NOT NULL,
  place bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (log, level, place)
);
CREATE TABLE IF NOT EXISTS warrant.snapshots (
  log bigint NOT NULL,
  size bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (log, size)
);
CREATE TABLE IF NOT EXISTS warrant.format (
  version int NOT NULL,
  single boolean PRIMARY KEY DEFAULT true CHECK (single)
);
INSERT INTO warrant.format (version) VALUES (${VERSION}) ON CONFLICT DO NOTHING;
`

/** Whether our tables exist. Tables with another format are a fault. */
export const findTables = async (postgres: Postgres): Promise<boolean> => {
  const [found] = await postgres.query({ text: "SELECT to_regclass('warrant.format') IS NOT NULL AS there" })
  if (found?.there !== true) return false
  const [format] = await postgres.query({ text: 'SELECT version FROM warrant.format' })
  const version = Number(format?.version)
  if (version > VERSION)
    throw storeFaults.newer(`the tables have format ${version}, this version reads format ${VERSION}`)
  if (version !== VERSION) throw storeFaults.damaged(`the tables have the unknown format ${version}`)
  return true
}

export const createPostgresTables = async (postgres: Postgres): Promise<void> => {
  if (await findTables(postgres)) return
  // Several statements in one query are one transaction.
  await postgres.query({ text: TABLES })
  if (!(await findTables(postgres))) throw new Error('the tables were not created')
}

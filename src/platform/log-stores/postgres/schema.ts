import { storeFaults } from '../../../lineage/faults.ts'
import type { Postgres } from './pool.ts'

const VERSION = 1
/** 'wLog' in ASCII, as in our files: two processes that come first at once must mean the same lock. */
const ADVISORY_LOCK = 0x774c6f67

/**
 * Texts are bytea because PostgreSQL's text has no NUL. `claim` is on the first entry of an append and says
 * whose it is: a writer that lost its connection finds out by it whether its own append is the one there.
 * The log's row is updated by every append, so it has room to stay on its page.
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

/** Whether our tables are there. Tables that are not ours, or newer, are a fault. */
export const findTables = async (postgres: Postgres): Promise<boolean> => {
  const [found] = await postgres.query({ text: "SELECT to_regclass('warrant.format') IS NOT NULL AS there" })
  if (found?.there !== true) return false
  const [format] = await postgres.query({ text: 'SELECT version FROM warrant.format' })
  const version = Number(format?.version)
  if (version > VERSION) throw storeFaults.newer(`the tables have format ${version}, we know ${VERSION}`)
  if (version !== VERSION) throw storeFaults.damaged(`the tables have format ${version}, which never was`)
  return true
}

export const createPostgresTables = async (postgres: Postgres): Promise<void> => {
  if (await findTables(postgres)) return
  // Several statements in one text are one transaction.
  await postgres.query({ text: TABLES })
  if (!(await findTables(postgres))) throw new Error('tables that were to be made are not there')
}

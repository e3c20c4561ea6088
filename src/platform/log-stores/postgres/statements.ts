/** Named statements: the server prepares each once per connection. `$1` is the id of the log. */
const TEXTS = {
  logNamed: 'SELECT id, genesis FROM warrant.logs WHERE name = $1',
  logNames: 'SELECT name FROM warrant.logs ORDER BY name',
  bytes: `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
    WHERE relnamespace = 'warrant'::regnamespace AND relkind = 'r'`,
  addLog: 'INSERT INTO warrant.logs (name, genesis) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
  head: `SELECT logs.size, entries.entry
    FROM warrant.logs LEFT JOIN warrant.entries ON entries.log = logs.id AND entries.seq = logs.size - 1
    WHERE logs.id = $1`,
  page: `SELECT seq, entry, payload FROM warrant.entries WHERE log = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
  // One statement is one transaction and one round trip. The update waits for the lock on the log's row and then reads
  // its size again; when the size has changed, nothing is inserted.
  append: `WITH head AS (
      UPDATE warrant.logs SET size = size + $3::bigint WHERE id = $1 AND size = $2::bigint RETURNING id
    ), new_entries AS (
      INSERT INTO warrant.entries (log, seq, entry, payload, claim)
      SELECT head.id, $2::bigint + fresh.place - 1, fresh.entry, fresh.payload,
        CASE fresh.place WHEN 1 THEN $4::uuid END
      FROM head, unnest($5::bytea[], $6::bytea[]) WITH ORDINALITY AS fresh (entry, payload, place)
    ), new_nodes AS (
      INSERT INTO warrant.nodes (log, level, place, hash)
      SELECT head.id, node.level, node.place, node.hash
      FROM head, unnest($7::int[], $8::bigint[], $9::bytea[]) AS node (level, place, hash)
    )
    SELECT EXISTS (SELECT FROM head) AS won`,
  claim: 'SELECT claim FROM warrant.entries WHERE log = $1 AND seq = $2',
  erase: 'UPDATE warrant.entries SET payload = NULL WHERE log = $1 AND seq = $2 RETURNING seq',
  // The snapshots stay unchanged when the entry does not exist.
  eraseBehind: `WITH erased AS (
      UPDATE warrant.entries SET payload = NULL WHERE log = $1 AND seq = $2 RETURNING seq
    ), saved AS (
      INSERT INTO warrant.snapshots (log, size, bytes) SELECT $1, $3::bigint, $4 FROM erased
      ON CONFLICT (log, size) DO UPDATE SET bytes = excluded.bytes
    ), dropped AS (
      DELETE FROM warrant.snapshots WHERE log = $1 AND size <> $3::bigint AND EXISTS (SELECT FROM erased)
    )
    SELECT seq FROM erased`,
  nodes: `SELECT nodes.hash
    FROM unnest($2::int[], $3::bigint[]) WITH ORDINALITY AS wanted (level, place, rank)
    LEFT JOIN warrant.nodes
      ON nodes.log = $1 AND nodes.level = wanted.level AND nodes.place = wanted.place
    ORDER BY wanted.rank`,
  snapshots: 'SELECT size, bytes FROM warrant.snapshots WHERE log = $1 ORDER BY size DESC LIMIT 2',
  saveSnapshot: `WITH saved AS (
      INSERT INTO warrant.snapshots (log, size, bytes) VALUES ($1, $2::bigint, $3)
      ON CONFLICT (log, size) DO UPDATE SET bytes = excluded.bytes
    )
    DELETE FROM warrant.snapshots WHERE log = $1 AND size NOT IN (
      SELECT size FROM (SELECT size FROM warrant.snapshots WHERE log = $1 UNION SELECT $2::bigint) AS known
      ORDER BY size DESC LIMIT 2)`,
  quarantine: 'SELECT quarantine FROM warrant.logs WHERE id = $1',
  setQuarantine: 'UPDATE warrant.logs SET quarantine = $2 WHERE id = $1',
} as const

export type StatementName = keyof typeof TEXTS

export const statement = (name: StatementName) => ({ name, text: TEXTS[name] })

/** The tables and functions in which a database keeps the keys, and how they get there. */

/**
 * One row a write, so that tables only grow at one end and shrink at the other:
 *
 *     put a        log (1, a, created 1, "x")
 *     put a        log (2, a, created 1, "y")
 *     put b        log (3, b, created 3, "z")
 *     delete a     log (4, a, created 1, null)
 *     head (4), compaction (compacted 0, swept 0)
 *
 * The state at revision N is the newest row of each key up to N; a watch from N is the rows after it. Compaction to 4 removes the rows 1, 2
 * and 4: what a later row up to 4 replaces, and deletes.
 *
 * Every write locks the row of `head` and keeps the lock until its commit can be seen. So revisions become visible in their order, and a
 * reader that has seen one has seen all before it.
 */
export const formatNewest = 1;

/** Refusals of the functions, as SQL states of our own. */
export const refused = {
  /** The batch was given up by `settle`, and never happens. */
  voided: "OR001",
  /** The database is older than what the caller has seen of it. */
  wentBack: "OR002",
  /** One write of a whole commit is not possible; the message has its place, from 1, and the revision of its key. */
  conflict: "OR003",
} as const;

const tables = (schema: string): string => `
CREATE TABLE IF NOT EXISTS ${schema}.head (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  revision bigint NOT NULL,
  format integer NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE TABLE IF NOT EXISTS ${schema}.compaction (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  compacted bigint NOT NULL,
  swept bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS ${schema}.log (
  revision bigint PRIMARY KEY,
  key bytea NOT NULL,
  created bigint NOT NULL,
  value bytea
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);
ALTER TABLE ${schema}.log ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS log_by_key ON ${schema}.log (key, revision DESC);
CREATE TABLE IF NOT EXISTS ${schema}.writers (
  id bigint PRIMARY KEY,
  batch bigint NOT NULL,
  revisions bigint[],
  conflicts bigint[],
  used timestamptz NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE IF NOT EXISTS ${schema}.reservations (
  id bigint PRIMARY KEY,
  revision bigint NOT NULL,
  until timestamptz NOT NULL
);
INSERT INTO ${schema}.head (revision, format) VALUES (0, ${formatNewest}) ON CONFLICT DO NOTHING;
INSERT INTO ${schema}.compaction (compacted, swept) VALUES (0, 0) ON CONFLICT DO NOTHING;
`;

/**
 * Several compare-and-swaps in one commit; each succeeds or not for itself, unless they are one whole: then the first conflict refuses all.
 * The keys and values lie one behind the other in `data`; a value of length -1 is a delete, and one of -2 a comparison only. `o_revisions` has the revision of each write, 0 where it was refused, and then `o_conflicts` where the key is.
 * The outcome stays in `writers` until the next batch, for a caller that never got the answer.
 */
const write = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.write(p_writer bigint, p_batch bigint, p_seen bigint, p_data bytea, p_keys integer[],
  p_values integer[], p_expected bigint[], p_whole boolean, OUT o_revisions bigint[], OUT o_conflicts bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  v_head bigint;
  v_newest bigint;
  v_at integer := 1;
  v_key bytea;
  v_value bytea;
  v_revision bigint;
  v_created bigint;
  v_deleted boolean;
BEGIN
  SELECT h.revision INTO v_head FROM ${schema}.head h FOR NO KEY UPDATE;
  IF v_head < p_seen THEN
    RAISE EXCEPTION 'the newest revision is %, and % was seen before', v_head, p_seen USING ERRCODE = '${refused.wentBack}';
  END IF;
  PERFORM FROM ${schema}.writers w WHERE w.id = p_writer AND w.batch >= p_batch;
  IF FOUND THEN
    RAISE EXCEPTION 'the batch was given up' USING ERRCODE = '${refused.voided}';
  END IF;
  v_newest := v_head;
  FOR i IN 1 .. cardinality(p_keys) LOOP
    v_key := substring(p_data FROM v_at FOR p_keys[i]);
    v_at := v_at + p_keys[i];
    IF p_values[i] < 0 THEN
      v_value := NULL;
    ELSE
      v_value := substring(p_data FROM v_at FOR p_values[i]);
      v_at := v_at + p_values[i];
    END IF;
    SELECT l.revision, l.created, l.value IS NULL INTO v_revision, v_created, v_deleted
      FROM ${schema}.log l WHERE l.key = v_key ORDER BY l.revision DESC LIMIT 1;
    IF NOT FOUND OR v_deleted THEN
      v_revision := 0;
    END IF;
    IF v_revision <> p_expected[i] OR (p_values[i] = -1 AND v_revision = 0) THEN
      IF p_whole THEN
        RAISE EXCEPTION '% %', i, v_revision USING ERRCODE = '${refused.conflict}';
      END IF;
      o_revisions[i] := 0;
      o_conflicts[i] := v_revision;
    ELSIF p_values[i] = -2 THEN
      o_revisions[i] := v_revision;
      o_conflicts[i] := 0;
    ELSE
      v_newest := v_newest + 1;
      INSERT INTO ${schema}.log (revision, key, created, value)
        VALUES (v_newest, v_key, CASE WHEN v_revision = 0 THEN v_newest ELSE v_created END, v_value);
      o_revisions[i] := v_newest;
      o_conflicts[i] := 0;
    END IF;
  END LOOP;
  INSERT INTO ${schema}.writers AS w (id, batch, revisions, conflicts, used)
    VALUES (p_writer, p_batch, o_revisions, o_conflicts, now())
    ON CONFLICT (id) DO UPDATE SET batch = EXCLUDED.batch, revisions = EXCLUDED.revisions, conflicts = EXCLUDED.conflicts, used = EXCLUDED.used;
  IF v_newest > v_head THEN
    UPDATE ${schema}.head h SET revision = v_newest;
    PERFORM pg_notify('${channelOf(schema)}', '');
  END IF;
END $$;
`;

/**
 * The outcome of a batch whose answer was lost; without one the batch is given up, so that it can never happen later. Both cases write, so
 * that the answer waits for replicas as the batch itself did.
 */
const settle = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.settle(p_writer bigint, p_batch bigint, OUT o_revisions bigint[], OUT o_conflicts bigint[])
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ${schema}.head h FOR NO KEY UPDATE;
  UPDATE ${schema}.writers w SET used = now() WHERE w.id = p_writer AND w.batch = p_batch
    RETURNING w.revisions, w.conflicts INTO o_revisions, o_conflicts;
  IF NOT FOUND THEN
    INSERT INTO ${schema}.writers (id, batch, used) VALUES (p_writer, p_batch, now())
      ON CONFLICT (id) DO UPDATE SET batch = EXCLUDED.batch, revisions = NULL, conflicts = NULL, used = EXCLUDED.used;
  END IF;
END $$;
`;

/** A database that has lost acknowledged writes continues above all that anybody has seen, without history. */
const leap = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.leap(p_seen bigint, p_by bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_head bigint;
BEGIN
  SELECT h.revision INTO v_head FROM ${schema}.head h FOR NO KEY UPDATE;
  IF v_head < p_seen THEN
    UPDATE ${schema}.head h SET revision = p_seen + p_by;
    UPDATE ${schema}.compaction c SET compacted = p_seen + p_by;
    PERFORM pg_notify('${channelOf(schema)}', '');
  END IF;
END $$;
`;

/**
 * Removes what compaction has left over, for at most `p_most` revisions; true: there is more. Only one caller works at a time. Never
 * touches the row that writes lock.
 */
const sweep = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.sweep(p_most bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_compacted bigint;
  v_swept bigint;
  v_until bigint;
BEGIN
  SELECT c.compacted, c.swept INTO v_compacted, v_swept FROM ${schema}.compaction c FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND OR v_swept >= v_compacted THEN
    RETURN false;
  END IF;
  SELECT max(l.revision) INTO v_until FROM
    (SELECT revision FROM ${schema}.log WHERE revision > v_swept AND revision <= v_compacted ORDER BY revision LIMIT p_most) l;
  v_until := coalesce(v_until, v_compacted);
  DELETE FROM ${schema}.log o USING ${schema}.log n
    WHERE n.revision > v_swept AND n.revision <= v_until AND o.key = n.key AND o.revision < n.revision;
  DELETE FROM ${schema}.log o WHERE o.revision > v_swept AND o.revision <= v_until AND o.value IS NULL;
  UPDATE ${schema}.compaction c SET swept = v_until;
  DELETE FROM ${schema}.writers w WHERE w.used < now() - interval '1 day';
  DELETE FROM ${schema}.reservations r WHERE r.until < now();
  RETURN v_until < v_compacted;
END $$;
`;

/** Everything of a new schema, in statements that may be repeated; one transaction. */
export function schemaStatements(name: string): string {
  const schema = quoted(name);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema};`,
    tables(schema),
    write(schema),
    settle(schema),
    leap(schema),
    sweep(schema),
  ].join("\n");
}

/** An identifier as SQL takes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The channel on which writes announce themselves; the name of a channel has at most 63 bytes. */
export function channelOf(schema: string): string {
  return `orch ${schema.replaceAll(/[^A-Za-z0-9_]/g, "").slice(0, 50)}`;
}

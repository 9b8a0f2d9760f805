/** How a file of an older format becomes one of the newest: one step for each format, each of them whole or not at all. */

import type { Database } from "lmdb";

interface MigratedTables {
  readonly log: Database<Buffer, Buffer>;
  readonly index: Database<Buffer, Buffer>;
  readonly meta: Database<Buffer, Buffer>;
}

/**
 * Changes the tables from one format to the next. It runs inside one transaction together with the new number, so a crash leaves
 * the file as it was; it must not wait for anything.
 */
export type Migration = (tables: MigratedTables) => void;

/** The format of the first release. */
export const firstFormat = 1;

/**
 * The step at index 0 leads from format 1 to format 2, and so on; the newest format is `firstFormat` plus their number. Adding a
 * step makes older programs refuse the file, so a step is only for layouts that they would misread. Keep a small store of each format in
 * `test/fixtures/`.
 */
export const migrations: readonly Migration[] = [];

/** The newest format that this program knows. */
export const formatVersion = firstFormat + migrations.length;

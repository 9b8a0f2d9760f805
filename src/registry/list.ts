/** Reading a collection: the newest state, a given one, or the next chunk of one. */

import { RevisionCompacted } from "../kv/contract.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { expired } from "../machinery/status/status.ts";
import type { ListQuery, ListResult } from "./contract.ts";
import { type Core, catchUp } from "./core.ts";
import type { StoredEntry } from "./entry.ts";
import { notOlderThan } from "./get.ts";
import { behind, ordered, prefixOf } from "./keys.ts";
import { openToken, sealToken } from "./paging.ts";
import { parseSelection, type Selection } from "./selection.ts";
import type { Snapshot } from "./snapshot.ts";
import { translateKvErrors } from "./store-errors.ts";
import { wantedState } from "./versions.ts";
import { countFrom, take } from "./walk.ts";

/** How many objects are read from the store at once when the mirror no longer has the state asked for. */
const storePageSize = 500;

interface Page {
  readonly entries: StoredEntry[];
  /** The path of the last entry; undefined: nothing follows. */
  readonly last: string | undefined;
  /** How many objects follow, selected or not; undefined: not known. */
  readonly following: number | undefined;
}

export async function list(core: Core, kind: BoundKind, query: ListQuery): Promise<ListResult> {
  const { family } = kind;
  const wanted = wantedState(family, query);
  const selection = parseSelection(kind, query);
  const limit = Math.max(0, query.limit ?? 0);
  switch (wanted.state) {
    case "newest":
      await catchUp(core, query.signal);
      return newestPage(core, family, query, selection, "", limit);
    case "any":
      // As the reference does: what is at hand is shown whole, since it costs nothing to look it up.
      return newestPage(core, family, query, selection, "", 0);
    case "notOlderThan":
      await notOlderThan(core, wanted.version, query.signal);
      return newestPage(core, family, query, selection, "", limit);
    case "exactly":
      await notOlderThan(core, wanted.version, query.signal);
      return pageAt(core, family, query, selection, wanted.version, "", limit);
    case "continued": {
      const { revision, after } = openToken(core.continueKey, family, query.namespace, wanted.token);
      if (revision !== undefined) {
        await notOlderThan(core, revision, query.signal);
        return pageAt(core, family, query, selection, revision, after, limit);
      }
      await catchUp(core, query.signal);
      return newestPage(core, family, query, selection, after, limit);
    }
  }
}

function newestPage(
  core: Core,
  family: Family,
  query: ListQuery,
  selection: Selection,
  after: string,
  limit: number,
): ListResult {
  const collection = core.mirror.of(family);
  collection.prepareFor(selection);
  return result(core, family, query, selection, core.mirror.revision, cut(collection.live, selection, after, limit));
}

/** The state of `revision`: from the mirror while it remembers, else from the store while that does. */
async function pageAt(
  core: Core,
  family: Family,
  query: ListQuery,
  selection: Selection,
  revision: bigint,
  after: string,
  limit: number,
): Promise<ListResult> {
  const collection = core.mirror.of(family);
  const snapshot = collection.history.stateAt(revision, collection.live);
  const page =
    snapshot === undefined
      ? await readPage(core, family, query, selection, revision, after, limit)
      : cut(snapshot, selection, after, limit);
  return result(core, family, query, selection, revision, page);
}

function cut(snapshot: Snapshot, selection: Selection, after: string, limit: number): Page {
  const from = after === "" ? "" : behind(ordered(after));
  // One more than asked for tells whether anything follows.
  const entries = take(snapshot, selection, from, limit > 0 ? limit + 1 : Number.POSITIVE_INFINITY);
  if (limit === 0 || entries.length <= limit) return { entries, last: undefined, following: 0 };
  entries.pop();
  const last = entries.at(-1)!.path;
  return { entries, last, following: countFrom(snapshot, selection.namespace, behind(ordered(last))) };
}

async function readPage(
  core: Core,
  family: Family,
  query: ListQuery,
  selection: Selection,
  revision: bigint,
  after: string,
  limit: number,
): Promise<Page> {
  const folder = prefixOf(family);
  const prefix = selection.namespace === "" ? folder : `${folder}${selection.namespace}/`;
  const entries: StoredEntry[] = [];
  let start = after === "" ? prefix : behind(folder + after);
  for (;;) {
    query.signal?.throwIfAborted();
    const range = await core.kv.range(prefix, { start, revision, limit: storePageSize }).catch((error: unknown) => {
      if (error instanceof RevisionCompacted) throw tooOld(core, family, query, after);
      return translateKvErrors(error);
    });
    for (const [index, { key, value, revision: at }] of range.entries.entries()) {
      const entry = core.mirror.entryOf(family, key.slice(folder.length), value, at);
      if (!selection.matches(entry)) continue;
      if (limit > 0 && entries.length === limit) {
        const following = range.remaining + range.entries.length - index;
        return { entries, last: entries.at(-1)!.path, following: selection.restricted ? undefined : following };
      }
      entries.push(entry);
    }
    if (range.remaining === 0) return { entries, last: undefined, following: 0 };
    start = behind(range.entries.at(-1)!.key);
  }
}

function result(
  core: Core,
  family: Family,
  query: ListQuery,
  selection: Selection,
  revision: bigint,
  { entries, last, following }: Page,
): ListResult {
  if (last === undefined) return { entries, revision, continue: "", remainingItemCount: undefined };
  return {
    entries,
    revision,
    continue: sealToken(core.continueKey, family, query.namespace, { revision, after: last }),
    remainingItemCount: selection.restricted ? undefined : following,
  };
}

/** A chunked list gets a token with which it can go on nevertheless, though no longer in one state. */
function tooOld(core: Core, family: Family, query: ListQuery, after: string): Error {
  if (!query.continue) return expired("the state of this resourceVersion is no longer kept; list again without it");
  const token = sealToken(core.continueKey, family, query.namespace, { revision: undefined, after });
  return expired(
    "the state this list began with is no longer kept: begin anew without continue, or go on with the token in this " +
      "answer and see objects of different moments",
    token,
  );
}

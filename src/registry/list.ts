/** Lists a collection: the newest state, a given one, or the next chunk of one. */

import { keyOrder } from "../base/key-order.ts";
import { RevisionCompacted } from "../kv/contract.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { expired } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import { readValues } from "./cache/read-values.ts";
import { parseSelection, type Selection } from "./cache/selection.ts";
import type { Snapshot } from "./cache/snapshot.ts";
import { unreadableError } from "./cache/unreadable.ts";
import { countFrom, takeInSlices } from "./cache/walk.ts";
import type { ListResult, RegistryListQuery } from "./contract/registry.ts";
import { notOlderThan } from "./get.ts";
import { behind, prefixOf } from "./keys.ts";
import { openToken, sealToken } from "./paging.ts";
import { catchUp, type RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";
import { wantedState } from "./versions.ts";

/** How many objects are read from the store at once when the cache no longer has the requested state. */
const storePageSize = 500;

/** The parsed query, which all steps below share. */
interface Listing {
  readonly services: RegistryServices;
  readonly kind: BoundKind;
  readonly family: Family;
  readonly query: RegistryListQuery;
  readonly selection: Selection;
  /** The path after which the list continues; "": from the beginning. */
  readonly after: string;
  /** 0: none. */
  readonly limit: number;
}

interface Page {
  readonly entries: StoredEntry[];
  /** The path of the last entry; undefined: nothing follows. As in the reference, objects that are not selected count. */
  readonly last: string | undefined;
  /** How many objects follow, selected or not; undefined: not known. */
  readonly following: number | undefined;
}

export async function list(services: RegistryServices, kind: BoundKind, query: RegistryListQuery): Promise<ListResult> {
  const { family } = kind;
  const wanted = wantedState(family, family.environment.gates.enabled("APIListChunking") ? query : withoutToken(query));
  const limit = family.environment.gates.enabled("APIListChunking") ? Math.max(0, query.limit ?? 0) : 0;
  const listing: Listing = { services, kind, family, query, selection: parseSelection(kind, query), after: "", limit };
  switch (wanted.state) {
    case "newest":
      await catchUp(services, query);
      return newestPage(listing);
    case "any":
      // As in the reference: a cached state is returned whole, since reading it is cheap.
      return newestPage({ ...listing, limit: 0 });
    case "notOlderThan":
      await notOlderThan(services, wanted.version, query);
      return newestPage(listing);
    case "exactly":
      await notOlderThan(services, wanted.version, query);
      return pageAt(wanted.version, listing);
    case "continued": {
      const { revision, after } = openToken(services.continueKey, family, query.namespace, wanted.token);
      if (revision !== undefined) {
        await notOlderThan(services, revision, query);
        return pageAt(revision, { ...listing, after });
      }
      await catchUp(services, query);
      return newestPage({ ...listing, after });
    }
  }
}

async function newestPage(listing: Listing): Promise<ListResult> {
  const { services, kind, family, selection } = listing;
  services.cache.unreadable.refuseSelected(kind, selection);
  const collection = services.cache.of(family);
  collection.prepareFor(selection);
  // Both are of this moment: others may write between the time slices of a long search.
  const { revision } = services.cache;
  return result(revision, await cut(collection.live, listing), listing);
}

/** Without chunks a token means nothing: the list is whole. */
function withoutToken({ continue: _token, ...query }: RegistryListQuery): RegistryListQuery {
  return query;
}

/** The state of `revision`: from the cache if it still has it, otherwise from the store if that does. */
async function pageAt(revision: bigint, listing: Listing): Promise<ListResult> {
  const { services, kind, family, selection } = listing;
  services.cache.unreadable.refuseSelected(kind, selection);
  const collection = services.cache.of(family);
  const snapshot = collection.history.stateAt(revision, collection.live);
  const page = snapshot === undefined ? await readPage(revision, listing) : await cut(snapshot, listing);
  return result(revision, page, listing);
}

async function cut(snapshot: Snapshot, { selection, after, limit }: Listing): Promise<Page> {
  const from = after === "" ? "" : behind(keyOrder(after));
  const entries = await takeInSlices(snapshot, selection, from, limit > 0 ? limit : Number.POSITIVE_INFINITY);
  const last = entries.at(-1)?.path;
  if (limit === 0 || entries.length < limit || last === undefined || selection.path !== undefined)
    return { entries, last: undefined, following: 0 };
  const following = countFrom(snapshot, selection.namespace, behind(keyOrder(last)));
  return { entries, last: following === 0 ? undefined : last, following };
}

async function readPage(revision: bigint, listing: Listing): Promise<Page> {
  const { services, kind, family, query, selection, after, limit } = listing;
  const folder = prefixOf(family);
  const prefix = selection.namespace === "" ? folder : `${folder}${selection.namespace}/`;
  const entries: StoredEntry[] = [];
  let start = after === "" ? prefix : behind(folder + after);
  for (;;) {
    query.signal?.throwIfAborted();
    const range = await services.durations
      .measure("list", family, services.kv.range(prefix, { start, revision, limit: storePageSize, damaged: true }))
      .catch((error: unknown) => {
        if (error instanceof RevisionCompacted) throw tooOld(listing);
        return translateKvErrors(error);
      });
    const values = await readValues(range.entries, services.cache.reader);
    for (const [index, { key, read, revision: at }] of values.entries()) {
      const path = key.slice(folder.length);
      if (read?.error !== undefined) throw unreadableError(kind, [[path, { error: read.error }]]);
      const entry = services.cache.reader.entryOf(family, path, read!, at);
      if (limit > 0 && entries.length === limit) {
        const following = range.remaining + range.entries.length - index;
        return { entries, last: entries.at(-1)!.path, following: selection.restricted ? undefined : following };
      }
      if (selection.matches(entry)) entries.push(entry);
    }
    if (range.remaining === 0) return { entries, last: undefined, following: 0 };
    start = behind(range.entries.at(-1)!.key);
  }
}

function result(
  revision: bigint,
  { entries, last, following }: Page,
  { services, family, query, selection }: Listing,
): ListResult {
  if (last === undefined) return { entries, revision, continue: "", remainingItemCount: undefined };
  const counts = family.environment.gates.enabled("RemainingItemCount");
  return {
    entries,
    revision,
    continue: sealToken(services.continueKey, family, query.namespace, { revision, after: last }),
    remainingItemCount: selection.restricted || !counts ? undefined : following,
  };
}

/** A chunked list gets a token with which it can still continue, though no longer from one consistent state. */
function tooOld({ services, family, query, after }: Listing): Error {
  if (!query.continue) return expired("The resourceVersion for the provided list is too old; list again without it");
  const token = sealToken(services.continueKey, family, query.namespace, { revision: undefined, after });
  return expired(
    "The provided continue parameter is too old to display a consistent list result: start again without continue, or continue with the token in this " +
      "response and get an inconsistent list",
    token,
  );
}

/** Reads a past state of a collection from the store, which the cache no longer has. */

import { RevisionCompacted } from "../kv/contract.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import { expired } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import { readValues } from "./cache/read-values.ts";
import type { Selection } from "./cache/selection.ts";
import { unreadableError } from "./cache/unreadable.ts";
import type { AnsweredQuestion } from "./contract/question.ts";
import type { RegistryListQuery } from "./contract/registry.ts";
import { behind, prefixOf } from "./keys.ts";
import { sealToken } from "./paging.ts";
import { inHistory, oldestText } from "./past.ts";
import type { RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";

/** How many objects are read from the store at once when the cache no longer has the requested state. */
const storePageSize = 500;

/** The parsed query, which all steps of a list share. */
export interface Listing {
  readonly services: RegistryServices;
  readonly kind: BoundKind;
  readonly family: Family;
  readonly query: RegistryListQuery;
  readonly selection: Selection;
  /** The path after which the list continues; "": from the beginning. */
  readonly after: string;
  /** The text of the question of the query, for tokens; "": it has none. */
  readonly question: string;
  /** 0: none. */
  readonly limit: number;
}

export interface Page {
  readonly entries: StoredEntry[];
  /** The path of the last entry; undefined: nothing follows. As in the reference, objects that are not selected count. */
  readonly last: string | undefined;
  /** How many objects follow, selected or not; undefined: not known. */
  readonly following: number | undefined;
  /** How the question of the query was answered; absent: it has none. */
  readonly answered?: AnsweredQuestion;
}

export async function readPage(revision: bigint, listing: Listing): Promise<Page> {
  const { services, kind, family, query, selection, after, limit } = listing;
  const folder = prefixOf(family);
  const prefix = selection.namespace === "" ? folder : `${folder}${selection.namespace}/`;
  const entries: StoredEntry[] = [];
  let start = after === "" ? prefix : behind(folder + after);
  for (;;) {
    query.signal?.throwIfAborted();
    const range = await services.durations
      .measure(
        "list",
        family,
        services.kv.range(prefix, {
          start,
          revision,
          limit: storePageSize,
          damaged: true,
          ...inHistory(services, family, revision),
        }),
      )
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

/** A chunked list gets a token with which it can still continue, though no longer from one consistent state. */
function tooOld(listing: Listing): Error {
  const { services, family, query, after, question } = listing;
  // An order needs one state: where a list of another state would continue is not known.
  if (!query.continue || question !== "")
    return expired(
      `The resourceVersion for the provided list is too old${oldestText(services, family) || "; list again without it"}`,
    );
  const token = sealToken(services.continueKey, family, query.namespace, { revision: undefined, after });
  return expired(
    "The provided continue parameter is too old to display a consistent list result: start again without continue, or continue with the token in this " +
      "response and get an inconsistent list",
    token,
  );
}

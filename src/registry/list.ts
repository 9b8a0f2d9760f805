/** Lists a collection: the newest state, a given one, or the next chunk of one. */

import { keyOrder } from "../base/key-order.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { answer, textOf } from "./answer.ts";
import { parseSelection } from "./cache/selection.ts";
import { type Snapshot, snapshotOf } from "./cache/snapshot.ts";
import { countFrom, takeInSlices } from "./cache/walk.ts";
import type { ListResult, RegistryListQuery } from "./contract/registry.ts";
import { notOlderThan } from "./get.ts";
import { behind } from "./keys.ts";
import { openToken, sealToken } from "./paging.ts";
import { revisionAt } from "./past.ts";
import { type Listing, type Page, readPage } from "./read-past.ts";
import { catchUp, type RegistryServices } from "./services.ts";
import { wantedState } from "./versions.ts";

export async function list(services: RegistryServices, kind: BoundKind, query: RegistryListQuery): Promise<ListResult> {
  const { family } = kind;
  const wanted = wantedState(family, family.environment.gates.enabled("APIListChunking") ? query : withoutToken(query));
  const limit = family.environment.gates.enabled("APIListChunking") ? Math.max(0, query.limit ?? 0) : 0;
  const question = textOf(query.question);
  const selection = parseSelection(kind, query);
  const listing: Listing = { services, kind, family, query, selection, after: "", question, limit };
  const past = query.continue ? undefined : await revisionAt(services, kind, query);
  if (past !== undefined) return pageAt(past, listing);
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
      const { revision, after } = openToken(services.continueKey, family, query.namespace, wanted.token, question);
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
  const { services, kind, family, query, selection } = listing;
  services.cache.unreadable.refuseSelected(kind, selection);
  const collection = services.cache.of(family);
  collection.prepareFor(selection);
  if (query.question?.condition !== undefined) collection.prepareFor(query.question.condition);
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
  const page = snapshot === undefined ? await pageOfStore(revision, listing) : await cut(snapshot, listing);
  return result(revision, page, listing);
}

async function pageOfStore(revision: bigint, listing: Listing): Promise<Page> {
  if (listing.query.question === undefined) return readPage(revision, listing);
  const { entries } = await readPage(revision, { ...listing, after: "", limit: 0 });
  return cut(snapshotOf(entries), listing);
}

async function cut(snapshot: Snapshot, listing: Listing): Promise<Page> {
  const { selection, after, limit, query } = listing;
  if (query.question !== undefined) return answer(snapshot, listing, query.question);
  const from = after === "" ? "" : behind(keyOrder(after));
  const entries = await takeInSlices(snapshot, selection, from, limit > 0 ? limit : Number.POSITIVE_INFINITY);
  const last = entries.at(-1)?.path;
  if (limit === 0 || entries.length < limit || last === undefined || selection.path !== undefined)
    return { entries, last: undefined, following: 0 };
  const following = countFrom(snapshot, selection.namespace, behind(keyOrder(last)));
  return { entries, last: following === 0 ? undefined : last, following };
}

function result(
  revision: bigint,
  { entries, last, following, answered }: Page,
  { services, family, query, selection, question }: Listing,
): ListResult {
  if (answered !== undefined) {
    const token = last && sealToken(services.continueKey, family, query.namespace, { revision, after: last, question });
    return { entries, revision, continue: token ?? "", remainingItemCount: following, answered };
  }
  if (last === undefined) return { entries, revision, continue: "", remainingItemCount: undefined };
  const counts = family.environment.gates.enabled("RemainingItemCount");
  return {
    entries,
    revision,
    continue: sealToken(services.continueKey, family, query.namespace, { revision, after: last }),
    remainingItemCount: selection.restricted || !counts ? undefined : following,
  };
}

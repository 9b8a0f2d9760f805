/**
 * The objects of a type, and then their changes: one watch where the server offers watch lists, a list and a watch elsewhere. Objects come
 * in the representation that the caller chooses. Commands send the requests that kubectl sends, page by page, and their first failure is the
 * user's, so this is not the list-and-watch of informers (`client/informer/reflector.ts`), which keeps a copy current whatever happens.
 */

import type { DiscoveredResource, ListQuery, WatchEvent } from "../../client/contract.ts";
import { tokenAfter } from "../../client/requests/continue-token.ts";
import { hasReason } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { apiVersionOf, dig, isJson, type Json, kindOf, list, text } from "../json.ts";

export interface FollowQuery extends Omit<ListQuery, "continue" | "resourceVersion"> {
  readonly accept?: string;
}

/** PAGE: a part of the state, as a list or a table; `isLast`: the state is complete with it. */
export type Followed = { readonly type: "PAGE"; readonly object: Json; readonly isLast: boolean } | WatchEvent<Json>;

/** Ends when the server ends the watch, or when the signal aborts. Bookmarks are left out. */
export async function* follow(
  context: Context,
  resource: DiscoveredResource,
  query: FollowQuery,
): AsyncGenerator<Followed> {
  for await (const one of followWithBookmarks(context, resource, query)) if (one.type !== "BOOKMARK") yield one;
}

/** `bookmarks`: whether to ask for them where they do not come anyway. */
export async function* followWithBookmarks(
  context: Context,
  resource: DiscoveredResource,
  query: FollowQuery,
  bookmarks?: true,
): AsyncGenerator<Followed> {
  if (await hasWatchLists(context, resource)) {
    let hasBegun = false;
    try {
      for await (const one of asWatchList(context, resource, query)) {
        hasBegun = true;
        yield one;
      }
      return;
    } catch (error) {
      if (hasBegun || !hasReason(error, "Invalid", "BadRequest")) throw error;
    }
  }
  yield* asListAndWatch(context, resource, query, bookmarks);
}

/** Servers have them later than aggregated discovery, and refuse what they do not have. */
const hasWatchLists = async (context: Context, { verbs }: DiscoveredResource): Promise<boolean> =>
  context.behaviour.usesNewRequests && verbs.includes("watch") && (await context.discovery()).isAggregated;

async function* asWatchList(
  context: Context,
  resource: DiscoveredResource,
  { limit = 0, ...query }: FollowQuery,
): AsyncGenerator<Followed> {
  let state: Json[] | undefined = [];
  for await (const event of context.session.watch(resource, { ...query, sendInitialEvents: true })) {
    if (state === undefined) yield event;
    else if (event.type !== "BOOKMARK") {
      state.push(event.object);
      if (state.length === limit) yield { type: "PAGE", object: pageOf(state.splice(0), event.object), isLast: false };
    } else if (endsState(event.object)) {
      yield { type: "PAGE", object: pageOf(state, event.object), isLast: true };
      state = undefined;
    }
  }
}

/** The bookmark at the end of the state; in a table it is the object of its row. The annotation begins with the server's domain. */
function endsState(bookmark: Json): boolean {
  const [row] = list(bookmark, "rows");
  const annotations = dig(row ?? {}, "object", "metadata", "annotations") ?? dig(bookmark, "metadata", "annotations");
  return (
    isJson(annotations) &&
    Object.entries(annotations).some(([name, value]) => name.endsWith("/initial-events-end") && value === "true")
  );
}

/** `last`: the event that completes the page. It has the page's version, and columns even if the table is empty. */
function pageOf(objects: readonly Json[], last: Json): Json {
  const metadata = { resourceVersion: versionOf(last) };
  if (last["kind"] !== "Table") return { kind: "List", apiVersion: "v1", metadata, items: objects };
  return { ...last, metadata, rows: objects.flatMap((table) => list(table, "rows")) };
}

async function* asListAndWatch(
  context: Context,
  resource: DiscoveredResource,
  { namespace, accept = "application/json", signal, limit, ...query }: FollowQuery,
  bookmarks?: true,
): AsyncGenerator<Followed> {
  let since = "";
  let next = "";
  do {
    const chunk = { ...query, limit: limit || undefined, continue: next || undefined };
    const page = await context.session.readList(resource, namespace, { accept, query: chunk, signal });
    since = text(page, "metadata", "resourceVersion");
    next = tokenAfter(next, text(page, "metadata", "continue"));
    yield { type: "PAGE", object: page, isLast: next === "" };
  } while (next !== "");
  const represented = { namespace, accept, signal, ...query };
  yield* context.session.watch(resource, { ...represented, resourceVersion: since, bookmarks });
}

/** The version of a list, an object, or the object in the first row of an event's table. */
export const versionOf = (object: Json): string =>
  text(object, "metadata", "resourceVersion") || text(list(object, "rows")[0], "object", "metadata", "resourceVersion");

/** The objects of a list, each with its type, or the one object that the answer is. */
export function itemsOf(answer: Json): Json[] {
  if (!Array.isArray(answer["items"])) return [answer];
  const kind = kindOf(answer).replace(/List$/, "");
  return answer["items"].filter(isJson).map((item) => ({ apiVersion: apiVersionOf(answer), kind, ...item }));
}

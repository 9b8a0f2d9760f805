/** The objects of a type as a source to follow. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { type FollowQuery, followWithBookmarks } from "./follow.ts";
import type { FollowedSource } from "./keep-following.ts";

export function listSource(context: Context, resource: DiscoveredResource, query: FollowQuery): FollowedSource {
  const { limit: _, ...selection } = query;
  // A watch that is opened again needs a recent version, which bookmarks tell while nothing changes.
  const bookmarks = context.behaviour.resumesWatches ? true : undefined;
  return {
    state: () => followWithBookmarks(context, resource, query, bookmarks),
    changes: (resourceVersion) => context.session.watch(resource, { ...selection, resourceVersion, bookmarks }),
  };
}

/** The objects of a kind, by name, for as long as a view shows them. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { RequestQuery } from "../../client/requests/address.ts";
import { follow } from "../server/follow.ts";
import { type Json, parts, text } from "../server/json.ts";
import type { Page } from "./page.ts";

interface FollowedObjects {
  /** Undefined: the list is still read. */
  readonly objects: readonly Json[] | undefined;
  readonly error: unknown;
}

export const nameOf = (object: Json): string => text(object, "metadata", "name");

/** Follows a kind without namespaces, or one namespace: objects are told apart by their names. */
export function useFollowed(
  { connection }: Page,
  resource: DiscoveredResource,
  query: RequestQuery,
  namespace = "",
): FollowedObjects {
  const [objects, setObjects] = useState<ReadonlyMap<string, Json> | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const followed = { resource, namespace, query, accept: "application/json", signal: ended.signal };
    const put = (changed: readonly Json[], isFirst = false) =>
      setObjects(
        (all) => new Map([...(isFirst ? [] : (all ?? [])), ...changed.map((one) => [nameOf(one), one] as const)]),
      );
    void follow(connection, followed, {
      listed(list, isFirst) {
        setError(undefined);
        put(parts(list, "items"), isFirst);
      },
      complete: () => undefined,
      changed(type, object) {
        if (type !== "DELETED") return put([object]);
        setObjects((all) => new Map([...(all ?? [])].filter(([name]) => name !== nameOf(object))));
      },
      failed: setError,
    });
    return () => ended.abort();
  }, []);
  return { objects: objects && [...objects.values()], error };
}

/** `client.object()`: one object of a kind that the program does not know, and its neighbours. */

import type { KindTraits, ListQuery, Stored, WatchQuery } from "../client/contract.ts";
import { groupOf } from "../client/requests/address.ts";
import { isObject } from "../machinery/json/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { ApplyOptions, CallOptions, ChangeEvent, Resource, UntypedObject, WriteOptions } from "./contract.ts";

/** What finds out where objects of a kind are served. */
export interface UntypedParts {
  /** Rejects with NotFound if the server does not serve the kind. */
  resourceOf(names: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }): Promise<Resource<ApiObject, KindTraits>>;
}

export function createUntypedObject(object: ApiObject, { resourceOf }: UntypedParts): UntypedObject {
  const { apiVersion, kind } = isObject(object) ? object : { apiVersion: undefined, kind: undefined };
  if (!apiVersion || !kind || !isObject(object.metadata))
    throw new TypeError(
      'an object needs apiVersion, kind and metadata: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }',
    );
  const group = groupOf(apiVersion);
  const names = { group, version: apiVersion.slice(group === "" ? 0 : group.length + 1), kind };
  let found: Promise<Resource<ApiObject, KindTraits>> | undefined;
  const resource = () => {
    found ??= resourceOf(names);
    // A definition may come later: the next call asks again.
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
  return {
    get: async (options?: CallOptions) => (await resource()).get(object, options),
    find: async (options?: CallOptions) => (await resource()).find(object, options),
    create: async (options?: WriteOptions) => (await resource()).create(object, options),
    update: async (options?: WriteOptions) => (await resource()).update(object, options),
    apply: async (options: ApplyOptions) => (await resource()).apply(object, options),
    patch: async (patch, options) => (await resource()).patch(object, patch, options),
    delete: async (options) => (await resource()).delete(object, options),
    list(query?: ListQuery) {
      const items = async function* () {
        yield* (await resource()).list(query);
      };
      return {
        [Symbol.asyncIterator]: items,
        all: async () => (await resource()).list(query).all(),
        page: async () => (await resource()).list(query).page(),
      };
    },
    async *watch(query: WatchQuery = {}) {
      yield* (await resource()).watch(query) as AsyncIterable<ChangeEvent<Stored<ApiObject>>>; // as there
    },
    resource,
  };
}

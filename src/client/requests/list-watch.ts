/** List and watch of a resource by requests, with each object held as it was sent. */

import { labelMap } from "../../machinery/selectors/label-selector.ts";
import type { AnyObject, CachedObject, CachedObjectEvent, ListWatch, ResourceClient, WatchQuery } from "../contract.ts";
import { shareParts } from "./share-parts.ts";

export function listWatchOf<T extends AnyObject>(resource: ResourceClient<T>): ListWatch<T> {
  let last: T | undefined;
  const hold = (object: T) => {
    last = shareParts(last, object);
    return new SentObject(last);
  };
  return {
    address: resource.address,
    async list(query) {
      const { items, ...rest } = await resource.list(query);
      return { ...rest, items: items.map(hold) };
    },
    watch: (query) => watch(resource, hold, query),
  };
}

async function* watch<T extends AnyObject>(
  resource: ResourceClient<T>,
  hold: (object: T) => CachedObject<T>,
  query?: WatchQuery,
): AsyncGenerator<CachedObjectEvent<T>> {
  for await (const { type, object } of resource.watch(query)) {
    const { resourceVersion = "" } = object.metadata;
    if (type === "BOOKMARK") yield { type, resourceVersion, endsInitial: endsInitial(object) };
    else yield { type, held: hold(object), resourceVersion };
  }
}

/** The name of the annotation begins with the domain of the server. */
const endsInitial = ({ metadata }: AnyObject): boolean =>
  Object.entries(metadata.annotations ?? {}).some(
    ([name, value]) => name.endsWith("/initial-events-end") && value === "true",
  );

class SentObject<T extends AnyObject> implements CachedObject<T> {
  readonly #object: T;

  constructor(object: T) {
    this.#object = object;
  }
  get namespace(): string {
    return this.#object.metadata.namespace ?? "";
  }
  get name(): string {
    return this.#object.metadata.name ?? "";
  }
  get revision(): string {
    return this.#object.metadata.resourceVersion ?? "";
  }
  get labels(): ReadonlyMap<string, string> {
    return labelMap(this.#object.metadata.labels);
  }
  object(): T {
    return this.#object;
  }
}

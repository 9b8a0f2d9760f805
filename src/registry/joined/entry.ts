/** An object of one of several stores, which says in an annotation which one that is. */

import type { Family } from "../../machinery/schema/catalog.ts";
import { StoredEntry } from "../cache/entry.ts";
import { readStored } from "../cache/layout.ts";
import type { RepresentationCache } from "../cache/representation-cache.ts";
import type { PartValue } from "./contract.ts";

/** `shop` and `default/prices` -> `shop/default/prices`: where the objects of all stores are in one order. */
export const joinedPath = ({ part, path }: Pick<PartValue, "part" | "path">): string => `${part}/${path}`;

interface Parts {
  readonly family: Family;
  /** The annotation whose value is the name of the store, whatever the object says there itself. */
  readonly annotation: string;
  readonly representationCache: RepresentationCache;
}

export function joinedEntry({ family, annotation, representationCache }: Parts, given: PartValue): JoinedEntry {
  const { part, path, value, revision } = given;
  const { layout, body, attributes } = readStored(family, value, undefined, (object) => {
    const { metadata } = object;
    object.metadata = { ...metadata, annotations: { ...metadata.annotations, [annotation]: part } };
  });
  return new JoinedEntry(part, layout, path, body, revision, attributes, representationCache);
}

/** Its path is that among the objects of all stores. */
export class JoinedEntry extends StoredEntry {
  readonly part: string;

  constructor(part: string, ...rest: ConstructorParameters<typeof StoredEntry>) {
    super(...rest);
    this.part = part;
  }

  override get path(): string {
    return joinedPath({ part: this.part, path: super.path });
  }
}

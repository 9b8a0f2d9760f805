/** Entries of a plain kind without a registry, for tests of the cache. */

import { createCatalog } from "../../machinery/catalog/bind.ts";
import { plainEnvironment } from "../../machinery/schema/environment.suite.ts";
import { sampleKinds } from "../fixture.suite.ts";
import { StoredEntry } from "./entry.ts";
import { layoutOf } from "./layout.ts";
import { RepresentationCache } from "./representation-cache.ts";

const note = createCatalog(sampleKinds, plainEnvironment()).byResource("", "v1", "notes")!;
const representationCache = new RepresentationCache(0);

/** The family of all entries that `noteEntry` makes. */
export const noteFamily = note.family;

export interface NoteParts {
  /** Default: "a". */
  readonly namespace?: string;
  readonly name: string;
  /** Default: 1. */
  readonly revision?: bigint;
  readonly labels?: Readonly<Record<string, string>>;
}

export function noteEntry({ namespace = "a", name, revision = 1n, labels = {} }: NoteParts): StoredEntry {
  const layout = layoutOf(note);
  const object = { kind: note.kind, apiVersion: note.apiVersion, metadata: { name, namespace, labels } };
  return new StoredEntry(
    layout,
    `${namespace}/${name}`,
    layout.encode(object),
    revision,
    layout.attributes(object),
    representationCache,
  );
}

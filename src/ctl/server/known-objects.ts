/** The objects that a watch has shown, so that a state that is read again becomes the changes since then. */

import type { WatchEvent } from "../../client/contract.ts";
import { type Json, list, object, text } from "../json.ts";
import { type Followed, itemsOf } from "./follow.ts";

interface Known {
  readonly uid: string;
  readonly version: string;
  /** The object, or a table with its row. */
  readonly last: Json;
}

export class KnownObjects {
  readonly #known = new Map<string, Known>();
  /** The objects that the state that is being read again has not named yet; undefined: the first state is read. */
  #unnamed: Set<string> | undefined;

  /** A state follows, in pages. */
  beginState(): void {
    this.#unnamed = this.#known.size === 0 ? undefined : new Set(this.#known.keys());
  }

  /** What to show: a page of the first state as it is, of a later one the changes that it tells. */
  *note(one: Followed): Generator<Followed> {
    if (one.type !== "PAGE") {
      for (const part of partsOf(one.object)) this.#remember(one.type, part);
      yield one;
      return;
    }
    const parts = partsOf(one.object);
    if (this.#unnamed === undefined) {
      for (const part of parts) this.#remember("ADDED", part);
      yield one;
      return;
    }
    for (const part of parts) yield* this.#changes(part);
    if (one.isLast) yield* this.#endState();
  }

  *#changes(part: Json): Generator<WatchEvent<Json>> {
    const key = keyOf(part);
    const before = this.#known.get(key);
    const { uid, version } = knownOf(part);
    this.#unnamed?.delete(key);
    // Another object of the same name: the one before it was deleted.
    const isAnother = before !== undefined && before.uid !== uid;
    if (isAnother) yield { type: "DELETED", object: before.last };
    if (before === undefined || isAnother) yield { type: "ADDED", object: part };
    else if (before.version !== version) yield { type: "MODIFIED", object: part };
    this.#remember("MODIFIED", part);
  }

  *#endState(): Generator<WatchEvent<Json>> {
    for (const key of this.#unnamed ?? []) {
      const gone = this.#known.get(key);
      this.#known.delete(key);
      if (gone !== undefined) yield { type: "DELETED", object: gone.last };
    }
  }

  #remember(type: WatchEvent<Json>["type"], part: Json): void {
    if (type === "BOOKMARK") return;
    if (type === "DELETED") this.#known.delete(keyOf(part));
    else this.#known.set(keyOf(part), knownOf(part));
  }
}

/** A table of one row for each row; otherwise the objects. */
function partsOf(answer: Json): Json[] {
  if (answer["kind"] !== "Table") return itemsOf(answer);
  return list(answer, "rows").map((row) => ({ ...answer, rows: [row] }));
}

/** The metadata of the object, or of that in the one row of a table. */
const metadataOf = (part: Json): Json =>
  part["kind"] === "Table" ? object(list(part, "rows")[0], "object", "metadata") : object(part, "metadata");

const keyOf = (part: Json): string => `${text(metadataOf(part), "namespace")}/${text(metadataOf(part), "name")}`;

const knownOf = (part: Json): Known => ({
  uid: text(metadataOf(part), "uid"),
  version: text(metadataOf(part), "resourceVersion"),
  last: withoutManagedFields(part),
});

/** They are most of a row, and nobody sees them. */
function withoutManagedFields(part: Json): Json {
  if (part["kind"] !== "Table") return part;
  const { managedFields: _, ...metadata } = metadataOf(part);
  return { ...part, rows: list(part, "rows").map((row) => ({ ...row, object: { metadata } })) };
}

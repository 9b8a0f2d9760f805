/**
 * The fields that creates set, remembered: objects made after one template set the same fields, and finding them out anew
 * would be the longest part of a create.
 */

import type { BoundKind } from "../schema/catalog.ts";
import { deepFreeze } from "../schema/freeze.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { FieldSet } from "./field-set.ts";
import { isEmpty } from "./field-set.ts";
import { entryOf } from "./managed.ts";
import { type Outline, outlineOf, type Part } from "./outline.ts";
import { keepPrinted } from "./print-managed.ts";

/** Parts of all outlines that are remembered of one kind; more than that and remembering starts anew. */
export const rememberedPartsMax = 20_000;

/** What all objects of one outline set. Their books are one list as long as one manager makes them within one second. */
export class Template {
  readonly parts: readonly Part[];
  /** Frozen: whoever creates after it shares it. */
  readonly set: FieldSet;
  #manager = "";
  #now = "";
  #books: readonly ManagedFieldsEntry[] = none;
  #isPrinted = false;

  constructor(parts: readonly Part[], set: FieldSet) {
    this.parts = parts;
    this.set = deepFreeze(set);
    keepPrinted(set);
  }

  /** The managedFields of an object that `manager` creates `now`, frozen; none: it owns nothing. */
  books({ apiVersion }: BoundKind, manager: string, now: string): readonly ManagedFieldsEntry[] {
    if (isEmpty(this.set)) return none;
    if (this.#manager !== manager || this.#now !== now || this.#books === none) {
      const entry = entryOf({ name: manager, operation: "Update", apiVersion, time: now, set: this.set });
      this.#manager = manager;
      this.#now = now;
      this.#books = Object.freeze([Object.freeze(entry)]);
      this.#isPrinted = false;
    } else if (!this.#isPrinted) {
      // The second object: more will come.
      keepPrinted(this.#books);
      this.#isPrinted = true;
    }
    return this.#books;
  }
}

const none: readonly ManagedFieldsEntry[] = Object.freeze([]);

/** What is remembered of one kind. Of outlines that share a hash only the latest is known, so nobody can make it slow. */
export class CreatedFields {
  readonly #byHash = new Map<number, Template>();
  #parts = 0;

  /** Undefined: not remembered. */
  get(outline: Outline): Template | undefined {
    const found = this.#byHash.get(outline.hash);
    return found !== undefined && isSame(found.parts, outline) ? found : undefined;
  }

  remember(outline: Outline, set: FieldSet): void {
    this.#parts += outline.length - (this.#byHash.get(outline.hash)?.parts.length ?? 0);
    if (this.#parts > rememberedPartsMax) {
      this.#byHash.clear();
      this.#parts = outline.length;
    }
    this.#byHash.set(outline.hash, new Template(outline.parts.slice(0, outline.length), set));
  }
}

function isSame(known: readonly Part[], { parts, length }: Outline): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== parts[at]) return false;
  return true;
}

const byKind = new WeakMap<BoundKind, CreatedFields>();

/** What is remembered of objects that set the same fields as `object`; undefined: nothing. */
export function rememberedTemplate(kind: BoundKind, object: ApiObject): Template | undefined {
  const outline = outlineOf(kind, object);
  return outline && byKind.get(kind)?.get(outline);
}

export function rememberFields(kind: BoundKind, object: ApiObject, set: FieldSet): void {
  const outline = outlineOf(kind, object);
  if (outline === undefined) return;
  const fields = byKind.get(kind) ?? new CreatedFields();
  byKind.set(kind, fields);
  fields.remember(outline, set);
}

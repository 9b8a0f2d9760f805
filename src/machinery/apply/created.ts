/**
 * The fields that creates set, remembered: objects made after one template set the same fields, and finding them out anew
 * would be the longest part of a create.
 */

import type { BoundKind } from "../schema/catalog.ts";
import { deepFreeze } from "../schema/freeze.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { FieldSet } from "./field-set.ts";
import { type Outline, outlineOf, type Part } from "./outline.ts";
import { keepPrinted } from "./print-managed.ts";

/** Parts of all outlines that are remembered of one kind; more than that and remembering starts anew. */
export const rememberedPartsMax = 20_000;

interface Remembered {
  readonly parts: readonly Part[];
  readonly set: FieldSet;
}

/** What is remembered of one kind. Of outlines that share a hash only the latest is known, so nobody can make it slow. */
export class CreatedFields {
  readonly #byHash = new Map<number, Remembered>();
  #parts = 0;

  /** Undefined: not remembered. */
  get(outline: Outline): FieldSet | undefined {
    const found = this.#byHash.get(outline.hash);
    return found !== undefined && isSame(found.parts, outline) ? found.set : undefined;
  }

  /** `set` is frozen: whoever creates after it shares it. */
  remember(outline: Outline, set: FieldSet): void {
    this.#parts += outline.length - (this.#byHash.get(outline.hash)?.parts.length ?? 0);
    if (this.#parts > rememberedPartsMax) {
      this.#byHash.clear();
      this.#parts = outline.length;
    }
    this.#byHash.set(outline.hash, { parts: outline.parts.slice(0, outline.length), set: deepFreeze(set) });
    keepPrinted(set);
  }
}

function isSame(known: readonly Part[], { parts, length }: Outline): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== parts[at]) return false;
  return true;
}

const byKind = new WeakMap<BoundKind, CreatedFields>();

/** The fields that a create of `object` sets, as far as they are remembered; undefined: they are not. */
export function rememberedFields(kind: BoundKind, object: ApiObject): FieldSet | undefined {
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

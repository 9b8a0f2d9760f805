/**
 * A cache of the fields that creates set: objects made from one template set the same fields, and computing them again
 * would be the longest part of a create.
 */

import type { BoundKind } from "../schema/catalog.ts";
import { deepFreeze } from "../schema/json-value.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import type { Environment } from "../schema/schema.ts";
import { type FieldSet, isEmpty } from "./field-set.ts";
import { entryOf } from "./managed.ts";
import { type Outline, outlineOf, type Part } from "./outline.ts";
import { keepPrinted } from "./print-managed.ts";

/** The size of all outlines that one server remembers, in characters; a part counts as several. Beyond it the memory is cleared. */
export const rememberedCharsMax = 2_000_000;
const charsOfPart = 16;

const sizeOf = ({ length, chars }: Outline): number => length * charsOfPart + chars;

/** The fields that all objects of one outline set. They share managedFields if one manager creates them within one second. */
export class Template {
  readonly size: number;
  readonly parts: readonly Part[];
  /** Frozen: later creates share it. */
  readonly set: FieldSet;
  #manager = "";
  #now = "";
  #entries: readonly ManagedFieldsEntry[] = none;
  #isPrinted = false;

  constructor(outline: Outline, set: FieldSet) {
    this.size = sizeOf(outline);
    this.parts = outline.parts.slice(0, outline.length);
    this.set = deepFreeze(set);
    keepPrinted(set);
  }

  /** The managedFields of an object that `manager` creates `now`, frozen; none: it owns nothing. */
  managedFieldsOf({ apiVersion }: BoundKind, manager: string, now: string): readonly ManagedFieldsEntry[] {
    if (isEmpty(this.set)) return none;
    if (this.#manager !== manager || this.#now !== now || this.#entries === none) {
      const entry = entryOf({ name: manager, operation: "Update", apiVersion, time: now, set: this.set });
      this.#manager = manager;
      this.#now = now;
      this.#entries = Object.freeze([Object.freeze(entry)]);
      this.#isPrinted = false;
    } else if (!this.#isPrinted) {
      // The second object with this outline: expect more.
      keepPrinted(this.#entries);
      this.#isPrinted = true;
    }
    return this.#entries;
  }
}

const none: readonly ManagedFieldsEntry[] = Object.freeze([]);

/** What one server remembers. Of outlines that share a hash only the latest is kept, so that no client can make it slow. */
export class CreatedFields {
  /** Weak: custom kinds are added and removed. */
  #byKind = new WeakMap<BoundKind, Map<number, Template>>();
  #size = 0;

  /** Undefined: not remembered. */
  get(kind: BoundKind, outline: Outline): Template | undefined {
    const found = this.#byKind.get(kind)?.get(outline.hash);
    return found !== undefined && isSame(found.parts, outline) ? found : undefined;
  }

  remember(kind: BoundKind, outline: Outline, set: FieldSet): void {
    const template = new Template(outline, set);
    this.#size += template.size - (this.#byKind.get(kind)?.get(outline.hash)?.size ?? 0);
    if (this.#size > rememberedCharsMax) {
      this.#byKind = new WeakMap();
      this.#size = template.size;
    }
    const byHash = this.#byKind.get(kind) ?? new Map<number, Template>();
    this.#byKind.set(kind, byHash.set(outline.hash, template));
  }
}

function isSame(known: readonly Part[], { parts, length }: Outline): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== parts[at]) return false;
  return true;
}

/** An environment belongs to one server. */
const byServer = new WeakMap<Environment, CreatedFields>();

/** What is remembered of objects that set the same fields as `object`; undefined: nothing. */
export function rememberedTemplate(kind: BoundKind, object: ApiObject): Template | undefined {
  const outline = outlineOf(kind, object);
  return outline && byServer.get(kind.family.environment)?.get(kind, outline);
}

export function rememberFields(kind: BoundKind, object: ApiObject, set: FieldSet): void {
  const outline = outlineOf(kind, object);
  if (outline === undefined) return;
  const { environment } = kind.family;
  const fields = byServer.get(environment) ?? new CreatedFields();
  byServer.set(environment, fields);
  fields.remember(kind, outline, set);
}

/**
 * A cache of the fields that creates and applies set: objects made from one template set the same fields, and computing them again
 * would be the longest part of a create. The key is the kind (of one server, at one state of its catalog), whether it is a create or an
 * apply, and the fingerprint; the entries are also of one manager and second. What a client sent along must not get in: see `trackSteps`.
 */

import { deepFreeze } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Environment } from "../schema/environment.ts";
import type { ApiObject } from "../schema/kind.ts";
import type { ManagedFieldsEntry } from "../schema/object-meta.ts";
import { type FieldSet, isEmpty } from "./field-set.ts";
import { type Fingerprint, type FingerprintPart, fingerprintOf } from "./fingerprint.ts";
import { entryOf } from "./managed.ts";
import { keepPrinted } from "./print-managed.ts";

/** The size of all fingerprints that one server remembers, in characters; a part counts as several. Beyond it the memory is cleared. */
export const rememberedCharsMax = 2_000_000;
const charsOfPart = 16;

const sizeOf = ({ length, chars }: Fingerprint): number => length * charsOfPart + chars;

/** The fields that all objects of one fingerprint set. They share managedFields if one manager creates them within one second. */
class Template {
  readonly size: number;
  readonly parts: readonly FingerprintPart[];
  /** Frozen: later creates share it. */
  readonly set: FieldSet;
  #manager = "";
  #now = "";
  #entries: readonly ManagedFieldsEntry[] = none;
  #isPrinted = false;

  constructor(fingerprint: Fingerprint, set: FieldSet) {
    this.size = sizeOf(fingerprint);
    this.parts = fingerprint.parts.slice(0, fingerprint.length);
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
      // The second object with this fingerprint: expect more.
      keepPrinted(this.#entries);
      this.#isPrinted = true;
    }
    return this.#entries;
  }
}

const none: readonly ManagedFieldsEntry[] = Object.freeze([]);

/** What one server remembers. Of fingerprints that share a hash only the latest is kept, so that no client can make it slow. */
export class RememberedFields {
  /** Weak: custom kinds are added and removed. */
  #byKind = new WeakMap<BoundKind, Map<number, Template>>();
  #size = 0;

  /** Undefined: not remembered. */
  get(kind: BoundKind, fingerprint: Fingerprint): Template | undefined {
    const found = this.#byKind.get(kind)?.get(fingerprint.hash);
    return found !== undefined && isSame(found.parts, fingerprint) ? found : undefined;
  }

  remember(kind: BoundKind, fingerprint: Fingerprint, set: FieldSet): void {
    const template = new Template(fingerprint, set);
    this.#size += template.size - (this.#byKind.get(kind)?.get(fingerprint.hash)?.size ?? 0);
    if (this.#size > rememberedCharsMax) {
      this.#byKind = new WeakMap();
      this.#size = template.size;
    }
    const byHash = this.#byKind.get(kind) ?? new Map<number, Template>();
    this.#byKind.set(kind, byHash.set(fingerprint.hash, template));
  }
}

function isSame(known: readonly FingerprintPart[], { parts, length }: Fingerprint): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== parts[at]) return false;
  return true;
}

/** A create owns what differs from the zero object, an apply all that it names: one fingerprint, two sets. */
type SetBy = "create" | "apply";

/** An environment belongs to one server. */
const byServer: Readonly<Record<SetBy, WeakMap<Environment, RememberedFields>>> = {
  create: new WeakMap(),
  apply: new WeakMap(),
};

/** What is remembered of objects that set the same fields as `object`; undefined: nothing. */
export function rememberedTemplate(by: SetBy, kind: BoundKind, object: ApiObject): Template | undefined {
  const fields = byServer[by].get(kind.family.environment);
  const fingerprint = fields && fingerprintOf(kind, object);
  return fingerprint && fields.get(kind, fingerprint);
}

export function rememberFields(by: SetBy, kind: BoundKind, object: ApiObject, set: FieldSet): void {
  const fingerprint = fingerprintOf(kind, object);
  if (fingerprint === undefined) return;
  const { environment } = kind.family;
  const fields = byServer[by].get(environment) ?? new RememberedFields();
  byServer[by].set(environment, fields);
  fields.remember(kind, fingerprint, set);
}

/**
 * Which members of a custom object its schema knows. As when unknown members are removed, a schema without properties knows
 * none, of whatever type it is: with `{ spec: { type: object }, size: { type: integer } }` as properties,
 *
 *   { spec: { a: 1 }, size: { b: 1 } }    spec.a and size.b are unknown
 */

import { resourceMembers } from "../json/json-schema.ts";
import { ObjectMetaStruct } from "../schema/object-meta.ts";
import type { StructSchema } from "../schema/schema.ts";
import { declaredMembers, type StrictMembers } from "../schema/strict-fields.ts";
import type { SchemaPlan } from "./plan.ts";

interface KnownOptions {
  /** The metadata of the whole object. */
  readonly metadata: StructSchema;
  /** Whether unknown members are removed anywhere. */
  readonly prunes: boolean;
}

/** Of a whole object. */
export function knownMembersOf(plan: SchemaPlan, { metadata, prunes }: KnownOptions): StrictMembers {
  return new PlannedMembers(plan, prunes, false, declaredMembers(metadata));
}

const metadataInside = declaredMembers(ObjectMetaStruct.schema);

class PlannedMembers implements StrictMembers {
  readonly #plan: SchemaPlan | undefined;
  readonly #prunes: boolean;
  readonly #keeps: boolean;
  readonly #metadata: StrictMembers | undefined;

  /** `plan` undefined: nothing is known. `keeps`: a schema around a list keeps unknown members, and so do its items. */
  constructor(plan: SchemaPlan | undefined, prunes: boolean, keeps: boolean, metadata?: StrictMembers) {
    this.#plan = plan;
    this.#prunes = prunes;
    this.#keeps = keeps || plan?.keepsUnknown === true;
    this.#metadata = metadata ?? (plan?.isResource ? metadataInside : undefined);
  }

  member(name: string): StrictMembers | "unknown" | undefined {
    const plan = this.#plan;
    if (this.#metadata !== undefined && resourceMembers.has(name))
      return name === "metadata" ? this.#metadata : undefined;
    const inner = plan?.property(name) ?? plan?.additional;
    if (inner !== undefined || plan?.schema.additionalProperties !== undefined)
      return new PlannedMembers(inner, this.#prunes, false);
    return this.#keeps || !this.#prunes ? undefined : "unknown";
  }

  get item(): StrictMembers | undefined {
    const items = this.#plan?.items;
    return items === undefined && this.#keeps ? undefined : new PlannedMembers(items, this.#prunes, this.#keeps);
  }
}

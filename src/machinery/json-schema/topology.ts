/** The schema of a custom kind as apply sees it: which parts are owned whole, and what identifies items of lists. */

import { untyped } from "../apply/topology.ts";
import { ObjectMetaStruct } from "../schema/object-meta.ts";
import { Field, type ListTopology, type MapTopology, type Schema, type StructSchema } from "../schema/schema.ts";
import type { SchemaPlan } from "./plan.ts";

interface TopologyOptions {
  /** The name of its definition. */
  readonly name: string;
  readonly description: string;
  /** Whether unknown fields are kept everywhere (definitions that do not prune). */
  readonly keepsUnknown: boolean;
  /** Whether members of a preserved value are owned one by one, also where the schema says nothing of them. Default: false. */
  readonly deducesPreserved?: boolean;
  /** The metadata of the whole object. Default: that of all levels. */
  readonly metadata?: StructSchema;
}

const text: Schema = { type: "string" };
/** A text with another format than that of bytes may be any scalar in an apply; its format is checked with the result. */
const scalar: Schema = { type: "intOrString" };
const isPlainText = (format: string | undefined): boolean => !format || format === "byte";
/** Plain JSON that is owned as one. */
const atomic: Schema = { type: "json", form: "value" };

/** The topology of a whole object; `plan` undefined: it has no schema. Fields are resolved when a manager owns something in them. */
export function topologyOf(plan: SchemaPlan | undefined, options: TopologyOptions): StructSchema {
  const { keepsUnknown, deducesPreserved: deduces = false } = options;
  return new DerivedStruct(plan, { keeps: keepsUnknown || plan === undefined, deduces }, options);
}

/** What surrounds a schema: whether unknown members are kept there, and whether preserved values have members of their own. */
interface Around {
  readonly keeps: boolean;
  readonly deduces: boolean;
}

/**
 * Members of an object that keeps unknown ones are owned one by one, to any depth, and so are all that its own members hold
 * (`keeps`). Without properties, an object is a map, and each of its values is owned as one.
 */
class DerivedStruct implements StructSchema {
  readonly type = "struct";
  readonly name: string;
  readonly description: string;
  readonly open?: Schema;
  readonly topology?: MapTopology;
  readonly #plan: SchemaPlan | undefined;
  readonly #around: Around;
  readonly #isRoot: boolean;
  readonly #metadata: Field;
  #fields: ReadonlyMap<string, Field> | undefined;

  /** `root` is set for the whole object. */
  constructor(plan: SchemaPlan | undefined, { keeps, deduces }: Around, root?: TopologyOptions) {
    this.name = root?.name ?? "";
    this.description = root?.description ?? "";
    this.#plan = plan;
    this.#around = { keeps: keeps || plan?.keepsUnknown === true, deduces };
    this.#isRoot = root !== undefined;
    this.#metadata = root?.metadata ? new Field(root.metadata, "elided") : metadataOfRoot;
    if (this.#around.keeps) this.open = untyped;
    if (plan?.mapType === "atomic") this.topology = "atomic";
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= this.#makeFields();
    return this.#fields;
  }

  #makeFields(): ReadonlyMap<string, Field> {
    const fields = new Map<string, Field>();
    if (this.#isRoot) fields.set("metadata", this.#metadata);
    else if (this.#plan?.isResource) {
      fields.set("apiVersion", new Field(text, "optional"));
      fields.set("kind", new Field(text, "optional"));
      fields.set("metadata", metadataInside);
    }
    const plan = this.#plan;
    if (plan === undefined) return fields;
    // apiVersion, kind and metadata have the same shape in all objects, whatever the schema restricts there.
    const isAside = (name: string) => fields.has(name) || (this.#isRoot && (name === "apiVersion" || name === "kind"));
    const names = Object.keys(plan.schema.properties ?? {}).filter((name) => !isAside(name));
    return new DerivedFields(fields, names, (name) => {
      const inner = isAside(name) ? undefined : plan.property(name);
      return inner && new Field(schemaOf(inner, this.#around), "optional").with({ fallback: inner.fallback });
    });
  }
}

/** The fields of a struct, each made on first use: objects have few of the thousands that a schema may declare. */
class DerivedFields implements ReadonlyMap<string, Field> {
  readonly size: number;
  readonly #made: Map<string, Field>;
  readonly #first: readonly string[];
  readonly #names: readonly string[];
  readonly #make: (name: string) => Field | undefined;

  /** `given` come first; `make` returns undefined for names that are not among `names`. */
  constructor(given: Map<string, Field>, names: readonly string[], make: (name: string) => Field | undefined) {
    this.#first = [...given.keys()];
    this.#made = given;
    this.#names = names;
    this.#make = make;
    this.size = given.size + names.length;
  }

  get(name: string): Field | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const field = this.#make(name);
    if (field !== undefined) this.#made.set(name, field);
    return field;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  *keys(): MapIterator<string> {
    yield* this.#first;
    yield* this.#names;
  }

  *values(): MapIterator<Field> {
    for (const [, field] of this.entries()) yield field;
  }

  *entries(): MapIterator<[string, Field]> {
    for (const name of this.keys()) {
      const field = this.get(name);
      if (field !== undefined) yield [name, field];
    }
  }

  [Symbol.iterator](): MapIterator<[string, Field]> {
    return this.entries();
  }

  forEach(visit: (field: Field, name: string, all: ReadonlyMap<string, Field>) => void): void {
    for (const [name, field] of this.entries()) visit(field, name, this);
  }
}

const metadataOfRoot = new Field(ObjectMetaStruct.schema, "elided");
const metadataInside = new Field(ObjectMetaStruct.schema, "optional");

function schemaOf(plan: SchemaPlan, around: Around): Schema {
  if (plan.isIntOrString) return { type: "intOrString" };
  switch (plan.schema.type) {
    case "string":
      return isPlainText(plan.schema.format) ? text : scalar;
    case "boolean":
      return { type: "bool" };
    case "integer":
      return { type: "int64" };
    case "number":
      return { type: "double" };
    case "array":
      return listOf(plan, around);
    case "object":
      return objectOf(plan, around);
    default:
      return plan.schema.properties === undefined ? anything(plan, around) : objectOf(plan, around);
  }
}

/** What a schema says nothing about. */
const anything = ({ keepsUnknown }: SchemaPlan, { keeps, deduces }: Around): Schema =>
  keeps || (deduces && keepsUnknown) ? untyped : atomic;

function objectOf(plan: SchemaPlan, around: Around): Schema {
  const { additional, mapType, schema } = plan;
  if (schema.properties !== undefined || plan.isResource) return new DerivedStruct(plan, around);
  const values = additional === undefined ? anything(plan, around) : schemaOf(additional, around);
  return { type: "map", values, ...(mapType === "atomic" ? { topology: mapType } : {}) };
}

function listOf(plan: SchemaPlan, around: Around): Schema {
  const { items, listType, listMapKeys } = plan;
  // Definitions that name any other are refused.
  const topology = (listType ?? "atomic") as ListTopology;
  return {
    type: "list",
    items: items === undefined ? anything(plan, around) : schemaOf(items, around),
    topology,
    ...(topology === "map" ? { keys: listMapKeys } : {}),
  };
}

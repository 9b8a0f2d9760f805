/** A schema as it is applied to values: extensions are read once, inner schemas only when a value reaches them. */

import { additionalSchema, extensions, itemSchema, type JsonSchema, propertyOf } from "../json/json-schema.ts";
import { hasMoreKeys } from "../json/parts.ts";

const none: readonly SchemaPlan[] = [];

export class SchemaPlan {
  readonly schema: JsonSchema;
  readonly prefix: string;
  /** Unknown members are kept. */
  readonly keepsUnknown: boolean;
  /** The value is a whole object with apiVersion, kind and metadata. */
  readonly isResource: boolean;
  readonly isIntOrString: boolean;
  readonly isNullable: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  /** Undefined: none. A default of null counts as absent, as in v1.21. */
  readonly fallback: unknown;
  readonly #properties = new Map<string, SchemaPlan>();
  #items: SchemaPlan | null | undefined;
  #additional: SchemaPlan | null | undefined;
  #defaulted: readonly string[] | undefined;
  #choices: Choices | undefined;
  #hasResources: boolean | undefined;
  #hasKeyedLists: boolean | undefined;

  constructor(schema: JsonSchema, prefix: string) {
    const known = extensions(schema, prefix);
    this.schema = schema;
    this.prefix = prefix;
    this.keepsUnknown = known.preserveUnknownFields === true;
    this.isResource = known.embeddedResource;
    this.isIntOrString = known.intOrString;
    this.isNullable = schema.nullable === true;
    this.listType = known.listType;
    this.listMapKeys = known.listMapKeys;
    this.mapType = known.mapType;
    this.fallback = schema.default ?? undefined;
  }

  property(name: string): SchemaPlan | undefined {
    const known = this.#properties.get(name);
    if (known !== undefined) return known;
    const schema = propertyOf(this.schema, name);
    // Undeclared names come from values, and must not fill the memory.
    if (schema === undefined) return undefined;
    const plan = new SchemaPlan(schema, this.prefix);
    this.#properties.set(name, plan);
    return plan;
  }

  /** The schema of all items; undefined: none. */
  get items(): SchemaPlan | undefined {
    if (this.#items === undefined) this.#items = this.#made(itemSchema(this.schema));
    return this.#items ?? undefined;
  }

  /** The schema of members that are not declared; undefined: none, or only true or false. */
  get additional(): SchemaPlan | undefined {
    if (this.#additional === undefined) this.#additional = this.#made(additionalSchema(this.schema));
    return this.#additional ?? undefined;
  }

  /** The properties that have a default. */
  get defaulted(): readonly string[] {
    if (this.#defaulted === undefined) {
      const { properties = {} } = this.schema;
      this.#defaulted = Object.keys(properties).filter((name) => (properties[name]?.default ?? null) !== null);
    }
    return this.#defaulted;
  }

  get choices(): Choices {
    const { anyOf, oneOf, allOf, not } = this.schema;
    const plans = (schemas: readonly JsonSchema[] | undefined) =>
      schemas?.map((schema) => new SchemaPlan(schema, this.prefix)) ?? none;
    this.#choices ??= {
      anyOf: plans(anyOf),
      oneOf: plans(oneOf),
      allOf: plans(allOf),
      not: not === undefined ? undefined : new SchemaPlan(not, this.prefix),
    };
    return this.#choices;
  }

  /** Whether there may be whole objects anywhere inside. Computed once: most schemas have none, and values need no search. */
  get hasResources(): boolean {
    this.#hasResources ??= mayHold(this.schema, (schema) => extensions(schema, this.prefix).embeddedResource);
    return this.#hasResources;
  }

  /** Whether items of some list inside may have to differ from each other. */
  get hasKeyedLists(): boolean {
    const isKeyed = (schema: JsonSchema) => {
      const { listType } = extensions(schema, this.prefix);
      return listType === "set" || listType === "map";
    };
    this.#hasKeyedLists ??= mayHold(this.schema, isKeyed);
    return this.#hasKeyedLists;
  }

  #made(schema: JsonSchema | undefined): SchemaPlan | null {
    return schema === undefined ? null : new SchemaPlan(schema, this.prefix);
  }
}

interface Choices {
  readonly anyOf: readonly SchemaPlan[];
  readonly oneOf: readonly SchemaPlan[];
  readonly allOf: readonly SchemaPlan[];
  readonly not: SchemaPlan | undefined;
}

/** How many schemas are searched; a larger schema is assumed to hold anything, so that its values are searched instead. */
const searchedMax = 2_000;

/** Whether a schema, or one of the schemas below it, satisfies the condition, or is too large to tell. */
function mayHold(root: JsonSchema, is: (schema: JsonSchema) => boolean): boolean {
  let searched = 0;
  const holds = (schema: JsonSchema): boolean => {
    searched += 1;
    if (searched > searchedMax || is(schema)) return true;
    const [items, more] = [itemSchema(schema), additionalSchema(schema)];
    if ((items !== undefined && holds(items)) || (more !== undefined && holds(more))) return true;
    const { properties } = schema;
    if (properties !== undefined && hasMoreKeys(properties, searchedMax)) return true;
    for (const name in properties) if (holds(properties[name] as JsonSchema)) return true; // by its own name
    return false;
  };
  return holds(root);
}

/** The shape of a JSON schema in definitions. */

/** Extensions have the vocabulary's prefix ("x-orch-list-type") and are read with `extensions`. */
export interface JsonSchema {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly dependencies?: Readonly<Record<string, JsonSchema | readonly string[]>>;
  readonly additionalItems?: JsonSchema | boolean;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly externalDocs?: object;
  readonly example?: unknown;
  readonly nullable?: boolean;
}

export interface SchemaExtensions {
  /** Undefined: not given, which is not the same as false. */
  readonly preserveUnknownFields: boolean | undefined;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listMapKeys: readonly string[];
  readonly listType: string | undefined;
  readonly mapType: string | undefined;
}

/** The extensions of a schema, which has been decoded. */
export function extensions(schema: JsonSchema, prefix: string): SchemaExtensions {
  const names = namesOf(prefix);
  const read = <T>(name: string) => (schema as Readonly<Record<string, unknown>>)[name] as T | undefined;
  return {
    preserveUnknownFields: read<boolean>(names.preserveUnknownFields),
    embeddedResource: read<boolean>(names.embeddedResource) === true,
    intOrString: read<boolean>(names.intOrString) === true,
    listMapKeys: read<readonly string[]>(names.listMapKeys) ?? none,
    listType: read<string>(names.listType),
    mapType: read<string>(names.mapType),
  };
}

const none: readonly string[] = [];

/** The names of the extensions with a prefix. Building them for each schema was most of the cost of its validation. */
const namesByPrefix = new Map<string, Readonly<Record<keyof SchemaExtensions, string>>>();

function namesOf(prefix: string): Readonly<Record<keyof SchemaExtensions, string>> {
  let names = namesByPrefix.get(prefix);
  if (names === undefined) {
    names = {
      preserveUnknownFields: `${prefix}preserve-unknown-fields`,
      embeddedResource: `${prefix}embedded-resource`,
      intOrString: `${prefix}int-or-string`,
      listMapKeys: `${prefix}list-map-keys`,
      listType: `${prefix}list-type`,
      mapType: `${prefix}map-type`,
    };
    // Prefixes come with vocabularies, and there are few of those.
    namesByPrefix.set(prefix, names);
  }
  return names;
}

/** The one schema of all items; undefined: none, or one for each position. */
export function itemSchema({ items }: JsonSchema): JsonSchema | undefined {
  return Array.isArray(items) ? undefined : (items as JsonSchema | undefined);
}

/** The schema of members that are not declared; undefined if it is only true or false. */
export function additionalSchema({ additionalProperties: more }: JsonSchema): JsonSchema | undefined {
  return typeof more === "object" ? more : undefined;
}

/** The members that every resource has, and that no schema needs to declare. */
export const resourceMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** `schema.properties[name]`, never one that objects inherit. */
export function propertyOf({ properties }: JsonSchema, name: string): JsonSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

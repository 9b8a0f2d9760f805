/** What the declarations say in one release, in the words of the facts. */

import { catalog as kinds } from "../../src/api/catalog.ts";
import { existsIn, type Release } from "../../src/base/release.ts";
import { createCatalog } from "../../src/machinery/catalog/bind.ts";
import { Definitions } from "../../src/machinery/openapi/definitions.ts";
import type { OpenApiSchema } from "../../src/machinery/openapi/document.ts";
import type { BoundKind, Catalog } from "../../src/machinery/schema/catalog.ts";
import { plainEnvironment } from "../../src/machinery/schema/environment.suite.ts";
import { isOfLevel } from "../../src/machinery/schema/kind-level.ts";
import type { Level } from "../../src/machinery/schema/levels.ts";
import type { Field, Schema, StructSchema } from "../../src/machinery/schema/schema.ts";
import { createIsServed } from "../../src/main/flags/runtime-config.ts";
import { apiGroups } from "../../src/vocabulary/api-groups.ts";
import { fieldFacts, type OwnFacts, typeFacts } from "./fact-words.ts";
import { defaultsAt, groups } from "./facts.ts";

export interface Declared {
  readonly catalog: Catalog;
  /** All that the release can serve, whatever flags and gates say. */
  readonly kinds: readonly BoundKind[];
  /** "core.v1.Pod" and "core.v1.Pod.spec". */
  readonly words: ReadonlyMap<string, string>;
}

export function declaredIn(release: Release): Declared {
  const catalog = catalogOf(release, new Map(), defaultsAt(release));
  const ofRelease = kinds.map((kind) => catalog.of(kind)).filter((kind) => hasFacts(kind) && isOfLevel(kind));
  return { catalog, kinds: ofRelease, words: wordsOf(ofRelease, release as Level) };
}

/** The facts have no row for the core group, but types of all groups; ours alone have none of either. */
const hasFacts = ({ group }: BoundKind) => group === "" || group in groups;

/** With this --runtime-config and these gates. */
export function catalogOf(
  release: Release,
  config: ReadonlyMap<string, string>,
  enabled: (gate: string) => boolean,
): Catalog {
  const level = release as Level; // every release that has facts is bound
  const environment = plainEnvironment({ level, gates: { enabled } });
  return createCatalog(kinds, environment, { groups: apiGroups, isEnabled: createIsServed(config, level) });
}

function wordsOf(ofRelease: readonly BoundKind[], level: Level): ReadonlyMap<string, string> {
  const environment = plainEnvironment({ level });
  const definitions = new Definitions(
    // Since 1.23 the generator of the reference names values, whether or not the gate shows them.
    { ...environment, gates: { enabled: (name) => name === "OpenAPIEnums" && existsIn(level, { since: "1.23" }) } },
    "v3",
  );
  for (const kind of ofRelease) definitions.refer(kind.schema);
  const made = new Map(Object.entries(definitions.all()).map(([name, value]) => [shortName(name), value]));
  const words = new Map<string, string>();
  const seen = new Set<StructSchema>();
  const visit = (schema: Schema): void => {
    if (schema.type === "list") visit(schema.items);
    else if (schema.type === "map") visit(schema.values);
    else if (schema.type === "json" && schema.inner !== undefined) visit(schema.inner);
    else if (schema.type === "struct" && !seen.has(schema)) {
      seen.add(schema);
      struct(schema);
    }
  };
  const struct = (schema: StructSchema): void => {
    const definition = made.get(schema.name) ?? {};
    const inline = Object.entries(schema.inline ?? {}).map(([name, proto]) => [name, { proto }] as const);
    words.set(
      schema.name,
      typeFacts({
        map: definition[extension("map-type")],
        ...(inline.length === 0 ? {} : { inline: Object.fromEntries(inline) }),
        unions: definition[extension("unions")],
      }),
    );
    for (const [name, field] of schema.fields) {
      const property = definition.properties?.[name];
      const isRequired = definition.required?.includes(name) === true;
      words.set(`${schema.name}.${name}`, fieldFacts(factsOf(field, property ?? {}, isRequired)));
      visit(field.schema);
    }
  };
  for (const kind of ofRelease) visit(kind.schema);
  return words;
}

const extension = (name: string) => `x-orch-${name}` as const;

const factsOf = (field: Field, property: OpenApiSchema, isRequired: boolean): OwnFacts => ({
  ...schemaFacts(property, isRequired),
  proto: field.number === 0 ? undefined : field.number,
  inside: field.inside,
  presence: presenceOf(field),
});

/** What OpenAPI says about a field. */
export function schemaFacts(property: OpenApiSchema, isRequired: boolean): OwnFacts {
  const { items, additionalProperties } = property;
  const inner = items ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  return {
    type: typeOf(property),
    required: isRequired,
    list: property[extension("list-type")],
    keys: property[extension("list-map-keys")],
    map: property[extension("map-type")],
    patch: property[extension("patch-strategy")],
    mergeKey: property[extension("patch-merge-key")],
    default: property.default,
    enum: property.enum,
    itemEnum: inner?.enum,
  };
}

/** Lists and maps are no pointers, whatever presence says; what is sent although it is absent is a struct that is not zero. */
function presenceOf({ presence, schema, isSent }: Field): string {
  if (presence === "optional" && (schema.type === "list" || schema.type === "map")) return "elided";
  return presence === "optional" && isSent ? "omitzero" : presence;
}

/** In the third version a reference beside a default is alone in a list. */
type ShownSchema = OpenApiSchema & { readonly allOf?: readonly OpenApiSchema[] };

function typeOf({ $ref, allOf, type, format, items, additionalProperties }: ShownSchema): string {
  if (allOf?.[0] !== undefined) return typeOf(allOf[0]);
  if ($ref !== undefined) return shortName($ref);
  if (type === "array") return `[${typeOf(items as OpenApiSchema)}]`; // arrays have items
  if (typeof additionalProperties === "object") return `{${typeOf(additionalProperties)}}`;
  return format === undefined ? String(type) : `${type}:${format}`;
}

/** "io.orch.api.core.v1.Pod": "core.v1.Pod". */
export const shortName = (name: string): string => name.split(".").slice(-3).join(".");

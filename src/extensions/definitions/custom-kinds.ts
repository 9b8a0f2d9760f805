/** Makes declarations from a definition, one for each version, like those of built-in kinds. */

import { indexedPaths } from "../../api/apiextensions/definition/indexes.ts";
import type { DefinitionNames } from "../../api/apiextensions/v1/definition-parts.ts";
import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/definition-spec.ts";
import type { JsonSchema } from "../../machinery/json/json-schema.ts";
import type { Family } from "../../machinery/schema/catalog.ts";
import type { Codec } from "../../machinery/schema/codec.ts";
import type { Conversion } from "../../machinery/schema/convert.ts";
import type { CustomKind, Deprecation, Scope } from "../../machinery/schema/kind.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { compareVersions } from "../../machinery/schema/version-order.ts";
import { columnsOf } from "./columns.ts";
import { createCustomCodec } from "./custom-codec.ts";
import { customStrategy } from "./custom-strategy.ts";
import { DefinedVersion, type DefinitionSource, definitionOf } from "./definition.ts";
import { scalePath } from "./scale.ts";
import { statusPath } from "./status-path.ts";

interface CustomKindOptions {
  /** The accepted names, which may differ from the requested ones. */
  readonly names: DefinitionNames;
  /** "x-orch-". */
  readonly prefix: string;
  /** "io.orch.": the prefix of OpenAPI definitions of built-in types. */
  readonly definitionPrefix: string;
  readonly conversion: (family: Family) => Conversion;
}

/** The stored version first; includes versions that are not served, since objects may be stored in them. */
export function customKindsOf(source: DefinitionSource, options: CustomKindOptions): readonly CustomKind[] {
  const { spec } = definitionOf(source.entry);
  const versions = spec.versions ?? [];
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined) return [];
  const hub = declare(source, stored, undefined, options);
  const others = versions.filter((version) => version !== stored);
  return [hub, ...others.map((version) => declare(source, version, hub, options))];
}

function declare(
  source: DefinitionSource,
  given: CustomResourceDefinitionVersion,
  hub: CustomKind | undefined,
  { names, prefix, definitionPrefix, conversion }: CustomKindOptions,
): CustomKind {
  const { spec, metadata } = definitionOf(source.entry);
  const { group } = spec;
  const version = new DefinedVersion(source, given.name, prefix);
  const { scale, status } = given.subresources ?? {};
  const rules = { version, scale };
  let codec: Codec | undefined;
  const strategy = customStrategy({
    ...rules,
    group,
    resource: names.plural,
    namespaced: spec.scope === "Namespaced",
    hasStatusPath: status !== undefined,
    selectable: hub === undefined ? (spec.versions ?? []).flatMap(selectablePaths) : [],
    indexed: hub === undefined ? indexedPaths(metadata) : [],
    codec: () => codec as Codec, // a kind is bound, and so has a codec, before its first write
  });
  let columns: CustomKind["columns"];
  return {
    origin: "custom",
    group,
    version: given.name,
    kind: names.kind,
    listKind: names.listKind || `${names.kind}List`,
    resource: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: spec.scope as Scope, // definitions with other scopes are refused
    isServed: given.served,
    selectableAs: Object.fromEntries(selectablePaths(given).map((path) => [path, path])),
    ...deprecationOf(source, given),
    get doc() {
      return version.description;
    },
    get columns() {
      columns ??= columnsOf(version.columns);
      return columns;
    },
    subresources: [
      ...(status === undefined ? [] : [statusPath(rules)]),
      ...(scale === undefined ? [] : [scalePath(scale)]),
    ],
    schema: namedSchema(definitionName(group, given.name, names.kind, definitionPrefix)),
    // A version that keeps all unknown fields has no schema that clients could rely on.
    openApi: () => (version.prunes ? withSelectable(version.schema, selectablePaths(given), prefix) : undefined),
    strategy,
    hub,
    codec(kind) {
      codec = createCustomCodec(kind, version);
      return codec;
    },
    conversion,
  };
}

/** "spec.color", as selectors name the field. */
const selectablePaths = ({ selectableFields = [] }: CustomResourceDefinitionVersion): readonly string[] =>
  selectableFields.map(({ jsonPath }) => jsonPath.slice(1));

/** The schema with the fields that selectors may name, as clients find them in OpenAPI. */
function withSelectable(schema: JsonSchema | undefined, paths: readonly string[], prefix: string) {
  if (schema === undefined || paths.length === 0) return schema;
  return { ...schema, [`${prefix}selectable-fields`]: paths.map((fieldPath) => ({ fieldPath })) };
}

/** Only the name is known here; the codec knows the shape of values. */
const namedSchema = (name: string): StructSchema => ({ type: "struct", name, description: "", fields: new Map() });

/** "com.example.stable.v1.CronTab". Names that could be those of built-in types get a prefix. */
function definitionName(group: string, version: string, kind: string, reserved: string): string {
  const name = [...group.split(".").reverse(), version, kind].join(".");
  return name.startsWith(reserved) ? `custom.${name}` : name;
}

/** Without a text of its own, the warning names the best version that is not deprecated, if there is a better one. */
function deprecationOf(
  source: DefinitionSource,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): { readonly deprecated?: Deprecation } {
  if (!deprecated) return {};
  const { group, names, versions = [] } = definitionOf(source.entry).spec;
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .sort(compareVersions);
  const instead = better === undefined ? "" : `; use ${group}/${better} ${names.kind}`;
  const sentence = deprecationWarning ?? `${group}/${name} ${names.kind} is deprecated${instead}`;
  return { deprecated: { sentence } };
}

/** CustomResourceDefinitions as the printers of types read them: every version with its own schema, checked names. */

import { compareVersions } from "../../machinery/schema/version-order.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { CtlError } from "../errors.ts";
import { apiVersionOf, dig, isJson, type Json, kindOf, list, nameOf, object, text, texts } from "../json.ts";

export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: string;
  /** The preferred one first. */
  readonly versions: readonly PrintedVersion[];
  readonly isConvertedByWebhook: boolean;
}

export interface PrintedVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStored: boolean;
  readonly isDeprecated: boolean;
  readonly warning: string;
  /** Extensions are without the name of a vocabulary: "x-int-or-string". */
  readonly schema: Json;
  readonly columns: readonly Json[];
  /** Paths of members by which objects can be selected. */
  readonly selectable: readonly string[];
  /** Undefined: it has no such path. */
  readonly scale: Json | undefined;
}

/** Names become identifiers and texts of a program. */
const kindPattern = /^[A-Z][A-Za-z0-9]*$/;
const versionPattern = /^[a-z][a-z0-9-]*$/;

export function readDefinition(given: Json, source: string): Definition {
  const name = nameOf(given);
  if (kindOf(given) !== "CustomResourceDefinition" || !apiVersionOf(given).startsWith("apiextensions."))
    throw new CtlError(`${source}: ${kindOf(given) || "an object"} "${name}" is not a CustomResourceDefinition`);
  const spec = object(given, "spec");
  const kind = text(spec, "names", "kind");
  if (!kindPattern.test(kind)) throw new CtlError(`${source}: spec.names.kind: "${kind}" cannot be the name of a type`);
  const named = list(spec, "versions");
  // v1beta1 has one version by its name alone, and parts that all versions share.
  const versions = named.length > 0 ? named : [{ name: text(spec, "version"), served: true, storage: true }];
  const bad = versions.find((version) => !versionPattern.test(text(version, "name")));
  if (bad !== undefined)
    throw new CtlError(`${source}: spec.versions: "${text(bad, "name")}" cannot be the name of a version`);
  return {
    group: text(spec, "group"),
    kind,
    plural: text(spec, "names", "plural"),
    singular: text(spec, "names", "singular") || kind.toLowerCase(),
    shortNames: texts(spec, "names", "shortNames"),
    categories: texts(spec, "names", "categories"),
    scope: text(spec, "scope") || "Namespaced",
    versions: versions.map((version) => readVersion(version, spec)).sort(preferred),
    isConvertedByWebhook: text(spec, "conversion", "strategy") === "Webhook",
  };
}

function readVersion(version: Json, shared: Json): PrintedVersion {
  const subresources = object(version, "subresources");
  const scale = subresources["scale"] ?? dig(shared, "subresources", "scale");
  const columns = list(version, "additionalPrinterColumns");
  const selectable = list(version, "selectableFields");
  const schema = object(version, "schema", "openAPIV3Schema");
  return {
    name: text(version, "name"),
    isServed: version["served"] === true,
    isStored: version["storage"] === true,
    isDeprecated: version["deprecated"] === true,
    warning: text(version, "deprecationWarning"),
    schema: neutral(Object.keys(schema).length > 0 ? schema : object(shared, "validation", "openAPIV3Schema")),
    columns: columns.length > 0 ? columns : list(shared, "additionalPrinterColumns"),
    selectable: (selectable.length > 0 ? selectable : list(shared, "selectableFields")).map((one) =>
      text(one, "jsonPath"),
    ),
    scale: isJson(scale) ? scale : undefined,
  };
}

const prefixes = (["orch", "kubernetes"] as const).map((name) => vocabularyOf(name).extensionPrefix);

/** Schemas in schemas are at these places; elsewhere a name is a value. */
function neutral(schema: Json): Json {
  const inside = (value: unknown): unknown => (isJson(value) ? neutral(value) : value);
  const each = (value: unknown): unknown =>
    isJson(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)])) : value;
  const members = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (name === "properties") return [name, each(value)];
    if (["items", "additionalProperties", "not"].includes(name)) return [name, inside(value)];
    if (["allOf", "anyOf", "oneOf"].includes(name)) return [name, Array.isArray(value) ? value.map(inside) : value];
    const prefix = prefixes.find((one) => name.startsWith(one));
    return [prefix === undefined ? name : `x-${name.slice(prefix.length)}`, value];
  });
  return Object.fromEntries(members);
}

/** A served version first, then as discovery orders them. */
const preferred = (a: PrintedVersion, b: PrintedVersion): number =>
  Number(b.isServed) - Number(a.isServed) || compareVersions(a.name, b.name);

/** By any of its names: "widgets", "widgets.example.com", "Widget", "wd". */
export function isNamed({ group, plural, singular, kind, shortNames }: Definition, name: string): boolean {
  return [plural, singular, kind, `${plural}.${group}`, group, ...shortNames].includes(name);
}

/** How the types of definitions are called: by their kinds, and where several groups have the same kind by both. */
export function typeNames(definitions: readonly Definition[]): ReadonlyMap<Definition, string> {
  const names = new Map<Definition, string>();
  for (const definition of definitions) {
    const isAlone = definitions.filter(({ kind }) => kind === definition.kind).length === 1;
    names.set(definition, isAlone ? definition.kind : `${inTitleCase(definition.group)}${definition.kind}`);
  }
  return names;
}

/** "example.com" is ExampleCom. */
export const inTitleCase = (words: string): string =>
  words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

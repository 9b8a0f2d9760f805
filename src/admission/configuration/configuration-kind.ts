/** The kind of a plugin's configuration, declared next to the plugin in the schema language, and how it is read. */

import { isObject } from "../../machinery/json/json-value.ts";
import { decodeObject } from "../../machinery/schema/decode.ts";
import type { Field, Schema } from "../../machinery/schema/schema.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { OperatorFile } from "./operator-file.ts";

/** What an operator configured for one plugin. */
export interface PluginConfiguration {
  /** For messages: "/etc/orch/admission.yaml: plugins[2].configuration". */
  readonly where: string;
  /** The decoded JSON or YAML. */
  readonly value: unknown;
  /** The file that contains it; paths in the configuration are relative to it. */
  readonly file: OperatorFile;
}

export interface ConfigurationKind<T> {
  /** Every apiVersion and kind under which it may be written, in orch's names. Empty: it has neither. */
  readonly versions: readonly { readonly apiVersion: string; readonly kind: string }[];
  readonly schema: Field<T>;
}

/** Throws an Error with one sentence on what is wrong and where. A field that the kind does not have is an error. */
export function readConfiguration<T>(
  { versions, schema: { schema } }: ConfigurationKind<T>,
  { where, value }: PluginConfiguration,
  vocabulary: Vocabulary,
): T {
  if (schema.type !== "struct") throw new TypeError("a configuration is declared as a struct");
  if (!isObject(value)) throw new Error(`${where}: must be an object`);
  const { apiVersion, kind, ...fields } = value;
  if (versions.length > 0) {
    const spoken = versions.map((version) => ({
      ...version,
      apiVersion: spokenVersion(version.apiVersion, vocabulary),
    }));
    if (!spoken.some((version) => version.apiVersion === apiVersion && version.kind === kind)) {
      const allowed = spoken.map((version) => `${version.apiVersion} ${version.kind}`).join(", ");
      throw new Error(`${where}: apiVersion and kind must be one of ${allowed}`);
    }
  }
  const unknown = unknownField(schema, fields);
  if (unknown !== undefined) throw new Error(`${where}: unknown field "${unknown}"`);
  try {
    return decodeObject(schema, fields) as T; // the schema is the one of T
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function spokenVersion(apiVersion: string, vocabulary: Vocabulary): string {
  const [group = "", version = ""] = apiVersion.split("/");
  return `${vocabulary.group(group)}/${version}`;
}

/** The path of the first field that the schema does not have. */
function unknownField(schema: Schema, value: unknown): string | undefined {
  if (schema.type === "list" && Array.isArray(value)) {
    return firstOf(value.map((item, index) => [`[${index}]`, schema.items, item]));
  }
  if (!isObject(value)) return undefined;
  if (schema.type === "map")
    return firstOf(Object.entries(value).map(([key, item]) => [`.${key}`, schema.values, item]));
  if (schema.type !== "struct") return undefined;
  const stranger = Object.keys(value).find((key) => !schema.fields.has(key));
  if (stranger !== undefined) return stranger;
  const found = firstOf([...schema.fields].map(([key, field]) => [`.${key}`, field.schema, value[key]]));
  return found?.replace(/^\./, "");
}

function firstOf(parts: readonly (readonly [step: string, schema: Schema, value: unknown])[]): string | undefined {
  for (const [step, schema, value] of parts) {
    const found = unknownField(schema, value);
    if (found !== undefined) return found.startsWith("[") ? step + found : `${step}.${found}`;
  }
  return undefined;
}

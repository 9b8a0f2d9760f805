/** Reads the documents of a resource file: each a value whose scalars keep their text. */

import { onFirstUse } from "../../base/first-use.ts";
import { yamlEngine } from "../../machinery/codec/yaml-engine.ts";
import { CtlError } from "../errors.ts";
import { aliasesMax, fileBytesMax, mergedKeysMax, nestingMax, nodesMax } from "./limits.ts";
import { isMembers, type Members, put, WrittenScalar, type YamlValue } from "./value.ts";
import { dateOf, floatOf, integerOf, wordOf } from "./yaml-scalars.ts";

/** `source` names the text in errors. Throws CtlError. Empty documents are left out. */
export function readDocuments(text: string, source: string): YamlValue[] {
  if (Buffer.byteLength(text) > fileBytesMax) throw new CtlError(`${source} has more than ${fileBytesMax} bytes`);
  const { parseEvents, constructFromEvents } = yamlEngine();
  const stripped = text.replace(/^\uFEFF/, "");
  let documents: unknown[];
  try {
    const events = parseEvents(stripped, { maxDepth: nestingMax });
    documents = constructFromEvents(events, {
      source: stripped,
      schema: resourceSchema(),
      maxAliases: aliasesMax,
      maxTotalMergeKeys: mergedKeysMax,
    });
  } catch (error) {
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new CtlError(`MalformedYAMLError: yaml: ${located(reason)} in File: ${source}`, { cause: error });
  }
  const budget = { nodes: nodesMax };
  return documents
    .filter((document) => document !== null && document !== undefined && !isEmptyScalar(document))
    .map((document) => unshared(document, { source, budget, depth: 0 }));
}

const located = (reason: string): string =>
  reason.replace(/\s*\((\d+):(\d+)\)/, (_, line: string, column: string) => `: line ${line}, column ${column}`);

const isEmptyScalar = (document: unknown): boolean => document instanceof WrittenScalar && document.value === null;

interface Expansion {
  readonly source: string;
  readonly budget: { nodes: number };
  readonly depth: number;
}

/** A copy in which an alias is a value of its own; a few bytes of aliases can stand for millions of values. */
function unshared(value: unknown, { source, budget, depth }: Expansion): YamlValue {
  budget.nodes--;
  if (budget.nodes < 0 || depth > nestingMax) throw new CtlError(`${source} has more than ${nodesMax} values`);
  const deeper = { source, budget, depth: depth + 1 };
  if (Array.isArray(value)) return value.map((item) => unshared(item, deeper));
  if (value instanceof WrittenScalar) {
    if (typeof value.value === "number" && !Number.isFinite(value.value))
      throw new CtlError(`${source}: json: unsupported value: ${value.text}`);
    return value;
  }
  if (isMembers(value)) {
    const members: Members = {};
    for (const name of Object.keys(value)) put(members, name, unshared(value[name], deeper));
    return members;
  }
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

const resourceSchema = onFirstUse(createSchema);

function createSchema() {
  const { Schema, defineMappingTag, defineScalarTag, mergeTag, seqTag, strTag, NOT_RESOLVED } = yamlEngine();
  const scalar = (name: string, first: string[], read: (text: string) => unknown) =>
    defineScalarTag<unknown>(`tag:yaml.org,2002:${name}`, {
      implicit: true,
      implicitFirstChars: first,
      resolve: (text) => {
        const value = read(text);
        return value === undefined ? NOT_RESOLVED : value;
      },
      identify: () => false,
    });
  const isNullWord = (text: string) => {
    const word = wordOf(text);
    return word === null || (word instanceof WrittenScalar && word.value === null) ? word : undefined;
  };
  const digits = [..."+-0123456789"];
  const binary = defineScalarTag<string>("tag:yaml.org,2002:binary", {
    implicit: false,
    resolve: (text) => Buffer.from(text, "base64").toString("utf8"),
    identify: () => false,
  });
  const members = defineMappingTag<Members>("tag:yaml.org,2002:map", {
    create: () => ({}),
    addPair(carrier, key, value) {
      if (typeof key !== "string") return "the keys of a mapping must be texts";
      // Values are checked when they are copied.
      put(carrier, key, value as YamlValue);
      return "";
    },
    has: (carrier, key) => typeof key === "string" && Object.hasOwn(carrier, key),
    keys: (result) => Object.keys(result),
    get: (result, key) => (typeof key === "string" ? result[key] : undefined),
    identify: () => false,
  });
  return new Schema([
    strTag,
    scalar("null", ["", "~", "n", "N"], isNullWord),
    scalar("bool", [..."tTfF"], wordOf),
    scalar("timestamp", [..."0123456789"], dateOf),
    scalar("int", digits, integerOf),
    scalar("float", [...digits, "."], floatOf),
    binary,
    mergeTag,
    seqTag,
    members,
  ]);
}

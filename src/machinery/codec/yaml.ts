/** YAML in and out, as v1.21 reads and prints it: YAML 1.1 scalars, JSON types only, one document, bounded aliases. */

import {
  constructFromEvents,
  DUMP_SCHEMA,
  defineScalarTag,
  dump,
  EVENT_ID,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  Schema,
  seqTag,
  strTag,
} from "js-yaml";
import { setOwn } from "../schema/json-value.ts";
import { badRequest, tooLarge } from "../status/status.ts";
import { decodeJson } from "./json.ts";
import { bodyBytesMax, checkBodySize, nestingMax } from "./json-gate.ts";

/** Bodies that are YAML and not JSON cost several times as much for each byte. */
export const yamlBytesMax = 1024 * 1024;
/** Deeper documents are refused; the parser calls itself for every level. */
export const yamlNestingMax = 250;
/** Uses of anchors in one document. */
export const yamlAliasesMax = 1000;
/** Keys that merges ("<<") may bring in. */
export const yamlMergedKeysMax = 10_000;
/** Values after aliases are expanded. */
export const yamlNodesMax = 300_000;

/**
 * Reads the first document of a body; an empty one is null. The last of duplicate keys wins. Keys become texts, so that
 * a plain `y` is the key "true". JSON is YAML, and is read as JSON, which is faster and exact.
 */
export function decodeYaml(bytes: Uint8Array): unknown {
  checkBodySize(bytes);
  if (looksLikeJson(bytes)) {
    try {
      return decodeJson(bytes);
    } catch {
      // Flow style that is not JSON after all; the YAML parser says what is wrong, if anything.
    }
  }
  if (bytes.length > yamlBytesMax) throw tooLarge(`a YAML body must have at most ${yamlBytesMax} bytes`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return expand(construct(text), 0, { nodes: yamlNodesMax, chars: bodyBytesMax });
}

/** Prints a value with sorted keys. */
export function encodeYaml(value: unknown): string {
  return dump(printable(value), {
    schema: printedSchema,
    sortKeys: true,
    seqNoIndent: true,
    lineWidth: -1,
    noRefs: true,
    quoteStyle: "double",
  });
}

function construct(text: string): unknown {
  try {
    const events = parseEvents(text, { maxDepth: yamlNestingMax });
    const second = events.findIndex((event, at) => at > 0 && event.type === EVENT_ID.DOCUMENT);
    const first = second < 0 ? events : events.slice(0, second);
    const [value] = constructFromEvents(first, {
      source: text,
      schema,
      json: true, // duplicate keys are no error
      maxAliases: yamlAliasesMax,
      maxTotalMergeKeys: yamlMergedKeysMax,
    });
    return value ?? null;
  } catch (error) {
    // Whatever the parser throws is about the text; its first line tells what and where.
    const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw badRequest(`the body is not YAML: ${reason.slice(0, 200)}`, error);
  }
}

function looksLikeJson(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    if (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) continue;
    return byte === 0x7b;
  }
  return false;
}

/** What aliases may still expand to. */
interface Budget {
  nodes: number;
  chars: number;
}

/** A copy in which nothing is shared and every value is one that JSON has; aliases make a few bytes into millions. */
function expand(value: unknown, depth: number, budget: Budget): unknown {
  budget.nodes--;
  if (typeof value === "string") budget.chars -= value.length;
  // An alias inside of its own anchor has no end, only a depth.
  if (budget.nodes < 0 || budget.chars < 0 || depth > nestingMax)
    throw badRequest("the aliases of the YAML body expand to too much");
  if (Array.isArray(value)) return value.map((item) => expand(item, depth + 1, budget));
  if (typeof value === "object" && value !== null) {
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      budget.chars -= key.length;
      setOwn(copy, key, expand(member, depth + 1, budget));
    }
    return copy;
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw badRequest("the YAML body has a number that JSON does not have");
  }
  return value;
}

/** What JSON would print: no undefined members, no boxed numbers. */
function printable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(printable);
  if (value instanceof Number) return value.valueOf();
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) setOwn(copy, key, printable(member));
  }
  return copy;
}

const words = new Map<string, boolean | null>([
  ...["y", "yes", "true", "on"].flatMap((word) => spellings(word).map((text) => [text, true] as const)),
  ...["n", "no", "false", "off"].flatMap((word) => spellings(word).map((text) => [text, false] as const)),
  ...["", "~", "null", "Null", "NULL"].map((text) => [text, null] as const),
]);

function spellings(word: string): string[] {
  return [word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()];
}

const nullTag = defineScalarTag<null>("tag:yaml.org,2002:null", {
  implicit: true,
  implicitFirstChars: ["", "~", "n", "N"],
  resolve: (source) => (words.get(source) === null ? null : NOT_RESOLVED),
  identify: () => false,
});

const boolTag = defineScalarTag<boolean>("tag:yaml.org,2002:bool", {
  implicit: true,
  implicitFirstChars: [..."yYtToOnNfF"],
  resolve: (source) => words.get(source) ?? NOT_RESOLVED,
  identify: () => false,
});

const digitStarts = [..."+-0123456789"];
const integerForms = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const floatForm = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Longer scalars are texts, whatever they look like. */
const numberCharsMax = 400;

/** Decimal, 0x, 0b, and octal as 017 or 0o17; underscores may group digits. */
const intTag = defineScalarTag<number | bigint>("tag:yaml.org,2002:int", {
  implicit: true,
  implicitFirstChars: digitStarts,
  resolve(source) {
    if (source.length > numberCharsMax) return NOT_RESOLVED;
    const plain = source.replaceAll("_", "");
    if (!integerForms.test(plain)) return NOT_RESOLVED;
    const negative = plain.startsWith("-");
    const unsigned = plain.replace(/^[-+]/, "");
    const magnitude = BigInt(/^0[0-7]/.test(unsigned) ? `0o${unsigned.slice(1)}` : unsigned.toLowerCase());
    const exact = negative ? -magnitude : magnitude;
    const value = Number(exact);
    return Number.isSafeInteger(value) || BigInt.asIntN(64, exact) !== exact ? value : exact;
  },
  identify: () => false,
});

const floatTag = defineScalarTag<number>("tag:yaml.org,2002:float", {
  implicit: true,
  implicitFirstChars: [...digitStarts, "."],
  resolve(source) {
    if (source.length > numberCharsMax) return NOT_RESOLVED;
    const plain = source.replaceAll("_", "");
    if (floatForm.test(plain)) return Number(plain);
    return /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(plain) ? Number.NaN : NOT_RESOLVED;
  },
  identify: () => false,
});

/** Quotes every text that this or another reader of YAML 1.1 or 1.2 would take for something else. */
const printedSchema = DUMP_SCHEMA.withTags(
  DUMP_SCHEMA.tags.map((tag) =>
    tag.nodeKind === "scalar" && tag.tagName === intTag.tagName
      ? {
          ...tag,
          identify: (data: unknown) => typeof data === "bigint" || tag.identify(data),
          resolve: (source: string, isExplicit: boolean, tagName: string) => {
            const resolved = tag.resolve(source, isExplicit, tagName);
            return resolved === NOT_RESOLVED ? intTag.resolve(source, isExplicit, tagName) : resolved;
          },
        }
      : tag,
  ),
);

/** What is read. Timestamps stay texts and there are no other tags: only JSON's types come out. */
const schema = new Schema([strTag, nullTag, boolTag, intTag, floatTag, mergeTag, seqTag, mapTag]);

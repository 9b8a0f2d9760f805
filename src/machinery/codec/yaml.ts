/** Reads YAML as v1.21 reads it: YAML 1.1 scalars, JSON types only, one document, bounded aliases. */

import { finish, inTimeSlices, type Steps } from "../../base/time-slice.ts";
import { decodeJsonAsync, parseChecked, parsedAtOnceBytesMax, type ReadJson, readJson } from "../json/json.ts";
import { bodyBytesMax, checkBodySize, checkShape, nestingMax } from "../json/json-gate.ts";
import { setOwn } from "../json/json-value.ts";
import { badRequest, tooLarge } from "../status/status.ts";
import { yamlEngine } from "./yaml-engine.ts";

/** Bodies that are YAML and not JSON cost several times as much for each byte. */
export const yamlBytesMax = 1024 * 1024;
/** Deeper documents are refused; the parser is recursive. */
export const yamlNestingMax = 250;
/** Lines, and items in flow style: each costs microseconds, and the parser cannot be interrupted. */
export const yamlPartsMax = 16_000;
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
    const traits = checkShape(bytes);
    try {
      return parseChecked(bytes, traits);
    } catch {
      // Flow style that is not JSON after all; the YAML parser says what is wrong, if anything.
    }
  }
  return finish(yamlSteps(bytes));
}

/** What a body says that is JSON. Undefined: it is not. */
export function readJsonOfYaml(bytes: Uint8Array): ReadJson | undefined {
  if (!looksLikeJson(bytes)) return undefined;
  try {
    return readJson(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes a large body in time slices. */
export async function decodeYamlAsync(bytes: Uint8Array): Promise<unknown> {
  checkBodySize(bytes);
  if (looksLikeJson(bytes)) {
    const traits = checkShape(bytes);
    try {
      return bytes.length <= parsedAtOnceBytesMax ? parseChecked(bytes, traits) : await decodeJsonAsync(bytes);
    } catch {
      // As above.
    }
  }
  return inTimeSlices(yamlSteps(bytes));
}

function* yamlSteps(bytes: Uint8Array): Steps<unknown> {
  if (bytes.length > yamlBytesMax) throw tooLarge(`a YAML body must have at most ${yamlBytesMax} bytes`);
  checkParts(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const value = yield* construct(text);
  yield;
  return expand(value, 0, { nodes: yamlNodesMax, chars: bodyBytesMax });
}

/** The parser cannot be interrupted, so the parts it has to read are counted first. */
function checkParts(bytes: Uint8Array): void {
  if (partsOf(bytes) > yamlPartsMax) {
    throw tooLarge(`a YAML body must have at most ${yamlPartsMax} lines and items; JSON may have more`);
  }
}

function partsOf(bytes: Uint8Array): number {
  let parts = 0;
  for (const byte of bytes) {
    if (byte === 0x0a || byte === 0x0d || byte === 0x2c || byte === 0x5b || byte === 0x7b) parts++; // \n \r , [ {
  }
  return parts;
}

/** Whether the parser may read the body. JSON that is decoded as YAML may be larger. */
export const isWithinYamlLimits = (bytes: Uint8Array): boolean =>
  bytes.length <= yamlBytesMax && partsOf(bytes) <= yamlPartsMax;

function* construct(text: string): Steps<unknown> {
  const { parseEvents, constructFromEvents, EVENT_ID, read } = yamlEngine();
  try {
    const events = parseEvents(text, { maxDepth: yamlNestingMax });
    const second = events.findIndex((event, at) => at > 0 && event.type === EVENT_ID.DOCUMENT);
    const first = second < 0 ? events : events.slice(0, second);
    yield;
    const [value] = constructFromEvents(first, {
      source: text,
      schema: read,
      json: true, // duplicate keys are not an error
      maxAliases: yamlAliasesMax,
      maxTotalMergeKeys: yamlMergedKeysMax,
    });
    return value ?? null;
  } catch (error) {
    // Every error of the parser is about the text; its first line says what is wrong and where.
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

/** How many values aliases may still expand to. */
interface Budget {
  nodes: number;
  chars: number;
}

/** A copy in which nothing is shared and every value is one that JSON has; aliases make a few bytes into millions. */
function expand(value: unknown, depth: number, budget: Budget): unknown {
  budget.nodes--;
  if (typeof value === "string") budget.chars -= value.length;
  // An alias inside its own anchor is endless; the depth limit ends it.
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

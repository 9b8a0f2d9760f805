/** Merges a configuration into an object without managed fields: how policies set fields. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Schema } from "../schema/schema.ts";
import { badRequest } from "../status/status.ts";
import { mergeInSteps } from "./merge-steps.ts";
import { decodePartial } from "./partial.ts";
import { grainOf, memberSchema, Unidentified } from "./topology.ts";

/** Paths that a refusal names. */
const atomicsShownMax = 10;

/**
 * The object with all that the configuration sets. Throws 400 if it is not a configuration of the kind, or sets a list, map or struct that is
 * owned whole: to set one of its members would remove all others. Neither argument is changed.
 */
export function* mergeConfiguration(kind: BoundKind, live: unknown, configuration: unknown): Steps<unknown> {
  const { topology } = kind.codec;
  const given = yield* decodePartial(topology, configuration, "failed to convert patch object to typed object: ");
  const atomics = [...atomicsIn(topology, given, "")];
  if (atomics.length > 0)
    throw badRequest(`may not mutate atomic arrays, maps or structs: ${atomics.slice(0, atomicsShownMax).join(", ")}`);
  yield;
  try {
    return yield* mergeInSteps(topology, live, given);
  } catch (problem) {
    if (problem instanceof Unidentified) throw badRequest(problem.message);
    throw problem;
  }
}

/** The paths of all that is owned whole but has parts. */
function* atomicsIn(schema: Schema, value: unknown, path: string): Generator<string> {
  if (schema.type !== "struct" && schema.type !== "map" && schema.type !== "list") return;
  if (value === null) return;
  if (grainOf(schema) === "whole") yield path;
  if (schema.type === "list") {
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) yield* atomicsIn(schema.items, item, `${path}[${at}]`);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      yield* atomicsIn(memberSchema(schema, name), member, `${path}.${name}`);
  }
}

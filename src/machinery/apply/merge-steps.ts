/** Merges a configuration into an object in steps: for thousands of fields it takes a while. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject, setOwn } from "../json/json-value.ts";
import { isSmall, partsPerStep, valuesPerStep } from "../json/parts.ts";
import type { ListSchema, Schema } from "../schema/schema.ts";
import { isList, merge, pairItems } from "./merge.ts";
import { grainAt, listPlan, memberSchema } from "./topology.ts";

/** The result of `merge`. Values of at most `partsMax` parts take one step. */
export function* mergeInSteps(
  schema: Schema,
  live: unknown,
  applied: unknown,
  partsMax = partsPerStep,
): Steps<unknown> {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  if (isSmall(applied, partsMax) && isSmall(live, partsMax)) return merge(schema, live, applied);
  yield;
  switch (grainAt(schema, live, applied)) {
    case "whole":
      return merge(schema, live, applied);
    case "items":
      return yield* mergeItems(schema as ListSchema, live, applied, partsMax); // by its grain
    case "members":
      return yield* mergeMembers(schema, live, applied, partsMax);
  }
}

function* mergeMembers(schema: Schema, live: unknown, applied: unknown, partsMax: number): Steps<unknown> {
  if (!isObject(applied)) return live;
  const before: Readonly<Record<string, unknown>> = isObject(live) ? live : {};
  const changes = new Map<string, unknown>();
  let visited = 0;
  for (const name of Object.keys(applied)) {
    if (++visited % valuesPerStep === 0) yield;
    const current = Object.hasOwn(before, name) ? before[name] : undefined;
    const inner = memberSchema(schema, name);
    const isScalar = typeof current !== "object" && typeof applied[name] !== "object";
    const next = isScalar
      ? merge(inner, current, applied[name])
      : yield* mergeInSteps(inner, current, applied[name], partsMax);
    if (next !== current) changes.set(name, next);
  }
  return changes.size === 0 ? before : yield* withChanges(before, changes);
}

/** A copy with other members. To copy all of them at once takes longer than a step may. */
function* withChanges(
  before: Readonly<Record<string, unknown>>,
  changes: ReadonlyMap<string, unknown>,
): Steps<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  let copied = 0;
  for (const name of Object.keys(before)) {
    setOwn(result, name, changes.has(name) ? changes.get(name) : before[name]);
    if (++copied % valuesPerStep === 0) yield;
  }
  for (const [name, value] of changes) {
    if (!Object.hasOwn(before, name)) setOwn(result, name, value);
    if (++copied % valuesPerStep === 0) yield;
  }
  return result;
}

function* mergeItems(schema: ListSchema, live: unknown, applied: unknown, partsMax: number): Steps<unknown> {
  const plan = listPlan(schema);
  if (plan === undefined) return applied;
  const result: unknown[] = [];
  for (const pair of yield* pairItems(plan, live, applied)) {
    result.push(yield* mergeInSteps(schema.items, pair.live, pair.applied, partsMax));
    if (result.length % valuesPerStep === 0) yield;
  }
  return isList(live, result) ? live : result;
}

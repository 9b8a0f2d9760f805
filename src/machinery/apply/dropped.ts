/** The fields that an apply removes: the applier owned them and omits them now, and no other manager owns them. */

import type { Steps } from "../../base/time-slice.ts";
import { isObject } from "../json/json-value.ts";
import { valuesPerStep } from "../json/parts.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldSet, FieldSetDraft } from "./field-set.ts";
import { emptySet, intersection, isMember, stepsOf } from "./field-set.ts";
import { withDeclaredMembers } from "./reconcile.ts";
import { toFieldSetInSteps } from "./to-field-set.ts";
import { fieldOf } from "./token.ts";
import { grainAt, isDeclared, listPlan, stepSchema } from "./topology.ts";

/** An object, or a part of it, that an applier owned fields of. All sets are in the version of `schema`. */
interface Omission {
  readonly schema: Schema;
  readonly value: unknown;
  /** What the applier owned. */
  readonly former: FieldSet;
  /** What of it the applier does not own any more. */
  readonly omitted: FieldSet;
  /** What each manager owns now, the applier included. */
  readonly owners: readonly FieldSet[];
}

/**
 * A part that the applier owned, or that is inside of one, and that has no owner any more leaves with all that the applier owned in
 * it. A declared member has an owner if anything in it has one. Such a part contains an omitted field or is one, so nothing
 * else is looked at, however large the object is:
 *
 *   colors { a, b } and replicas were applied, colors { a } and replicas are applied now    omitted and dropped: colors.b
 *   replicas is applied now                                   omitted: colors.a, colors.b   dropped: colors, colors.a, colors.b
 */
export function* droppedFields(omission: Omission): Steps<FieldSet> {
  return (yield* droppedIn(omission, false)) ?? emptySet;
}

/** `isInFormer`: whether the part is in one that the applier owned, or is one. */
function* droppedIn(omission: Omission, isInFormer: boolean): Steps<FieldSet | undefined> {
  const { schema, value, former, omitted, owners } = omission;
  const partAt = partsOf(schema, value);
  let draft: FieldSetDraft | undefined;
  let visited = 0;
  for (const token of stepsOf(omitted)) {
    if (++visited % valuesPerStep === 0) yield;
    const part = partAt?.(token);
    if (part === undefined) continue;
    const name = fieldOf(token);
    const isField = name !== undefined && isDeclared(schema, name);
    const last = former[token] as FieldSet; // what is omitted was owned
    const left = owners.map((owner) => owner[token]).filter((node) => node !== undefined);
    const isOwned = left.some((node) => isField || isMember(node));
    const isFormer = isInFormer || isField || isMember(last);
    const inside = stepSchema(schema, token);
    let dropped: FieldSet | undefined;
    if (isFormer && !isOwned) {
      const all = withDeclaredMembers(schema, yield* toFieldSetInSteps(schema, part.alone));
      dropped = intersection(all, withDeclaredMembers(schema, { [token]: last }))[token];
    } else if (inside !== undefined) {
      const within = { schema: inside, value: part.value, former: last, owners: left };
      dropped = yield* droppedIn({ ...within, omitted: omitted[token] as FieldSet }, isFormer); // stepsOf gives own keys
    }
    if (dropped === undefined) continue;
    draft ??= {};
    draft[token] = dropped;
  }
  return draft;
}

interface Part {
  readonly value: unknown;
  /** What contains the part, with nothing else in it. */
  readonly alone: unknown;
}

/** The parts of a value by their tokens; undefined: it is owned whole, or has none. */
function partsOf(schema: Schema, value: unknown): ((token: string) => Part | undefined) | undefined {
  const grain = grainAt(schema, value, undefined);
  if (grain === "members" && isObject(value)) {
    return (token) => {
      const name = fieldOf(token);
      if (name === undefined || !Object.hasOwn(value, name)) return undefined;
      return { value: value[name], alone: { [name]: value[name] } };
    };
  }
  const plan = grain === "items" && schema.type === "list" ? listPlan(schema) : undefined;
  if (plan === undefined || !Array.isArray(value)) return undefined;
  const byToken = new Map<string, unknown[]>();
  for (const item of value) {
    const token = plan.tokenOf(item);
    const same = byToken.get(token);
    if (same === undefined) byToken.set(token, [item]);
    else same.push(item);
  }
  return (token) => {
    const items = byToken.get(token);
    // Repeated items are one field, without parts.
    return items && { value: items.length === 1 ? items[0] : undefined, alone: items };
  };
}

/**
 * Fields that this tool owns under one of its other names: those of the name kubectl, and of a client-side apply. They are moved to the
 * name of today, so that nobody is in conflict with oneself, and a field that the manifest no longer has is removed.
 */

import type { ObjectAddress } from "../../client/contract.ts";
import { ifThere, isConflict } from "../../client/requests/refusals.ts";
import type { Context } from "../context.ts";
import { copy, isJson, type Json, list, object, text } from "../json.ts";
import { conflictsOf } from "./conflicts.ts";
import { writeOptions } from "./write-options.ts";

interface AppliedAs {
  readonly place: ObjectAddress;
  readonly manager: string;
  readonly isDryRun: boolean;
}

/**
 * Sends an apply so that our other names are not in its way. Only entries that share a field with the manifest are moved: someone who
 * applies other fields of the object by the name kubectl is left alone. A dry run moves nothing: it takes over what is contested.
 */
export async function withoutOtherNames<Done extends { readonly result: Json }>(
  context: Context,
  as: AppliedAs,
  send: (force: boolean) => Promise<Done>,
): Promise<Done> {
  if (context.isSet("field-manager")) return send(false);
  let done: Done;
  try {
    done = await send(false);
  } catch (error) {
    if (!isConflict(error)) throw error;
    const contested = new Set(conflictsOf(error).map(({ other }) => other));
    const ours = [...contested].filter((name) => Object.hasOwn(context.behaviour.otherManagers, name));
    if (as.isDryRun && ours.length === contested.size && ours.length > 0) return send(true);
    const isMoved = (entry: Json) => ours.includes(text(entry, "manager"));
    if (ours.length === 0 || as.isDryRun || !(await takeOver(context, as, isMoved))) throw error;
    return send(false);
  }
  if (as.isDryRun) return done;
  const entries = list(done.result, "metadata", "managedFields");
  const own = entries.find((entry) => isApplied(entry, as.manager));
  const isMoved = (entry: Json) => own !== undefined && sharesField(own, entry);
  if (!entries.some((entry) => isOtherName(context, entry) && isMoved(entry))) return done;
  return (await takeOver(context, as, isMoved)) ? { ...done, result: (await send(false)).result } : done;
}

/** How often to try again when somebody else writes the object at the same time. */
export const moveTriesMax = 5;

/** Whether anything was moved. */
async function takeOver(
  context: Context,
  { place, manager }: AppliedAs,
  isMoved: (entry: Json) => boolean,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const live = await ifThere(context.at(place.resource).get(place));
    const entries = list(live, "metadata", "managedFields");
    const managedFields = withMoved(entries, manager, (entry) => isOtherName(context, entry) && isMoved(entry));
    if (managedFields === undefined) return false;
    const metadata = { resourceVersion: text(live, "metadata", "resourceVersion"), managedFields };
    try {
      await context.at(place.resource).patch(place, { metadata }, writeOptions(manager));
      return true;
    } catch (error) {
      if (!isConflict(error) || tries >= moveTriesMax) throw error;
    }
  }
}

/** Whether the entry has a name under which this tool applies, other than that of today. */
function isOtherName(context: Context, entry: Json): boolean {
  const name = text(entry, "manager");
  const { otherManagers } = context.behaviour;
  return (
    Object.hasOwn(otherManagers, name) &&
    otherManagers[name] === entry["operation"] &&
    text(entry, "subresource") === ""
  );
}

const isApplied = (entry: Json, manager: string): boolean =>
  entry["manager"] === manager && entry["operation"] === "Apply" && text(entry, "subresource") === "";

/** Whether two entries own a field together. */
const sharesField = (one: Json, other: Json): boolean =>
  isSharedField(object(one, "fieldsV1"), object(other, "fieldsV1"));

function isSharedField(one: Json, other: Json): boolean {
  return Object.keys(one).some((key) => {
    const [a, b] = [one[key], other[key]];
    if (!isJson(a) || !isJson(b)) return false;
    return Object.keys(a).length === 0 && Object.keys(b).length === 0 ? true : isSharedField(a, b);
  });
}

/** The entries, with those that move merged into the applied one of `manager`; undefined: none moves. */
function withMoved(entries: readonly Json[], manager: string, isMoved: (entry: Json) => boolean): Json[] | undefined {
  const moving = entries.filter(isMoved);
  const [first] = moving;
  if (first === undefined) return undefined;
  const own = entries.find((entry) => isApplied(entry, manager)) ?? {
    ...first,
    manager,
    operation: "Apply",
    fieldsV1: {},
  };
  const fields = copy(object(own, "fieldsV1"));
  // Fields of another version may have other names: they lose their owner, and the next apply owns what it has of them.
  for (const entry of moving)
    if (entry["apiVersion"] === own["apiVersion"]) addFields(fields, object(entry, "fieldsV1"));
  return [
    ...entries.filter((entry) => !isApplied(entry, manager) && !moving.includes(entry)),
    { ...own, fieldsV1: fields },
  ];
}

function addFields(to: Json, from: Json): void {
  for (const [key, value] of Object.entries(from)) {
    const target = to[key];
    if (isJson(target) && isJson(value)) addFields(target, value);
    else to[key] = copy(value);
  }
}

/** Writes to the server: create, replace, patch; each with the field manager and the dry run of the command. */

import { type Place, pathOf } from "../api/api.ts";
import type { ApiResource } from "../api/discovery.ts";
import type { Context } from "../context.ts";
import { copy, ensure, type Json, text } from "../json.ts";
import { isBuiltIn, twoWayPatch } from "../merge/patch.ts";
import { type DryRun, dryRunOf } from "../output/formats.ts";

/** "kubectl-create": the manager name for a command. */
export async function managerOf(context: Context, command: string): Promise<string> {
  if (context.flags.has("field-manager") && context.flags.isSet("field-manager"))
    return context.flags.text("field-manager");
  const tool = context.program === "kubectl" ? "kubectl" : (await context.vocabulary()).tool;
  return command === "" ? tool : `${tool}-${command}`;
}

export interface WriteOptions {
  readonly manager: string;
  readonly dryRun?: DryRun;
}

function queryOf(options: WriteOptions): Record<string, string | undefined> {
  return { fieldManager: options.manager, dryRun: options.dryRun === "server" ? "All" : undefined };
}

/** The object with the namespace it is written to. */
export function placed(object: Json, resource: ApiResource, namespace: string): Json {
  if (!resource.namespaced || namespace === "") return object;
  const result = copy(object);
  ensure(result, "metadata")["namespace"] = namespace;
  return result;
}

export async function createObject(
  context: Context,
  place: Place & { resource: ApiResource },
  object: Json,
  options: WriteOptions,
): Promise<Json> {
  const { name: _, ...collection } = place;
  const made = await context.api.json(pathOf(collection), {
    method: "POST",
    body: withoutVersion(placed(object, place.resource, place.namespace ?? "")),
    query: queryOf(options),
  });
  context.noteChange(place.resource);
  return made;
}

/** An object that was read from a server can be created again: its resourceVersion is dropped. */
function withoutVersion(object: Json): Json {
  if (text(object, "metadata", "resourceVersion") === "") return object;
  const result = copy(object);
  delete ensure(result, "metadata")["resourceVersion"];
  return result;
}

export async function replaceObject(
  context: Context,
  place: Place & { resource: ApiResource },
  object: Json,
  options: WriteOptions,
): Promise<Json> {
  const changed = await context.api.json(pathOf(place), {
    method: "PUT",
    body: placed(object, place.resource, place.namespace ?? ""),
    query: queryOf(options),
  });
  context.noteChange(place.resource);
  return changed;
}

export type PatchType = "json" | "merge" | "strategic" | "apply";

export const patchContentTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

export async function patchObject(
  context: Context,
  place: Place & { resource: ApiResource },
  patch: unknown,
  options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
): Promise<Json> {
  const changed = await context.api.json(pathOf(place), {
    method: "PATCH",
    body: patch,
    contentType: patchContentTypes[options.type],
    query: { ...queryOf(options), force: options.force ? true : undefined },
  });
  context.noteChange(place.resource);
  return changed;
}

/** Changes an object with the smallest patch; undefined: there is nothing to change. */
export async function patchTo(
  context: Context,
  place: Place & { resource: ApiResource },
  change: { readonly before: Json; readonly after: Json; readonly manager: string },
): Promise<Json | undefined> {
  const isStrategic = isBuiltIn(place.resource.group);
  const patch = twoWayPatch(change.before, change.after, isStrategic);
  if (Object.keys(patch).length === 0) return undefined;
  const dryRun = dryRunOf(context);
  if (dryRun === "client") return change.after;
  return patchObject(context, place, patch, {
    manager: change.manager,
    dryRun,
    type: isStrategic ? "strategic" : "merge",
  });
}

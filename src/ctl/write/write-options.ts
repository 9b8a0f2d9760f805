/** What every write of a command has: the name of its field manager, and its dry run. */

import type { FieldValidation, ResourceAddress, WriteOptions } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { copy, ensure, type Json } from "../json.ts";
import type { DryRun } from "../output/formats.ts";

/** "ctl-create": the manager name for a command. */
export function managerOf(context: Context, command: string): string {
  if (context.isSet("field-manager")) return context.flags["field-manager"] ?? "";
  const { fieldManager } = context.behaviour;
  return command === "" ? fieldManager : `${fieldManager}-${command}`;
}

export const writeOptions = (
  manager: string,
  dryRun: DryRun = "none",
  fieldValidation?: FieldValidation,
): WriteOptions => ({ fieldManager: manager, dryRun: dryRun === "server", fieldValidation });

/** The object with the namespace it is written to. */
export function withNamespace(object: Json, resource: ResourceAddress, namespace: string): Json {
  if (!resource.namespaced || namespace === "") return object;
  const result = copy(object);
  ensure(result, "metadata")["namespace"] = namespace;
  return result;
}

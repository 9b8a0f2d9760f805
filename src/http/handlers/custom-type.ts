/** Checks the apiVersion and kind of a custom resource: both are required, and a wrong value makes the object invalid. */

import { isObject } from "../../machinery/json/json-value.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import { badRequest, invalidObject } from "../../machinery/status/status.ts";

type Value = Readonly<Record<string, unknown>>;

/** Checks a body: the version of another path is refused before the object is decoded. */
export function checkCustomBody(kind: BoundKind, value: Value): void {
  const { kind: name, apiVersion } = value;
  if (typeof name !== "string" || name === "") throw badRequest("the body must say its kind");
  if (apiVersion !== kind.apiVersion) throw badRequest(`the body must be of ${kind.apiVersion}, as the path is`);
  checkCustomType(kind, value);
}

export function customPatchProblem(kind: BoundKind, result: Value): string | undefined {
  if (typeof result["kind"] !== "string" || result["kind"] === "") return "the result must have a kind";
  checkCustomType(kind, result);
  return undefined;
}

/** The error names the group and kind that the object claims to be of. */
function checkCustomType(kind: BoundKind, value: Value): void {
  const errors: FieldError[] = [];
  if (value["kind"] !== kind.kind) errors.push(invalid("kind", value["kind"] ?? "", `must be ${kind.kind}`));
  if (value["apiVersion"] !== kind.apiVersion)
    errors.push(invalid("apiVersion", value["apiVersion"] ?? "", `must be ${kind.apiVersion}`));
  if (errors.length === 0) return;
  const claimed = typeof value["kind"] === "string" && value["kind"] !== "" ? value["kind"] : kind.kind;
  throw invalidObject({ group: groupOf(value) ?? kind.group, kind: claimed }, nameOf(value), errors);
}

/** The group of its apiVersion, "" for a version without one. */
function groupOf({ apiVersion }: Value): string | undefined {
  if (typeof apiVersion !== "string" || apiVersion === "") return undefined;
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

function nameOf({ metadata }: Value): string {
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? name : "";
}

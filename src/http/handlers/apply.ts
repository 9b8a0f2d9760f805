/** Server-side apply: what one manager wants to be true of an object. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { applyMergePatch } from "../../machinery/patch/merge-patch.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest, notFound } from "../../machinery/status/status.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Change } from "../../registry/contract.ts";
import type { Context } from "../context.ts";
import { checkTypeOf } from "./decode-body.ts";
import type { WriteOptions } from "./options.ts";
import type { Target } from "./target.ts";

/** The change that an apply makes. Bodies are YAML; JSON is YAML too. */
export function createApply(
  context: Context,
  target: Target,
  accepted: BoundKind | undefined,
  bytes: Buffer,
  options: WriteOptions,
): Change {
  const { kind, ref, subresource } = target;
  let applied: ApiObject | undefined;
  return (live) => {
    applied ??= readApplied(accepted ?? kind, bytes);
    if (live === undefined && subresource !== undefined) {
      throw notFound({ group: kind.group, kind: kind.resource }, ref.name);
    }
    // A body of another kind (a Scale) names no fields of the parent, so there is nothing to own.
    if (accepted !== undefined) return decodeKind(accepted, applyMergePatch(live, applied));
    return context.apply({
      kind,
      live,
      applied,
      manager: options.fieldManager,
      force: options.force === true,
      subresource: subresource?.name ?? "",
      now: timeText(context.clock.now()),
    });
  };
}

/** The configuration as it was sent: apply must tell what was left out from what was set to nothing. */
function readApplied(kind: BoundKind, bytes: Buffer): ApiObject {
  const value = decodeYaml(bytes);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("the body of an apply must be an object");
  }
  const { apiVersion, kind: name } = value as Record<string, unknown>; // An object; compared only.
  if (typeof apiVersion !== "string" || typeof name !== "string") {
    throw badRequest("the body of an apply must say its apiVersion and kind");
  }
  checkTypeOf(kind, value);
  return value as ApiObject; // Whoever merges it checks it against the schema.
}

/** The scale subresource of a custom kind: the definition says where its replicas are. */

import type { DefinitionSubresources } from "../../api/apiextensions/v1/definition-parts.ts";
import type { ApiObject, Subresource } from "../../machinery/schema/kind.ts";
import { type FieldError, invalid } from "../../machinery/status/field-error.ts";
import { badRequest, internalError } from "../../machinery/status/status.ts";
import type { SpokenGroup } from "../../vocabulary/vocabulary.ts";
import { valueAt, withValueAt } from "./nested.ts";

export type ScalePaths = NonNullable<DefinitionSubresources["scale"]>;

const replicasMax = 2 ** 31 - 1;

export function scalePath(paths: ScalePaths): Subresource<ApiObject, SpokenGroup> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return {
    name: "scale",
    verbs: ["get", "patch", "update"],
    accepts: { group: "autoscaling", version: "v1", kind: "Scale" },
    replicas: specReplicasPath.split(".").slice(1),
    ownsWith: "ownersOfCustomScales",
    view(parent) {
      const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
      const replicas = integerAt(parent, specReplicasPath);
      const selector = labelSelectorPath ? textAt(parent, labelSelectorPath) : "";
      return {
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
        spec: replicas ? { replicas } : {},
        status: { replicas: integerAt(parent, statusReplicasPath) ?? 0, ...(selector === "" ? {} : { selector }) },
      };
    },
    refuseRead(parent) {
      if (integerAt(parent, specReplicasPath) !== undefined) return undefined;
      return internalError(`the field ${specReplicasPath} with the number of replicas does not exist`);
    },
    merge(written, parent) {
      // The registry has decoded the body as a Scale.
      const { spec } = written as { spec?: { replicas?: number } };
      const next = withValueAt(parent, specReplicasPath, spec?.replicas ?? 0);
      if (next === undefined) throw badRequest(`${specReplicasPath} cannot be set in this object`);
      return next;
    },
  };
}

/** Errors of the replicas and of the selector, which clients of the scale subresource rely on. */
export function scaleProblems(paths: ScalePaths, object: ApiObject, isStatusWrite: boolean): FieldError[] {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = paths;
  return [
    ...(isStatusWrite ? [] : replicasProblems(object, specReplicasPath)),
    ...replicasProblems(object, statusReplicasPath),
    ...(labelSelectorPath ? selectorProblems(object, labelSelectorPath) : []),
  ];
}

function replicasProblems(object: ApiObject, path: string): FieldError[] {
  const found = valueAt(object, path);
  if (found === undefined) return [];
  if (found === "wrong" || !isInteger(found.value)) return [invalid(path, 0, "must be an integer")];
  const { value } = found;
  if (value < 0) return [invalid(path, value, "must be greater than or equal to 0")];
  return value > replicasMax ? [invalid(path, value, `must be less than or equal to ${replicasMax}`)] : [];
}

function selectorProblems(object: ApiObject, path: string): FieldError[] {
  const found = valueAt(object, path);
  if (found === undefined || (found !== "wrong" && typeof found.value === "string")) return [];
  return [invalid(path, "", "must be a string")];
}

const isInteger = (value: unknown): value is number | bigint => typeof value === "bigint" || Number.isInteger(value);

/** Undefined: absent. Stored objects were validated, perhaps by another definition. */
function integerAt(object: ApiObject, path: string): number | undefined {
  const found = valueAt(object, path);
  if (found === undefined) return undefined;
  if (found === "wrong" || !isInteger(found.value)) throw internalError(`${path} is not an integer in this object`);
  return Number(found.value);
}

function textAt(object: ApiObject, path: string): string {
  const found = valueAt(object, path);
  if (found === undefined) return "";
  if (found === "wrong" || typeof found.value !== "string")
    throw internalError(`${path} is not a string in this object`);
  return found.value;
}

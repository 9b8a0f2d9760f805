/** What must hold for nodes beyond the rules of their fields. */

import { isConfigMapKey, isDns1123Label, isDns1123Subdomain } from "../../../../machinery/meta/names.ts";
import { pick } from "../../../../machinery/schema/build.ts";
import { checker } from "../../../../machinery/schema/constraints.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import type { Environment } from "../../../../machinery/schema/schema.ts";
import {
  each,
  type FieldError,
  type FieldErrors,
  forbidden,
  invalid,
  required,
} from "../../../../machinery/status/field-error.ts";
import { validateAnnotations } from "./annotations.ts";
import { checkTaints, type NodeConfigSource, type NodeSpec, NodeStatus } from "./spec.ts";

interface NodeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

const checkAmounts = checker(pick(NodeStatus, ["capacity", "allocatable"]));
const checkStatus = checker(NodeStatus);

export const validateNode = ({ metadata, status }: NodeLike, environment: Environment): FieldErrors => [
  ...validateAnnotations(metadata, environment),
  ...checkAmounts(status, "status", environment),
];

export const validateNodeUpdate = (node: NodeLike, _old: NodeLike, environment: Environment): FieldErrors => [
  ...validateAnnotations(node.metadata, environment),
  ...checkStatus(node.status, "status", environment),
  // v1.21 checks taints twice in an update: as taints of a node, and here.
  ...checkTaints(node.spec?.taints, "metadata.taints", environment),
  ...validateConfigSources(node, environment),
];

function validateConfigSources({ spec, status }: NodeLike, environment: Environment): FieldError[] {
  const { assigned, active, lastKnownGood } = status?.config ?? {};
  return [
    ...validateConfigSource(spec?.configSource, "spec.configSource", "absent", environment),
    ...validateConfigSource(assigned, "status.config.assigned", "present", environment),
    ...validateConfigSource(active, "status.config.active", "present", environment),
    ...validateConfigSource(lastKnownGood, "status.config.lastKnownGood", "present", environment),
  ];
}

/** `identity`: whether the source names a revision of the config map, as only a status does. */
function validateConfigSource(
  source: NodeConfigSource | undefined,
  path: string,
  identity: "absent" | "present",
  { vocabulary }: Environment,
): FieldError[] {
  if (source === undefined) return [];
  const { configMap } = source;
  if (configMap === undefined) return [invalid(path, source, "exactly one reference must be given")];
  const at = `${path}.configMap`;
  const errors: FieldError[] = [];
  for (const field of ["uid", "resourceVersion"] as const) {
    if (identity === "absent" && configMap[field]) errors.push(forbidden(`${at}.${field}`, "must not be set in spec"));
    if (identity === "present" && !configMap[field]) errors.push(required(`${at}.${field}`));
  }
  const keyField = vocabulary.field("orchletConfigKey");
  const texts: Readonly<Record<string, string | undefined>> = { ...configMap };
  const checks = [
    { field: "namespace", check: isDns1123Label },
    { field: "name", check: isDns1123Subdomain },
    { field: keyField, check: isConfigMapKey },
  ];
  for (const { field, check } of checks) {
    const text = texts[field] ?? "";
    if (text === "") errors.push(required(`${at}.${field}`));
    else errors.push(...each(check(text), `${at}.${field}`, text));
  }
  return errors;
}

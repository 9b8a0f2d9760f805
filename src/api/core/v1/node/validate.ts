/** What must hold for nodes beyond the rules of their fields. */

import { pick } from "../../../../machinery/schema/build.ts";
import { checker, on, type Relation } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";
import { forbid, need } from "../../../../machinery/schema/relations.ts";
import { type FieldErrors, invalid, noErrors } from "../../../../machinery/status/field-error.ts";
import { validateAnnotations } from "./annotations.ts";
import { ConfigMapNodeConfigSource, checkTaints, NodeConfigSource, type NodeSpec, NodeStatus } from "./spec.ts";

interface NodeLike {
  readonly metadata: ObjectMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

const checkAmounts = checker(pick(NodeStatus, ["capacity", "allocatable"]));

const always = () => true;
const sourceRelations: readonly Relation[] = [
  on(NodeConfigSource, (source) =>
    source.configMap === undefined ? [invalid("", source, "exactly one reference must be given")] : noErrors,
  ),
];
/** Only a status names a revision of the config map. */
const checkConfigSource = checker(NodeConfigSource, [
  ...sourceRelations,
  forbid(ConfigMapNodeConfigSource, "uid", "must not be set in spec", always),
  forbid(ConfigMapNodeConfigSource, "resourceVersion", "must not be set in spec", always),
]);
const checkStatus = checker(NodeStatus, [
  ...sourceRelations,
  need(ConfigMapNodeConfigSource, "uid", "", always),
  need(ConfigMapNodeConfigSource, "resourceVersion", "", always),
]);

export const validateNode = ({ metadata, status }: NodeLike, environment: Environment): FieldErrors => [
  ...validateAnnotations(metadata, environment),
  ...checkAmounts(status, "status", environment),
];

export const validateNodeUpdate = (node: NodeLike, _old: NodeLike, environment: Environment): FieldErrors => [
  ...validateAnnotations(node.metadata, environment),
  ...checkStatus(node.status, "status", environment),
  // v1.21 checks taints twice in an update: as taints of a node, and here.
  ...checkTaints(node.spec?.taints, "metadata.taints", environment),
  ...checkConfigSource(node.spec?.configSource, "spec.configSource", environment),
];

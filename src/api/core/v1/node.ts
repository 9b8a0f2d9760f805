/** A Node is a machine that runs pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind, status } from "../../../machinery/schema/kind.ts";
import { rangeWarnings, warnsOfOddForms } from "../../address-forms.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";
import { addressText, kernelText, rolesText, statusText, systemText } from "./node/columns.ts";
import { NodeSpec, NodeStatus } from "./node/spec.ts";
import { validateNode, validateNodeUpdate } from "./node/validate.ts";

export const Node = kind({
  group: "",
  version: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
  shortNames: ["no"],
  doc: "A Node is a machine that runs pods.",
  fields: {
    spec: elided(NodeSpec).at(2).doc("The desired state of the node, set by its users."),
    status: elided(NodeStatus).at(3).doc("The most recently observed state of the node, written by the system."),
  },
  // Nodes register with their own status.
  compat: { keepsStatusOnCreate: true },
  validate: validateNode,
  warnings: ({ spec }, _old, environment) => [
    ...(has(environment, "externalIdWarnings") && spec?.externalID
      ? ["spec.externalID: this field is deprecated, and is unused by orch"]
      : []),
    ...(warnsOfOddForms(environment)
      ? (spec?.podCIDRs ?? []).flatMap((range, index) => rangeWarnings(range, `spec.podCIDRs[${index}]`))
      : []),
  ],
  validateUpdate: (node, old, environment) => [
    ...validateNode(node, environment),
    ...validateNodeUpdate(node, old, environment),
  ],
  selectableFields: { "spec.unschedulable": (node) => String(node.spec?.unschedulable === true) },
  columns: (column) => [
    nameColumn,
    column("Status", statusText),
    column("Roles", rolesText),
    ageColumn,
    column("Version", (node, environment) => systemText(node, environment.vocabulary.field("orchletVersion"), "")),
    column("Internal-IP", (node) => addressText(node, "InternalIP"), { priority: 1 }),
    column("External-IP", (node) => addressText(node, "ExternalIP"), { priority: 1 }),
    column("OS-Image", (node) => systemText(node, "osImage"), { priority: 1 }),
    column("Kernel-Version", (node, environment) => kernelText(node, environment), { priority: 1 }),
    column("Container-Runtime", (node) => systemText(node, "containerRuntimeVersion"), { priority: 1 }),
  ],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      shownKind: "NodeProxyOptions",
      action: "nodes/proxy",
      connects: { path: "text" },
    },
    status({ validate: validateNodeUpdate }),
  ],
});
export type Node = Static<typeof Node>;

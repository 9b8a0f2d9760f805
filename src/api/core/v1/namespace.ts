/** A Namespace is a scope for names; deleting it deletes all that lives in it. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided, list, string, struct, time } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { status } from "../../../machinery/schema/subresources.ts";

export const NamespaceCondition = struct("core.v1.NamespaceCondition", {
  type: string().at(1),
  status: string().at(2),
  lastTransitionTime: elided(time()).at(4),
  reason: elided(string()).at(5),
  message: elided(string()).at(6),
});
export type NamespaceCondition = Static<typeof NamespaceCondition>;

export const NamespaceSpec = struct("core.v1.NamespaceSpec", {
  finalizers: elided(list(string())).at(1),
});
export type NamespaceSpec = Static<typeof NamespaceSpec>;

export const NamespaceStatus = struct("core.v1.NamespaceStatus", {
  phase: elided(string()).at(1),
  conditions: elided(list(NamespaceCondition, { patchStrategy: "merge", patchMergeKey: "type" })).at(2),
});
export type NamespaceStatus = Static<typeof NamespaceStatus>;

export const Namespace = kind({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  doc: "A Namespace is a scope for names; deleting it deletes all that lives in it.",
  fields: {
    spec: elided(NamespaceSpec).at(2),
    status: elided(NamespaceStatus).at(3),
  },
  subresources: [{ name: "finalize", verbs: ["update"] }, status()],
});
export type Namespace = Static<typeof Namespace>;

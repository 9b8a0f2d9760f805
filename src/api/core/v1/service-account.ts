/** A ServiceAccount is an identity for processes that run in pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, list, optional } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { LocalObjectReference, ObjectReference } from "./references.ts";

export const ServiceAccount = kind({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
  shortNames: ["sa"],
  doc: "A ServiceAccount is an identity for processes that run in pods.",
  fields: {
    secrets: elided(list(ObjectReference, { patchStrategy: "merge", patchMergeKey: "name" })).at(2),
    imagePullSecrets: elided(list(LocalObjectReference)).at(3),
    automountServiceAccountToken: optional(bool()).at(4),
  },
  subresources: [
    {
      name: "token",
      verbs: ["create"],
      accepts: { group: "authentication.orch.io", version: "v1", kind: "TokenRequest" },
      action: "serviceaccounts/token",
    },
  ],
});
export type ServiceAccount = Static<typeof ServiceAccount>;

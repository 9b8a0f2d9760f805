/** A CSIDriver describes a storage driver of the cluster. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";

export const TokenRequest = struct("storage.v1.TokenRequest", {
  audience: string().at(1),
  expirationSeconds: optional(int64()).at(2),
});
export type TokenRequest = Static<typeof TokenRequest>;

export const CSIDriverSpec = struct("storage.v1.CSIDriverSpec", {
  attachRequired: optional(bool()).at(1),
  podInfoOnMount: optional(bool()).at(2),
  volumeLifecycleModes: elided(list(string(), { topology: "set" })).at(3),
  storageCapacity: optional(bool()).at(4),
  fsGroupPolicy: optional(string()).at(5),
  tokenRequests: elided(list(TokenRequest, { topology: "atomic" })).at(6),
  requiresRepublish: optional(bool()).at(7),
});
export type CSIDriverSpec = Static<typeof CSIDriverSpec>;

export const CSIDriver = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  scope: "Cluster",
  doc: "A CSIDriver describes a storage driver of the cluster.",
  fields: {
    spec: CSIDriverSpec.at(2),
  },
});
export type CSIDriver = Static<typeof CSIDriver>;

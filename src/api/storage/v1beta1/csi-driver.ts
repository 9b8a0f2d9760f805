/** CSIDriver in v1beta1: v1, but with its modes as one list. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { driverDefaults, CSIDriver as Hub } from "../v1/csi-driver.ts";

export const TokenRequest = struct("storage.v1beta1.TokenRequest", {
  audience: string().at(1).doc("Whom the token is for; empty: the API server."),
  expirationSeconds: optional(int64()).at(2),
});
export type TokenRequest = Static<typeof TokenRequest>;

export const CSIDriverSpec = struct("storage.v1beta1.CSIDriverSpec", {
  attachRequired: optional(bool()).at(1).default(driverDefaults.attachRequired),
  podInfoOnMount: optional(bool()).at(2).default(driverDefaults.podInfoOnMount),
  volumeLifecycleModes: elided(list(string())).at(3).default(driverDefaults.volumeLifecycleModes),
  storageCapacity: optional(bool()).at(4).default(driverDefaults.storageCapacity),
  fsGroupPolicy: optional(string()).at(5).default(driverDefaults.fsGroupPolicy),
  tokenRequests: elided(list(TokenRequest, { topology: "atomic" })).at(6),
  requiresRepublish: optional(bool()).at(7).default(driverDefaults.requiresRepublish),
});
export type CSIDriverSpec = Static<typeof CSIDriverSpec>;

export const CSIDriver = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: CSIDriverSpec.at(2),
  },
  deprecated: { since: "1.19", removed: "1.22", replacement: "storage.orch.io/v1 CSIDriver" },
});
export type CSIDriver = Static<typeof CSIDriver>;

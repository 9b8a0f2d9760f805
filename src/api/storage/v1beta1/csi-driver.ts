/** CSIDriver in v1beta1: v1, but with its modes as one list. */

import { bool, elided, list, optional, renamed, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { driverDefaults, CSIDriver as Hub, TokenRequest as HubTokenRequest } from "../v1/csi-driver.ts";

const TokenRequest = renamed("storage.v1beta1.TokenRequest", HubTokenRequest);

const CSIDriverSpec = struct("storage.v1beta1.CSIDriverSpec", {
  attachRequired: optional(bool())
    .at(1)
    .default(driverDefaults.attachRequired)
    .doc("Whether volumes must be attached before they are mounted. Default: true."),
  podInfoOnMount: optional(bool())
    .at(2)
    .default(driverDefaults.podInfoOnMount)
    .doc("Whether the driver gets the name, uid and account of the pod when it mounts a volume. Default: false."),
  volumeLifecycleModes: elided(list(string()))
    .at(3)
    .default(driverDefaults.volumeLifecycleModes)
    .doc("Persistent, Ephemeral or both. Default: Persistent."),
  storageCapacity: optional(bool())
    .at(4)
    .default(driverDefaults.storageCapacity)
    .doc("Whether the driver publishes how much storage is left. Default: false."),
  fsGroupPolicy: optional(string())
    .at(5)
    .default(driverDefaults.fsGroupPolicy)
    .doc("How the driver handles fsGroup: ReadWriteOnceWithFSType, File or None. Default: ReadWriteOnceWithFSType."),
  tokenRequests: elided(list(TokenRequest, { topology: "atomic" }))
    .at(6)
    .doc("Service account tokens of the pod that the driver gets."),
  requiresRepublish: optional(bool())
    .at(7)
    .default(driverDefaults.requiresRepublish)
    .doc("Whether the driver is called again from time to time to refresh mounted volumes. Default: false."),
});

export const CSIDriver = version(Hub, {
  version: "v1beta1",
  fields: {
    spec: CSIDriverSpec.at(2).doc("The desired state of the csi driver, set by its users."),
  },
  deprecated: { since: "1.19", removed: "1.22", replacement: "storage.orch.io/v1 CSIDriver" },
});
export type CSIDriver = Static<typeof CSIDriver>;

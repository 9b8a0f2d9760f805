/** A CSIDriver describes a storage driver of the cluster. */

import { nextGeneration } from "../../../machinery/meta/metadata.ts";
import { bool, elided, int64, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { need, refuse } from "../../../machinery/schema/relations.ts";
import { sameValue } from "../../../machinery/schema/same-value.ts";
import { ageColumn, nameColumn } from "../../columns.ts";
import { has } from "../../features.ts";

const tokenSecondsMin = 10 * 60;
const tokenSecondsMax = 2 ** 32;
const tokenSecondsText = `must be between ${tokenSecondsMin} and ${tokenSecondsMax} seconds`;

export const TokenRequest = struct("storage.v1.TokenRequest", {
  audience: string().at(1).doc("Who the token is for. Empty: the API server."),
  expirationSeconds: optional(int64())
    .at(2)
    .atLeast(tokenSecondsMin, tokenSecondsText)
    .atMost(tokenSecondsMax, tokenSecondsText)
    .doc("How long the token should be valid, at least 600 seconds. Absent: 3600."),
});
export type TokenRequest = Static<typeof TokenRequest>;

/** What both versions of a spec are by default. */
export const driverDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  volumeLifecycleModes: ["Persistent"],
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
};

const CSIDriverSpec = struct("storage.v1.CSIDriverSpec", {
  attachRequired: optional(bool())
    .at(1)
    .required()
    .immutable()
    .reported("attachedRequired")
    .default(driverDefaults.attachRequired)
    .doc("Whether volumes must be attached to a node before they are mounted."),
  podInfoOnMount: optional(bool())
    .at(2)
    .required()
    .before("1.29", (informs) => informs.immutable())
    .default(driverDefaults.podInfoOnMount)
    .doc("Whether the driver gets the name, uid and account of the pod when it mounts a volume. Default: false."),
  volumeLifecycleModes: elided(
    list(string().oneOf(["Persistent", "Ephemeral"]).openApiEnum("none").reported(""), { topology: "set" }),
  )
    .at(3)
    .immutable()
    .default(driverDefaults.volumeLifecycleModes)
    .behind("CSIInlineVolume", { keeps: "field" })
    .doc("Persistent, Ephemeral: which volumes the driver provides."),
  storageCapacity: optional(bool())
    .at(4)
    .before("1.23", (publishes) => publishes.immutable())
    .default(driverDefaults.storageCapacity)
    .behind("CSIStorageCapacity", { keeps: "field" })
    .doc("Whether the driver publishes how much storage is left."),
  fsGroupPolicy: optional(string())
    .at(5)
    .openApiEnum("none")
    .oneOf(["ReadWriteOnceWithFSType", "File", "None"])
    .before("1.29", (policy) => policy.immutable())
    .default(driverDefaults.fsGroupPolicy)
    .behind("CSIVolumeFSGroupPolicy", { keeps: "field" })
    .doc("ReadWriteOnceWithFSType, File or None: who sets ownership and permissions of a volume."),
  tokenRequests: elided(list(TokenRequest, { topology: "atomic" }))
    .at(6)
    .uniqueBy("audience")
    .behind("CSIServiceAccountToken", { keeps: "field" })
    .doc("Tokens of the pod's account that the driver gets when it mounts."),
  requiresRepublish: optional(bool())
    .at(7)
    .default(driverDefaults.requiresRepublish)
    .behind("CSIServiceAccountToken", { keeps: "field" })
    .doc("Whether mounted volumes are published again and again, so that they follow changes."),
  seLinuxMount: optional(bool())
    .at(8)
    .since("1.25")
    .default(false)
    .behind("SELinuxMountReadWriteOncePod", { keeps: "field" })
    .doc("Whether the driver can mount volumes with an SELinux label. Default: false."),
  nodeAllocatableUpdatePeriodSeconds: optional(int64())
    .at(9)
    .since("1.33")
    .atLeast(10)
    .behind("MutableCSINodeAllocatableCount", { keeps: "field" })
    .doc("Every how many seconds the number of volumes that a node can have is updated, at least 10. Absent: never."),
  serviceAccountTokenInSecrets: optional(bool())
    .at(10)
    .since("1.35")
    .behind("CSIServiceAccountTokenSecrets", { keeps: "field" })
    .doc("Whether the driver gets tokens as secrets instead of volume context; needs tokenRequests. Default: false."),
  preventPodSchedulingIfMissing: optional(bool())
    .at(11)
    .since("1.36")
    .default(false)
    .behind("VolumeLimitScaling", { keeps: "field" })
    .doc("Whether pods with volumes of the driver are only scheduled to nodes that have it. Default: false."),
});
type CSIDriverSpec = Static<typeof CSIDriverSpec>;

export const CSIDriver = kind({
  group: "storage.orch.io",
  version: "v1",
  kind: "CSIDriver",
  resource: "csidrivers",
  scope: "Cluster",
  doc: "A CSIDriver describes a storage driver of the cluster.",
  fields: {
    spec: CSIDriverSpec.at(2).doc("The desired state of the CSI driver, set by its users."),
  },
  unconditionalUpdate: false,
  returnsDeleted: true,
  prepareForUpdate(driver, old, environment) {
    const isSame = (field: keyof CSIDriverSpec) => sameValue(driver.spec[field], old.spec[field]);
    const changed = has(environment, "countedDriverChanges") ? mutable.some((field) => !isSame(field)) : false;
    if (changed || !isSame("tokenRequests") || !isSame("requiresRepublish"))
      driver.metadata.generation = nextGeneration(old.metadata.generation);
  },
  relations: [
    need(CSIDriverSpec, "storageCapacity", "", (_spec, { gates }) => gates.enabled("CSIStorageCapacity")),
    refuse(
      CSIDriverSpec,
      "serviceAccountTokenInSecrets",
      "needs tokenRequests",
      ({ serviceAccountTokenInSecrets, tokenRequests }) =>
        serviceAccountTokenInSecrets !== undefined && !tokenRequests?.length,
    ),
  ],
  columns: (column) => [
    nameColumn,
    column("AttachRequired", ({ spec }) => spec.attachRequired ?? true, { type: "boolean" }),
    column("PodInfoOnMount", ({ spec }) => spec.podInfoOnMount ?? false, { type: "boolean" }),
    column("StorageCapacity", ({ spec }) => spec.storageCapacity ?? false, { type: "boolean" }),
    column("TokenRequests", ({ spec }) => tokensText(spec.tokenRequests ?? [])),
    column("RequiresRepublish", ({ spec }) => spec.requiresRepublish ?? false, { type: "boolean" }),
    column("Modes", ({ spec }) => spec.volumeLifecycleModes?.join(",") || "<none>"),
    ageColumn,
  ],
});
export type CSIDriver = Static<typeof CSIDriver>;

/** What later releases let change. */
const mutable = [
  "podInfoOnMount",
  "fsGroupPolicy",
  "storageCapacity",
  "seLinuxMount",
  "nodeAllocatableUpdatePeriodSeconds",
  "serviceAccountTokenInSecrets",
] as const;

const tokensText = (requests: readonly TokenRequest[]): string =>
  requests.length === 0 ? "<unset>" : requests.map(({ audience }) => audience).join(",");

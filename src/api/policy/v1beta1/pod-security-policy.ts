/** A PodSecurityPolicy restricts the security settings of pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import {
  bool,
  elided,
  int32,
  int64,
  list,
  optional,
  renamed,
  string,
  struct,
} from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { FeatureGates } from "../../../machinery/schema/schema.ts";
import { nameColumn } from "../../columns.ts";
import { SELinuxOptions } from "../../core/v1/pod/security-context.ts";
import { validatePolicy } from "./validate-pod-security-policy.ts";

export const AllowedCSIDriver = struct("policy.v1beta1.AllowedCSIDriver", {
  name: string().at(1).doc("The name of the driver."),
});
export type AllowedCSIDriver = Static<typeof AllowedCSIDriver>;

export const AllowedFlexVolume = struct("policy.v1beta1.AllowedFlexVolume", {
  driver: string().at(1).doc("The name of the driver."),
});
export type AllowedFlexVolume = Static<typeof AllowedFlexVolume>;

export const AllowedHostPath = struct("policy.v1beta1.AllowedHostPath", {
  pathPrefix: elided(string()).at(1).doc("The prefix, element by element: /foo allows /foo and /foo/bar, not /food."),
  readOnly: elided(bool()).at(2).doc("Whether such volumes must be mounted read-only. Default: false."),
});
export type AllowedHostPath = Static<typeof AllowedHostPath>;

export const IDRange = struct("policy.v1beta1.IDRange", {
  min: int64().at(1).doc("The first id of the range, inclusive."),
  max: int64().at(2).doc("The last id of the range, inclusive."),
});
export type IDRange = Static<typeof IDRange>;

export const FSGroupStrategyOptions = struct("policy.v1beta1.FSGroupStrategyOptions", {
  rule: elided(string()).at(1).doc("MayRunAs, MustRunAs or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});
export type FSGroupStrategyOptions = Static<typeof FSGroupStrategyOptions>;

export const HostPortRange = struct("policy.v1beta1.HostPortRange", {
  min: int32().at(1).doc("The first port of the range, inclusive."),
  max: int32().at(2).doc("The last port of the range, inclusive."),
});
export type HostPortRange = Static<typeof HostPortRange>;

export const SELinuxStrategyOptions = struct("policy.v1beta1.SELinuxStrategyOptions", {
  rule: string().at(1).doc("The rule for SELinux labels: MustRunAs or RunAsAny. Required."),
  seLinuxOptions: optional(SELinuxOptions).at(2).doc("The labels that MustRunAs requires."),
});
export type SELinuxStrategyOptions = Static<typeof SELinuxStrategyOptions>;

export const RunAsUserStrategyOptions = struct("policy.v1beta1.RunAsUserStrategyOptions", {
  rule: string().at(1).doc("MustRunAs, MustRunAsNonRoot or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});
export type RunAsUserStrategyOptions = Static<typeof RunAsUserStrategyOptions>;

export const SupplementalGroupsStrategyOptions = renamed(
  "policy.v1beta1.SupplementalGroupsStrategyOptions",
  FSGroupStrategyOptions,
);
export type SupplementalGroupsStrategyOptions = Static<typeof SupplementalGroupsStrategyOptions>;

export const RunAsGroupStrategyOptions = struct("policy.v1beta1.RunAsGroupStrategyOptions", {
  rule: string().at(1).doc("MayRunAs, MustRunAs or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});
export type RunAsGroupStrategyOptions = Static<typeof RunAsGroupStrategyOptions>;

export const RuntimeClassStrategyOptions = struct("policy.v1beta1.RuntimeClassStrategyOptions", {
  allowedRuntimeClassNames: list(string()).at(1).doc("Runtime classes that pods may name; * is all. Empty: none."),
  defaultRuntimeClassName: optional(string()).at(2).doc("The runtime class of pods that name none."),
});
export type RuntimeClassStrategyOptions = Static<typeof RuntimeClassStrategyOptions>;

export const PodSecurityPolicySpec = struct("policy.v1beta1.PodSecurityPolicySpec", {
  privileged: elided(bool()).at(1).doc("Whether containers may run privileged. Default: false."),
  defaultAddCapabilities: elided(list(string()))
    .at(2)
    .doc("Capabilities that are added to containers that do not drop them."),
  requiredDropCapabilities: elided(list(string()))
    .at(3)
    .doc("Capabilities that containers must drop; they are dropped for them."),
  allowedCapabilities: elided(list(string())).at(4).doc("Capabilities that containers may add; * is all."),
  volumes: elided(list(string()))
    .at(5)
    .doc("Types of volumes that are allowed, such as configMap; * is all. Empty: none."),
  hostNetwork: elided(bool()).at(6).doc("Whether pods may use the network of the node. Default: false."),
  hostPorts: elided(list(HostPortRange)).at(7).doc("Ports of the node that pods may use."),
  hostPID: elided(bool()).at(8).doc("Whether pods may use the process namespace of the node. Default: false."),
  hostIPC: elided(bool()).at(9).doc("Whether pods may use the IPC namespace of the node. Default: false."),
  seLinux: SELinuxStrategyOptions.at(10).doc("Which SELinux labels are allowed."),
  runAsUser: RunAsUserStrategyOptions.at(11).doc("Which users containers may run as."),
  supplementalGroups: SupplementalGroupsStrategyOptions.at(12).doc("Which supplemental groups are allowed."),
  fsGroup: FSGroupStrategyOptions.at(13).doc("The rule for the groups that own the volumes of pods. Required."),
  readOnlyRootFilesystem: elided(bool())
    .at(14)
    .doc("Whether containers must have a read-only root file system. Default: false."),
  defaultAllowPrivilegeEscalation: optional(bool())
    .at(15)
    .doc("allowPrivilegeEscalation of containers that do not set it."),
  allowPrivilegeEscalation: optional(bool())
    .at(16)
    .default(true)
    .doc("Whether containers may allow privilege escalation. Default: true."),
  allowedHostPaths: elided(list(AllowedHostPath)).at(17).doc("Paths of the node that pods may mount. Empty: all."),
  allowedFlexVolumes: elided(list(AllowedFlexVolume))
    .at(18)
    .doc("FlexVolume drivers that are allowed. Empty: all, if flexVolume is among volumes."),
  allowedUnsafeSysctls: elided(list(string()))
    .at(19)
    .doc("Unsafe kernel parameters that are allowed; kernel.* allows all below it, * all."),
  forbiddenSysctls: elided(list(string()))
    .at(20)
    .doc("Kernel parameters that are forbidden; kernel.* forbids all below it, * all."),
  allowedProcMountTypes: elided(list(string())).at(21).doc("Values of procMount that are allowed. Empty: Default."),
  runAsGroup: optional(RunAsGroupStrategyOptions).at(22).doc("Which groups containers may run as. Absent: all."),
  allowedCSIDrivers: elided(list(AllowedCSIDriver)).at(23).doc("CSI drivers that inline volumes may use. Empty: all."),
  runtimeClass: optional(RuntimeClassStrategyOptions).at(24).doc("Which runtime classes are allowed. Absent: all."),
});
export type PodSecurityPolicySpec = Static<typeof PodSecurityPolicySpec>;

export const PodSecurityPolicy = kind({
  group: "policy",
  version: "v1beta1",
  kind: "PodSecurityPolicy",
  resource: "podsecuritypolicies",
  scope: "Cluster",
  shortNames: ["psp"],
  doc: "A PodSecurityPolicy restricts the security settings of pods.",
  fields: {
    spec: elided(PodSecurityPolicySpec).at(2).doc("The desired state of the pod security policy, set by its users."),
  },
  compat: { reportedGroup: "extensions" },
  returnsDeleted: true,
  prepareForCreate: (policy, { gates }) => dropFieldsBehindGates(policy.spec, undefined, gates),
  prepareForUpdate: (policy, old, { gates }) => dropFieldsBehindGates(policy.spec, old.spec, gates),
  validate: validatePolicy,
  columns: (column) => [
    nameColumn,
    column("Priv", ({ spec }) => String(spec?.privileged ?? false)),
    column("Caps", ({ spec }) => (spec?.allowedCapabilities ?? []).join(",")),
    column("SELinux", ({ spec }) => spec?.seLinux.rule ?? ""),
    column("RunAsUser", ({ spec }) => spec?.runAsUser.rule ?? ""),
    column("FsGroup", ({ spec }) => spec?.fsGroup.rule ?? ""),
    column("SupGroup", ({ spec }) => spec?.supplementalGroups.rule ?? ""),
    column("ReadOnlyRootFs", ({ spec }) => spec?.readOnlyRootFilesystem ?? false),
    column("Volumes", ({ spec }) => (spec?.volumes ?? []).join(",")),
  ],
  deprecated: { since: "1.21", removed: "1.25" },
});
export type PodSecurityPolicy = Static<typeof PodSecurityPolicy>;

/** Mounts of /proc stay where they are in use already; drivers do not, as in v1.21. */
function dropFieldsBehindGates(
  spec: PodSecurityPolicySpec | undefined,
  before: PodSecurityPolicySpec | undefined,
  gates: FeatureGates,
): void {
  if (!gates.enabled("ProcMountType") && !before?.allowedProcMountTypes) delete spec?.allowedProcMountTypes;
  if (!gates.enabled("CSIInlineVolume")) delete spec?.allowedCSIDrivers;
}

/** A PodSecurityPolicy says what pods may ask of the host. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int32, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import type { FeatureGates } from "../../../machinery/schema/schema.ts";
import { nameColumn } from "../../columns.ts";
import { SELinuxOptions } from "../../core/v1/security-context.ts";
import { validatePolicy } from "./validate-pod-security-policy.ts";

export const AllowedCSIDriver = struct("policy.v1beta1.AllowedCSIDriver", {
  name: string().at(1),
});
export type AllowedCSIDriver = Static<typeof AllowedCSIDriver>;

export const AllowedFlexVolume = struct("policy.v1beta1.AllowedFlexVolume", {
  driver: string().at(1),
});
export type AllowedFlexVolume = Static<typeof AllowedFlexVolume>;

export const AllowedHostPath = struct("policy.v1beta1.AllowedHostPath", {
  pathPrefix: elided(string()).at(1),
  readOnly: elided(bool()).at(2),
});
export type AllowedHostPath = Static<typeof AllowedHostPath>;

export const IDRange = struct("policy.v1beta1.IDRange", {
  min: int64().at(1),
  max: int64().at(2),
});
export type IDRange = Static<typeof IDRange>;

export const FSGroupStrategyOptions = struct("policy.v1beta1.FSGroupStrategyOptions", {
  rule: elided(string()).at(1),
  ranges: elided(list(IDRange)).at(2),
});
export type FSGroupStrategyOptions = Static<typeof FSGroupStrategyOptions>;

export const HostPortRange = struct("policy.v1beta1.HostPortRange", {
  min: int32().at(1),
  max: int32().at(2),
});
export type HostPortRange = Static<typeof HostPortRange>;

export const SELinuxStrategyOptions = struct("policy.v1beta1.SELinuxStrategyOptions", {
  rule: string().at(1),
  seLinuxOptions: optional(SELinuxOptions).at(2),
});
export type SELinuxStrategyOptions = Static<typeof SELinuxStrategyOptions>;

export const RunAsUserStrategyOptions = struct("policy.v1beta1.RunAsUserStrategyOptions", {
  rule: string().at(1),
  ranges: elided(list(IDRange)).at(2),
});
export type RunAsUserStrategyOptions = Static<typeof RunAsUserStrategyOptions>;

export const SupplementalGroupsStrategyOptions = struct("policy.v1beta1.SupplementalGroupsStrategyOptions", {
  rule: elided(string()).at(1),
  ranges: elided(list(IDRange)).at(2),
});
export type SupplementalGroupsStrategyOptions = Static<typeof SupplementalGroupsStrategyOptions>;

export const RunAsGroupStrategyOptions = struct("policy.v1beta1.RunAsGroupStrategyOptions", {
  rule: string().at(1),
  ranges: elided(list(IDRange)).at(2),
});
export type RunAsGroupStrategyOptions = Static<typeof RunAsGroupStrategyOptions>;

export const RuntimeClassStrategyOptions = struct("policy.v1beta1.RuntimeClassStrategyOptions", {
  allowedRuntimeClassNames: list(string()).at(1),
  defaultRuntimeClassName: optional(string()).at(2),
});
export type RuntimeClassStrategyOptions = Static<typeof RuntimeClassStrategyOptions>;

export const PodSecurityPolicySpec = struct("policy.v1beta1.PodSecurityPolicySpec", {
  privileged: elided(bool()).at(1),
  defaultAddCapabilities: elided(list(string())).at(2),
  requiredDropCapabilities: elided(list(string())).at(3),
  allowedCapabilities: elided(list(string())).at(4),
  volumes: elided(list(string())).at(5),
  hostNetwork: elided(bool()).at(6),
  hostPorts: elided(list(HostPortRange)).at(7),
  hostPID: elided(bool()).at(8),
  hostIPC: elided(bool()).at(9),
  seLinux: SELinuxStrategyOptions.at(10),
  runAsUser: RunAsUserStrategyOptions.at(11),
  supplementalGroups: SupplementalGroupsStrategyOptions.at(12),
  fsGroup: FSGroupStrategyOptions.at(13),
  readOnlyRootFilesystem: elided(bool()).at(14),
  defaultAllowPrivilegeEscalation: optional(bool()).at(15),
  allowPrivilegeEscalation: optional(bool()).at(16).default(true),
  allowedHostPaths: elided(list(AllowedHostPath)).at(17),
  allowedFlexVolumes: elided(list(AllowedFlexVolume)).at(18),
  allowedUnsafeSysctls: elided(list(string())).at(19),
  forbiddenSysctls: elided(list(string())).at(20),
  allowedProcMountTypes: elided(list(string())).at(21),
  runAsGroup: optional(RunAsGroupStrategyOptions).at(22),
  allowedCSIDrivers: elided(list(AllowedCSIDriver)).at(23),
  runtimeClass: optional(RuntimeClassStrategyOptions).at(24),
});
export type PodSecurityPolicySpec = Static<typeof PodSecurityPolicySpec>;

export const PodSecurityPolicy = kind({
  group: "policy",
  version: "v1beta1",
  kind: "PodSecurityPolicy",
  resource: "podsecuritypolicies",
  scope: "Cluster",
  shortNames: ["psp"],
  doc: "A PodSecurityPolicy says what pods may ask of the host.",
  fields: {
    spec: elided(PodSecurityPolicySpec).at(2),
  },
  reportedGroup: "extensions",
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

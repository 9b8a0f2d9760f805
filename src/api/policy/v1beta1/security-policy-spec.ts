/** The fields of pod security policies. */

import { isDns1123Subdomain } from "../../../machinery/meta/names.ts";
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
import { SELinuxOptions } from "../../core/v1/pod/security-context.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";
import { validateHostPaths, validateSysctlPatterns, validateVolumeKind } from "./list-rules.ts";

const groupRules = ["MayRunAs", "MustRunAs", "RunAsAny"];

const AllowedCSIDriver = struct("policy.v1beta1.AllowedCSIDriver", {
  name: string().at(1).required().checked(validateDriverName).evenEmpty().doc("The name of the driver."),
});

const AllowedFlexVolume = struct("policy.v1beta1.AllowedFlexVolume", {
  driver: string().at(1).required().doc("The name of the driver."),
});

const AllowedHostPath = struct("policy.v1beta1.AllowedHostPath", {
  pathPrefix: elided(string()).at(1).doc("The prefix, element by element: /foo allows /foo and /foo/bar, not /food."),
  readOnly: elided(bool()).at(2).doc("Whether such volumes must be mounted read-only. Default: false."),
});

export const IDRange = struct("policy.v1beta1.IDRange", {
  min: int64().at(1).atLeast(0, "must not be negative").doc("The first id of the range, inclusive."),
  max: int64().at(2).atLeast(0, "must not be negative").doc("The last id of the range, inclusive."),
});
export type IDRange = Static<typeof IDRange>;

const FSGroupStrategyOptions = struct("policy.v1beta1.FSGroupStrategyOptions", {
  rule: elided(string())
    .at(1)
    .oneOf(groupRules)
    .openApiEnum("none")
    .evenEmpty()
    .doc("MayRunAs, MustRunAs or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});

const HostPortRange = struct("policy.v1beta1.HostPortRange", {
  min: int32().at(1).doc("The first port of the range, inclusive."),
  max: int32().at(2).doc("The last port of the range, inclusive."),
});

const SELinuxStrategyOptions = struct("policy.v1beta1.SELinuxStrategyOptions", {
  rule: string()
    .at(1)
    .oneOf(["MustRunAs", "RunAsAny"])
    .openApiEnum("none")
    .doc("The rule for SELinux labels: MustRunAs or RunAsAny. Required."),
  seLinuxOptions: optional(SELinuxOptions).at(2).doc("The labels that MustRunAs requires."),
});

const RunAsUserStrategyOptions = struct("policy.v1beta1.RunAsUserStrategyOptions", {
  rule: string()
    .at(1)
    .oneOf(["MustRunAs", "MustRunAsNonRoot", "RunAsAny"])
    .openApiEnum("none")
    .doc("MustRunAs, MustRunAsNonRoot or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});

const SupplementalGroupsStrategyOptions = renamed(
  "policy.v1beta1.SupplementalGroupsStrategyOptions",
  FSGroupStrategyOptions,
);

export const RunAsGroupStrategyOptions = struct("policy.v1beta1.RunAsGroupStrategyOptions", {
  rule: string().at(1).oneOf(groupRules).openApiEnum("none").doc("MayRunAs, MustRunAs or RunAsAny."),
  ranges: elided(list(IDRange)).at(2).doc("Ids that are allowed; the first one of the first range is the default."),
});
export type RunAsGroupStrategyOptions = Static<typeof RunAsGroupStrategyOptions>;

export const RuntimeClassStrategyOptions = struct("policy.v1beta1.RuntimeClassStrategyOptions", {
  allowedRuntimeClassNames: list(string().named((name) => (name === "*" ? [] : isDns1123Subdomain(name))))
    .at(1)
    .unique()
    .alone("*", "'*' must stand alone")
    .doc("Runtime classes that pods may name; * is all. Empty: none."),
  defaultRuntimeClassName: optional(string()).at(2).named("subdomain").doc("The runtime class of pods that name none."),
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
  volumes: elided(list(string().checked(validateVolumeKind).reported("")))
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
  allowedHostPaths: elided(list(AllowedHostPath))
    .at(17)
    .checked(validateHostPaths)
    .doc("Paths of the node that pods may mount. Empty: all."),
  allowedFlexVolumes: elided(list(AllowedFlexVolume))
    .at(18)
    .reported("allowedFlexVolumes.allowedFlexVolumes")
    .doc("FlexVolume drivers that are allowed. Empty: all, if flexVolume is among volumes."),
  allowedUnsafeSysctls: elided(list(string()))
    .at(19)
    .checked(validateSysctlPatterns)
    .doc("Unsafe kernel parameters that are allowed; kernel.* allows all below it, * all."),
  forbiddenSysctls: elided(list(string()))
    .at(20)
    .checked(validateSysctlPatterns)
    .doc("Kernel parameters that are forbidden; kernel.* forbids all below it, * all."),
  allowedProcMountTypes: elided(list(string().oneOf(["Default", "Unmasked"])))
    .at(21)
    .behind("ProcMountType")
    .doc("Values of procMount that are allowed. Empty: Default."),
  runAsGroup: optional(RunAsGroupStrategyOptions).at(22).doc("Which groups containers may run as. Absent: all."),
  allowedCSIDrivers: elided(list(AllowedCSIDriver))
    .at(23)
    .reported("allowedCSIDrivers.allowedCSIDriver")
    .behind("CSIInlineVolume", { keeps: "nothing" })
    .doc("CSI drivers that inline volumes may use. Empty: all."),
  runtimeClass: optional(RuntimeClassStrategyOptions).at(24).doc("Which runtime classes are allowed. Absent: all."),
});
export type PodSecurityPolicySpec = Static<typeof PodSecurityPolicySpec>;

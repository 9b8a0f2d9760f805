/** The security context of pods and containers. */

import type { Static } from "../../../../machinery/schema/build.ts";
import { bool, elided, int64, list, optional, string, struct } from "../../../../machinery/schema/build.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import { type FieldErrors, forbidden, noErrors, notSupported } from "../../../../machinery/status/field-error.ts";
import { validateSysctlName } from "./sysctl-name.ts";
import { validateCredentialSpec, windowsUserProblems } from "./windows-user.ts";

/** The largest id of a user or group. */
export const idMax = 2147483647;

function validateChangePolicy(policy: string, path: string, { gates }: Environment): FieldErrors {
  const allowed = gates.enabled("SELinuxMount") ? ["MountOption", "Recursive"] : ["Recursive"];
  return allowed.includes(policy) ? noErrors : [notSupported(path, policy, allowed)];
}

const Capabilities = struct("core.v1.Capabilities", {
  add: elided(list(string()))
    .at(1)
    .doc("POSIX capabilities to add to those of the container runtime, such as NET_ADMIN."),
  drop: elided(list(string()))
    .at(2)
    .doc("POSIX capabilities to remove from those of the container runtime; ALL removes every one."),
});

export const SELinuxOptions = struct("core.v1.SELinuxOptions", {
  user: elided(string()).at(1).doc("The user part of the SELinux label of the container. Absent: the runtime chooses."),
  role: elided(string()).at(2).doc("The role part of the SELinux label of the container. Absent: the runtime chooses."),
  type: elided(string()).at(3).doc("The type part of the SELinux label of the container. Absent: the runtime chooses."),
  level: elided(string())
    .at(4)
    .doc("The level part of the SELinux label of the container. Absent: the runtime chooses."),
});
export type SELinuxOptions = Static<typeof SELinuxOptions>;

const Sysctl = struct("core.v1.Sysctl", {
  name: string().at(1).required().checked(validateSysctlName).doc("The name of the kernel parameter."),
  value: string().at(2).doc("The value that the kernel parameter gets."),
});

const WindowsSecurityContextOptions = struct("core.v1.WindowsSecurityContextOptions", {
  gmsaCredentialSpecName: optional(string()).at(1).named("subdomain").doc("The name of the GMSA credential spec."),
  gmsaCredentialSpec: optional(string())
    .at(2)
    .checked(validateCredentialSpec)
    .doc("The contents of the GMSA credential spec."),
  runAsUserName: optional(string())
    .at(3)
    .named(windowsUserProblems)
    .doc("The user to run as. Absent: that of the image."),
  hostProcess: optional(bool())
    .at(4)
    .since("1.22")
    .behind("WindowsHostProcessContainers")
    .doc("Whether the container runs as a process of the node; the same for all containers of a pod. Default: false."),
});

export const SeccompProfile = struct(
  "core.v1.SeccompProfile",
  {
    type: string()
      .at(1)
      .required()
      .oneOf(["Localhost", "RuntimeDefault", "Unconfined"])
      .doc("Localhost, RuntimeDefault or Unconfined."),
    localhostProfile: optional(string())
      .at(2)
      .named("relativePath")
      .doc("The profile file on the node, relative to the seccomp directory; only with type Localhost."),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } }] },
);
export type SeccompProfile = Static<typeof SeccompProfile>;

export const AppArmorProfile = struct(
  "core.v1.AppArmorProfile",
  {
    type: string()
      .at(1)
      .required()
      .oneOf(["Localhost", "RuntimeDefault", "Unconfined"])
      .doc("RuntimeDefault, Unconfined, or Localhost for a profile that is loaded on the node."),
    localhostProfile: optional(string()).at(2).doc("The name of the profile on the node; only for type Localhost."),
  },
  {
    unions: [{ discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } }],
  },
);
export type AppArmorProfile = Static<typeof AppArmorProfile>;

export const PodSecurityContext = struct("core.v1.PodSecurityContext", {
  seLinuxOptions: optional(SELinuxOptions).at(1).doc("The SELinux context. Absent: the runtime chooses one."),
  runAsUser: optional(int64())
    .at(2)
    .atLeast(0)
    .atMost(idMax)
    .doc("The uid of the first process. Absent: that of the image."),
  runAsNonRoot: optional(bool()).at(3).doc("Whether a container that would run as root is refused. Default: false."),
  supplementalGroups: elided(list(int64().atLeast(0).atMost(idMax)))
    .at(4)
    .doc("Further groups of the first process of every container."),
  fsGroup: optional(int64())
    .at(5)
    .atLeast(0)
    .atMost(idMax)
    .doc("The group that owns the files of volumes that support it."),
  runAsGroup: optional(int64())
    .at(6)
    .atLeast(0)
    .atMost(idMax)
    .doc("The gid of the first process. Absent: the default of the runtime."),
  sysctls: elided(list(Sysctl))
    .at(7)
    .uniqueBy("name", { isOfValid: true })
    .doc("Kernel parameters that are set in the namespaces of the pod."),
  windowsOptions: optional(WindowsSecurityContextOptions).at(8).doc("Settings for Windows containers."),
  fsGroupChangePolicy: optional(string())
    .at(9)
    .oneOf(["OnRootMismatch", "Always"])
    .doc("When the owner of files in volumes is changed: OnRootMismatch or Always. Default: Always."),
  seccompProfile: optional(SeccompProfile).at(10).doc("The seccomp profile of the containers."),
  appArmorProfile: optional(AppArmorProfile).at(11).since("1.30").doc("The AppArmor profile of the containers."),
  supplementalGroupsPolicy: optional(string())
    .at(12)
    .since("1.31")
    .behind("SupplementalGroupsPolicy")
    .oneOf(["Merge", "Strict"])
    .doc("Whether the groups of the image are kept: Merge adds them, Strict does not. Default: Merge."),
  seLinuxChangePolicy: optional(string())
    .at(13)
    .since("1.32")
    .checked(validateChangePolicy)
    .behind("SELinuxChangePolicy")
    .doc(
      "How volumes get the SELinux label of the pod: Recursive, or MountOption, which needs the feature gate SELinuxMount. Absent: as the gates say.",
    ),
});
export type PodSecurityContext = Static<typeof PodSecurityContext>;

/** The reference's words, and what an operator of the server can do about it. */
export const privilegedRefusal = "disallowed by cluster policy: the server runs with --allow-privileged=false";

export const SecurityContext = struct("core.v1.SecurityContext", {
  capabilities: optional(Capabilities)
    .at(1)
    .doc("Capabilities to add or drop. Absent: the default set of the runtime."),
  privileged: optional(bool())
    .at(2)
    .checked((isPrivileged, path, { allowPrivileged }) =>
      isPrivileged && !allowPrivileged ? [forbidden(path, privilegedRefusal)] : noErrors,
    )
    .doc("Whether the container runs privileged, which is like root on the node. Default: false."),
  seLinuxOptions: optional(SELinuxOptions).at(3).doc("The SELinux context. Absent: the runtime chooses one."),
  runAsUser: optional(int64())
    .at(4)
    .atLeast(0)
    .atMost(idMax)
    .doc("The uid of the first process. Absent: that of the image."),
  runAsNonRoot: optional(bool()).at(5).doc("Whether a container that would run as root is refused. Default: false."),
  readOnlyRootFilesystem: optional(bool()).at(6).doc("Whether the root file system is read-only. Default: false."),
  allowPrivilegeEscalation: optional(bool())
    .at(7)
    .doc(
      "Whether a process may gain more privileges than its parent; always true for privileged containers. Default: true.",
    ),
  runAsGroup: optional(int64())
    .at(8)
    .atLeast(0)
    .atMost(idMax)
    .doc("The gid of the first process. Absent: the default of the runtime."),
  procMount: optional(string())
    .at(9)
    .oneOf(["Default", "Unmasked"])
    // It was once always present, so a given value becomes the default instead of absent.
    .behind("ProcMountType", { becomes: "Default" })
    .doc("How /proc is mounted: Default masks some paths, Unmasked does not. Default: Default."),
  windowsOptions: optional(WindowsSecurityContextOptions).at(10).doc("Settings for Windows containers."),
  seccompProfile: optional(SeccompProfile).at(11).doc("The seccomp profile of the containers."),
  appArmorProfile: optional(AppArmorProfile)
    .at(12)
    .since("1.30")
    .doc("The AppArmor profile of the container; it overrides that of the pod."),
});
export type SecurityContext = Static<typeof SecurityContext>;

/** What pods and containers ask of the host's security. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bool, elided, int64, list, optional, string, struct } from "../../../machinery/schema/build.ts";

export const Capabilities = struct("core.v1.Capabilities", {
  add: elided(list(string())).at(1),
  drop: elided(list(string())).at(2),
});
export type Capabilities = Static<typeof Capabilities>;

export const SELinuxOptions = struct("core.v1.SELinuxOptions", {
  user: elided(string()).at(1),
  role: elided(string()).at(2),
  type: elided(string()).at(3),
  level: elided(string()).at(4),
});
export type SELinuxOptions = Static<typeof SELinuxOptions>;

export const Sysctl = struct("core.v1.Sysctl", {
  name: string().at(1),
  value: string().at(2),
});
export type Sysctl = Static<typeof Sysctl>;

export const WindowsSecurityContextOptions = struct("core.v1.WindowsSecurityContextOptions", {
  gmsaCredentialSpecName: optional(string()).at(1),
  gmsaCredentialSpec: optional(string()).at(2),
  runAsUserName: optional(string()).at(3),
});
export type WindowsSecurityContextOptions = Static<typeof WindowsSecurityContextOptions>;

export const SeccompProfile = struct(
  "core.v1.SeccompProfile",
  {
    type: string().at(1),
    localhostProfile: optional(string()).at(2),
  },
  { unions: [{ discriminator: "type", "fields-to-discriminateBy": { localhostProfile: "LocalhostProfile" } }] },
);
export type SeccompProfile = Static<typeof SeccompProfile>;

export const PodSecurityContext = struct("core.v1.PodSecurityContext", {
  seLinuxOptions: optional(SELinuxOptions).at(1),
  runAsUser: optional(int64()).at(2),
  runAsNonRoot: optional(bool()).at(3),
  supplementalGroups: elided(list(int64())).at(4),
  fsGroup: optional(int64()).at(5),
  runAsGroup: optional(int64()).at(6),
  sysctls: elided(list(Sysctl)).at(7),
  windowsOptions: optional(WindowsSecurityContextOptions).at(8),
  fsGroupChangePolicy: optional(string()).at(9),
  seccompProfile: optional(SeccompProfile).at(10),
});
export type PodSecurityContext = Static<typeof PodSecurityContext>;

export const SecurityContext = struct("core.v1.SecurityContext", {
  capabilities: optional(Capabilities).at(1),
  privileged: optional(bool()).at(2),
  seLinuxOptions: optional(SELinuxOptions).at(3),
  runAsUser: optional(int64()).at(4),
  runAsNonRoot: optional(bool()).at(5),
  readOnlyRootFilesystem: optional(bool()).at(6),
  allowPrivilegeEscalation: optional(bool()).at(7),
  runAsGroup: optional(int64()).at(8),
  procMount: optional(string()).at(9),
  windowsOptions: optional(WindowsSecurityContextOptions).at(10),
  seccompProfile: optional(SeccompProfile).at(11),
});
export type SecurityContext = Static<typeof SecurityContext>;

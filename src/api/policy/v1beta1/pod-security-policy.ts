/** A PodSecurityPolicy restricts the security settings of pods. */

import type { Static } from "../../../machinery/schema/build.ts";
import { elided } from "../../../machinery/schema/build.ts";
import { kind } from "../../../machinery/schema/kind.ts";
import { nameColumn } from "../../columns.ts";
import { validateProfileAnnotations } from "./profile-annotations.ts";
import { PodSecurityPolicySpec } from "./security-policy-spec.ts";
import { policyRelations } from "./validate-pod-security-policy.ts";

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
  from: { "1.22": { compat: {} } },
  returnsDeleted: true,
  // Drivers are dropped even from a policy that had them, as in v1.21.
  leavesOldMembers: false,
  relations: policyRelations,
  validate: ({ metadata }, environment) => validateProfileAnnotations(metadata.annotations ?? {}, environment),
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

/** Every admission plugin in the order in which they run, and which of them a server gets. */

import { existsIn, type Release, type Span } from "../base/release.ts";
import { didYouMean } from "../base/suggest.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { AdmissionContext } from "./context.ts";
import type { AdmissionPlugin } from "./contract.ts";
import { createAlwaysAdmit } from "./plugins/always-admit.ts";
import { createAlwaysDeny } from "./plugins/always-deny.ts";
import { createAlwaysPullImages } from "./plugins/always-pull-images.ts";
import { createCertificateApproval } from "./plugins/certificate-approval.ts";
import { createCertificateSigning } from "./plugins/certificate-signing.ts";
import { createCertificateSubjectRestriction } from "./plugins/certificate-subject-restriction.ts";
import { createClusterTrustBundleAttest } from "./plugins/cluster-trust-bundle-attest.ts";
import { createDefaultIngressClass } from "./plugins/default-ingress-class.ts";
import { createDefaultStorageClass } from "./plugins/default-storage-class.ts";
import { createDefaultTolerationSeconds } from "./plugins/default-toleration-seconds.ts";
import { createDenyEscalatingExec, createDenyExecOnPrivileged } from "./plugins/deny-exec.ts";
import { createDenyServiceExternalIPs } from "./plugins/deny-service-external-ips.ts";
import { createEventRateLimit } from "./plugins/event-rate-limit.ts";
import { createExtendedResourceToleration } from "./plugins/extended-resource-toleration.ts";
import { createImagePolicyWebhook } from "./plugins/image-policy-webhook.ts";
import { createLimitPodHardAntiAffinityTopology } from "./plugins/limit-pod-hard-anti-affinity-topology.ts";
import { createLimitRanger } from "./plugins/limit-ranger.ts";
import { createMutatingAdmissionPolicy } from "./plugins/mutating-admission-policy.ts";
import { createNamespaceAutoProvision } from "./plugins/namespace-auto-provision.ts";
import { createNamespaceExists } from "./plugins/namespace-exists.ts";
import { createNamespaceLifecycle } from "./plugins/namespace-lifecycle.ts";
import { createNodeDeclaredFeatureValidator } from "./plugins/node-declared-feature-validator.ts";
import { createNodeRestriction } from "./plugins/node-restriction.ts";
import { createOwnerReferencesPermissionEnforcement } from "./plugins/owner-references-permission-enforcement.ts";
import { createPersistentVolumeClaimResize } from "./plugins/persistent-volume-claim-resize.ts";
import { createPersistentVolumeLabel } from "./plugins/persistent-volume-label.ts";
import { createPodNodeSelector } from "./plugins/pod-node-selector.ts";
import { createPodResizeValidator } from "./plugins/pod-resize-validator.ts";
import { createPodSecurity } from "./plugins/pod-security.ts";
import { createPodSecurityPolicy } from "./plugins/pod-security-policy.ts";
import { createPodTolerationRestriction } from "./plugins/pod-toleration-restriction.ts";
import { createPodTopologyLabels } from "./plugins/pod-topology-labels.ts";
import { createPriority } from "./plugins/priority.ts";
import { createResourceQuota } from "./plugins/resource-quota.ts";
import { createRuntimeClass } from "./plugins/runtime-class.ts";
import { createSecurityContextDeny } from "./plugins/security-context-deny.ts";
import { createServiceAccount } from "./plugins/service-account.ts";
import { createStorageObjectInUseProtection } from "./plugins/storage-object-in-use-protection.ts";
import { createTaintNodesByCondition } from "./plugins/taint-nodes-by-condition.ts";
import { createValidatingAdmissionPolicy } from "./plugins/validating-admission-policy.ts";
import { createMutatingWebhooks } from "./webhooks/mutating.ts";
import { createValidatingWebhooks } from "./webhooks/validating.ts";

/** `since`, `until`: the levels that have it. */
interface Place extends Span {
  readonly name: string;
  /** Whether it runs unless it is turned off. */
  readonly byDefault: boolean;
  readonly create: (context: AdmissionContext) => AdmissionPlugin;
}

const place = (name: string, byDefault: boolean, create: Place["create"], span: Span = {}): Place => ({
  name,
  byDefault,
  create,
  ...span,
});

/** Accepted, and does nothing: what it looks after is behind a gate that is off, or not here (docs/differences.md). */
const idle = (name: string, span: Span): Place => place(name, true, () => ({ name, handles: () => false }), span);

export const admissionOrder: readonly Place[] = [
  place("AlwaysAdmit", false, createAlwaysAdmit),
  // Provisioning comes before the check that the namespace exists.
  place("NamespaceAutoProvision", false, createNamespaceAutoProvision),
  place("NamespaceLifecycle", true, createNamespaceLifecycle),
  place("NamespaceExists", false, createNamespaceExists),
  place("SecurityContextDeny", false, createSecurityContextDeny, { until: "1.30" }),
  place("LimitPodHardAntiAffinityTopology", false, createLimitPodHardAntiAffinityTopology),
  place("LimitRanger", true, createLimitRanger),
  place("ServiceAccount", true, createServiceAccount),
  place("NodeRestriction", false, createNodeRestriction),
  place("TaintNodesByCondition", true, createTaintNodesByCondition),
  place("AlwaysPullImages", false, createAlwaysPullImages),
  place("ImagePolicyWebhook", false, createImagePolicyWebhook),
  // Its first release had it, behind a gate, after the policies that it replaces.
  place("PodSecurity", true, createPodSecurity, { since: "1.23" }),
  place("PodSecurityPolicy", false, createPodSecurityPolicy, { until: "1.25" }),
  place("PodSecurity", true, createPodSecurity, { since: "1.22", until: "1.23" }),
  place("PodNodeSelector", false, createPodNodeSelector),
  place("Priority", true, createPriority),
  place("DefaultTolerationSeconds", true, createDefaultTolerationSeconds),
  // Checks the default tolerations too.
  place("PodTolerationRestriction", false, createPodTolerationRestriction),
  // Removed from v1.21 itself, but still named by its specification.
  place("DenyEscalatingExec", false, createDenyEscalatingExec),
  place("DenyExecOnPrivileged", false, createDenyExecOnPrivileged),
  place("EventRateLimit", false, createEventRateLimit),
  place("ExtendedResourceToleration", false, createExtendedResourceToleration),
  place("PersistentVolumeLabel", false, createPersistentVolumeLabel, { until: "1.31" }),
  place("DefaultStorageClass", true, createDefaultStorageClass),
  place("StorageObjectInUseProtection", true, createStorageObjectInUseProtection),
  idle("PodGroupProtection", { since: "1.36" }),
  place("OwnerReferencesPermissionEnforcement", false, createOwnerReferencesPermissionEnforcement),
  place("PersistentVolumeClaimResize", true, createPersistentVolumeClaimResize),
  place("RuntimeClass", true, createRuntimeClass),
  place("CertificateApproval", true, ({ authorizer, catalog }) =>
    createCertificateApproval(authorizer, catalog.environment.vocabulary),
  ),
  place("CertificateSigning", true, ({ authorizer, catalog }) =>
    createCertificateSigning(authorizer, catalog.environment.vocabulary),
  ),
  place("ClusterTrustBundleAttest", true, createClusterTrustBundleAttest, { since: "1.27" }),
  place("CertificateSubjectRestriction", true, ({ catalog }) =>
    createCertificateSubjectRestriction(catalog.environment.vocabulary),
  ),
  place("DefaultIngressClass", true, createDefaultIngressClass),
  place("DenyServiceExternalIPs", false, createDenyServiceExternalIPs),
  place("PodTopologyLabels", true, createPodTopologyLabels, { since: "1.33" }),
  idle("PodGroupWorkloadExists", { since: "1.36", until: "1.37" }),
  place("NodeDeclaredFeatureValidator", true, createNodeDeclaredFeatureValidator, { since: "1.35" }),
  idle("JobValidation", { since: "1.36", until: "1.37" }),
  place("PodResizeValidator", true, createPodResizeValidator, { since: "1.36" }),
  place("MutatingAdmissionPolicy", true, createMutatingAdmissionPolicy, { since: "1.32" }),
  // Webhooks see the object after all built-in plugins.
  place("MutatingAdmissionWebhook", true, createMutatingWebhooks),
  place("ValidatingAdmissionPolicy", true, createValidatingAdmissionPolicy, { since: "1.26" }),
  place("ValidatingAdmissionWebhook", true, createValidatingWebhooks),
  // Quota counts what will be stored, so only a plugin that refuses everything comes after it.
  place("ResourceQuota", true, createResourceQuota),
  place("AlwaysDeny", false, createAlwaysDeny),
];

interface PluginChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** Plugins of the program that runs the server, in this order; webhooks and quotas run after them. */
  readonly own?: readonly AdmissionPlugin[];
}

/** The plugin before which those of `own` run. */
const ownComeBefore = "MutatingAdmissionWebhook";

/** The plugins of one server in order. */
export function choosePlugins(choice: PluginChoice, context: AdmissionContext): readonly AdmissionPlugin[] {
  const { level } = context.catalog.environment;
  const places = admissionOrder.filter((place) => existsIn(level, place));
  checkNames(choice, level);
  const present = new Set(places.map(({ name }) => name));
  const stranger = admissionOrder.find(({ name }) => !present.has(name) && context.configuration(name));
  if (stranger)
    throw new Error(`admission plugin ${stranger.name} has a configuration but does not exist at level ${level}`);
  const enabled = new Set(choice.enable);
  const disabled = new Set(choice.disable);
  return places.flatMap(({ name, byDefault, create }) => {
    const isChosen = (byDefault || enabled.has(name)) && !disabled.has(name);
    return [...(name === ownComeBefore ? (choice.own ?? []) : []), ...(isChosen ? [create(context)] : [])];
  });
}

/** The plugins that only some servers have. */
export function optionalPlugins(plugins: readonly AdmissionPlugin[], { own = [] }: PluginChoice): AdmissionPlugin[] {
  const byDefault = new Set(admissionOrder.flatMap((place) => (place.byDefault ? [place.name] : [])));
  return plugins.filter((plugin) => own.includes(plugin) || !byDefault.has(plugin.name));
}

/** Whether one of the plugins handles creates of this kind. */
export function handlesCreates(plugins: readonly AdmissionPlugin[], kind: BoundKind): boolean {
  const target = { kind, operation: "CREATE", subresource: "" } as const;
  return plugins.some((plugin) => plugin.ruleFor === undefined || plugin.ruleFor(target) !== undefined);
}

/** Throws an Error that says what to change; a mistyped plugin would otherwise silently protect nothing. */
function checkNames({ enable, disable }: PluginChoice, level: Release): void {
  const known = new Set(admissionOrder.map(({ name }) => name));
  for (const name of [...enable, ...disable]) {
    const named = admissionOrder.filter((place) => place.name === name);
    if (named.length > 0 && !named.some((place) => existsIn(level, place)))
      throw new Error(`admission plugin ${name} does not exist at level ${level}`);
    if (!known.has(name))
      throw new Error(
        `there is no admission plugin "${name}"${didYouMean(name, known) || `; there are ${[...known].join(", ")}`}`,
      );
  }
  const both = enable.find((name) => disable.includes(name));
  if (both !== undefined) throw new Error(`admission plugin ${both} is both enabled and disabled`);
}

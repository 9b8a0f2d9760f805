/**
 * Kinds without a namespace, as kustomize knows them: those of v1.21, by version. It gives a namespace to all others, which
 * is what people's files expect.
 */

import type { Gvk } from "./identity.ts";

const v1 = ["v1"];
const twice = ["v1", "v1beta1"];

const clusterScoped: readonly (readonly [group: string, versions: readonly string[], kinds: string])[] = [
  ["", v1, "ComponentStatus Namespace Node PersistentVolume"],
  ["admissionregistration.k8s.io", twice, "MutatingWebhookConfiguration ValidatingWebhookConfiguration"],
  ["apiextensions.k8s.io", twice, "CustomResourceDefinition"],
  ["apiregistration.k8s.io", twice, "APIService"],
  ["certificates.k8s.io", twice, "CertificateSigningRequest"],
  ["flowcontrol.apiserver.k8s.io", ["v1beta1"], "FlowSchema PriorityLevelConfiguration"],
  ["networking.k8s.io", twice, "IngressClass"],
  ["node.k8s.io", twice, "RuntimeClass"],
  ["policy", ["v1beta1"], "PodSecurityPolicy"],
  ["rbac.authorization.k8s.io", twice, "ClusterRole ClusterRoleBinding"],
  ["scheduling.k8s.io", twice, "PriorityClass"],
  ["storage.k8s.io", twice, "CSIDriver CSINode StorageClass VolumeAttachment"],
];

const known: ReadonlySet<string> = new Set(
  clusterScoped.flatMap(([group, versions, kinds]) =>
    versions.flatMap((version) => kinds.split(" ").map((kind) => `${group}/${version}/${kind}`)),
  ),
);

export const isClusterScoped = ({ group, version, kind }: Gvk): boolean => known.has(`${group}/${version}/${kind}`);

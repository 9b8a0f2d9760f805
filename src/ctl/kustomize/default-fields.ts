/** Which fields of which kinds hold labels, annotations, namespaces, images, replicas and variables, as kustomize 5 has them. */

import type { FieldSpec } from "./field-spec.ts";

const template = "spec/template/metadata";
const jobTemplate = "spec/jobTemplate/metadata";
const cronTemplate = "spec/jobTemplate/spec/template/metadata";

const templateOwners: readonly (Omit<FieldSpec, "path"> & { readonly at: string })[] = [
  { at: template, kind: "ReplicationController", version: "v1" },
  { at: template, kind: "Deployment" },
  { at: template, kind: "ReplicaSet" },
  { at: template, kind: "DaemonSet" },
  { at: template, kind: "Job", group: "batch" },
  { at: jobTemplate, kind: "CronJob", group: "batch" },
  { at: cronTemplate, kind: "CronJob", group: "batch" },
];

const inTemplates = (field: string): FieldSpec[] =>
  templateOwners.map(({ at, ...kind }) => ({ ...kind, path: `${at}/${field}`, create: true }));

export const templateLabels: readonly FieldSpec[] = [
  { path: "metadata/labels", create: true },
  ...inTemplates("labels"),
  { path: `${template}/labels`, kind: "StatefulSet", group: "apps", create: true },
  { path: "spec/volumeClaimTemplates[]/metadata/labels", kind: "StatefulSet", group: "apps", create: true },
];

const affinities = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
  `affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);
const podSelectors = [...affinities, "topologySpreadConstraints/labelSelector/matchLabels"];
const networkPolicies = { kind: "NetworkPolicy", group: "networking.k8s.io" };

export const commonLabels: readonly FieldSpec[] = [
  { path: "spec/selector", kind: "Service", version: "v1", create: true },
  { path: "spec/selector", kind: "ReplicationController", version: "v1", create: true },
  { path: "spec/selector/matchLabels", kind: "Deployment", create: true },
  { path: "spec/selector/matchLabels", kind: "ReplicaSet", create: true },
  { path: "spec/selector/matchLabels", kind: "DaemonSet", create: true },
  { path: "spec/selector/matchLabels", kind: "StatefulSet", group: "apps", create: true },
  ...["Deployment", "StatefulSet"].flatMap((kind) =>
    podSelectors.map((path) => ({ path: `spec/template/spec/${path}`, kind, group: "apps" })),
  ),
  { path: "spec/selector/matchLabels", kind: "Job", group: "batch" },
  { path: "spec/jobTemplate/spec/selector/matchLabels", kind: "CronJob", group: "batch" },
  { path: "spec/selector/matchLabels", kind: "PodDisruptionBudget", group: "policy" },
  { path: "spec/podSelector/matchLabels", ...networkPolicies },
  { path: "spec/ingress/from/podSelector/matchLabels", ...networkPolicies },
  { path: "spec/egress/to/podSelector/matchLabels", ...networkPolicies },
  ...templateLabels,
];

export const commonAnnotations: readonly FieldSpec[] = [
  { path: "metadata/annotations", create: true },
  ...inTemplates("annotations"),
  { path: `${template}/annotations`, kind: "StatefulSet", create: true },
];

export const namespaces: readonly FieldSpec[] = [
  { path: "metadata/name", kind: "Namespace", create: true },
  { path: "spec/service/namespace", kind: "APIService", group: "apiregistration.k8s.io", create: true },
  {
    path: "spec/conversion/webhook/clientConfig/service/namespace",
    kind: "CustomResourceDefinition",
    group: "apiextensions.k8s.io",
  },
];

export const images: readonly FieldSpec[] = ["spec", "spec/template/spec"].flatMap((pod) =>
  ["containers[]/image", "initContainers[]/image", "volumes[]/image/reference"].map((path) => ({
    path: `${pod}/${path}`,
  })),
);

export const replicas: readonly FieldSpec[] = ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map(
  (kind) => ({ path: "spec/replicas", kind, create: true }),
);

/** Where the pods of a kind are described. */
const podPaths: Readonly<Record<string, string>> = {
  Pod: "spec",
  PodTemplate: "template/spec",
  CronJob: "spec/jobTemplate/spec/template/spec",
};
export const podPathOf = (kind: string): string => podPaths[kind] ?? "spec/template/spec";

const withVariables = ["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"];
const inContainers = ["args", "command", "env/value", "volumeMounts/mountPath"];

export const variables: readonly FieldSpec[] = [
  ...withVariables.flatMap((kind) =>
    ["containers", "initContainers"].flatMap((list) =>
      inContainers.map((field) => ({ path: `${podPathOf(kind)}/${list}/${field}`, kind })),
    ),
  ),
  ...["DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet"].map((kind) => ({
    path: `${podPathOf(kind)}/volumes/nfs/server`,
    kind,
  })),
  { path: "spec/jobTemplate/spec/template/volumes/nfs/server", kind: "CronJob" },
  { path: "spec/volumeClaimTemplates/spec/nfs/server", kind: "StatefulSet" },
  { path: "spec/nfs/server", kind: "PersistentVolume" },
  { path: "spec/template/metadata/annotations", kind: "Deployment" },
  { path: "spec/rules/host", kind: "Ingress" },
  { path: "spec/tls/hosts", kind: "Ingress" },
  { path: "spec/tls/secretName", kind: "Ingress" },
  { path: "spec/ports/port", kind: "Service" },
  { path: "spec/ports/targetPort", kind: "Service" },
  { path: "metadata/labels" },
  { path: "metadata/annotations" },
];

/** Which fields name other resources, as kustomize 5 has them: they follow when those are renamed. */

import { podPathOf } from "./default-fields.ts";
import type { FieldSpec } from "./field-spec.ts";
import type { KindSelector } from "./identity.ts";

/** The fields that name resources of a kind. */
export interface Reference extends KindSelector {
  readonly fieldSpecs: readonly FieldSpec[];
}

const podOwners = ["Pod", "PodTemplate", "Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "CronJob"];
const otherOwners = ["Pod", "StatefulSet", "Deployment", "ReplicationController", "CronJob", "Job", "DaemonSet"];

const inPods = (owners: readonly string[], ...paths: readonly string[]): FieldSpec[] =>
  owners.flatMap((kind) => paths.map((path) => ({ path: `${podPathOf(kind)}/${path}`, kind })));
const fields = (kind: string, ...paths: readonly string[]): FieldSpec[] => paths.map((path) => ({ path, kind }));
const annotation = (key: string): string => `metadata/annotations/${key.replace("/", "\\/")}`;

const rbac = "rbac.authorization.k8s.io";
const bindings = (path: string, ...kinds: readonly string[]): FieldSpec[] =>
  kinds.map((kind) => ({ path, kind, group: rbac }));
const hooks = "admissionregistration.k8s.io";

export const references: readonly Reference[] = [
  ...["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map((kind) => ({
    kind,
    fieldSpecs: fields("HorizontalPodAutoscaler", "spec/scaleTargetRef/name"),
  })),
  {
    kind: "ConfigMap",
    version: "v1",
    fieldSpecs: [
      ...inPods(
        podOwners,
        "volumes/configMap/name",
        "volumes/projected/sources/configMap/name",
        ...["containers", "initContainers"].flatMap((list) => [
          `${list}/env/valueFrom/configMapKeyRef/name`,
          `${list}/envFrom/configMapRef/name`,
        ]),
      ),
      ...fields("Node", "spec/configSource/configMap"),
      ...fields("Role", "rules/resourceNames"),
      ...fields("ClusterRole", "rules/resourceNames"),
      ...fields("Ingress", annotation("nginx.ingress.kubernetes.io/fastcgi-params-configmap")),
    ],
  },
  {
    kind: "Secret",
    version: "v1",
    fieldSpecs: [
      ...inPods(
        podOwners,
        "volumes/secret/secretName",
        "volumes/projected/sources/secret/name",
        "imagePullSecrets/name",
        ...["containers", "initContainers"].flatMap((list) => [
          `${list}/env/valueFrom/secretKeyRef/name`,
          `${list}/envFrom/secretRef/name`,
        ]),
      ),
      ...fields(
        "Ingress",
        "spec/tls/secretName",
        annotation("ingress.kubernetes.io/auth-secret"),
        annotation("nginx.ingress.kubernetes.io/auth-secret"),
        annotation("nginx.ingress.kubernetes.io/auth-tls-secret"),
      ),
      ...fields("ServiceAccount", "imagePullSecrets/name"),
      ...fields(
        "StorageClass",
        "parameters/secretName",
        "parameters/adminSecretName",
        "parameters/userSecretName",
        "parameters/secretRef",
      ),
      ...fields("Role", "rules/resourceNames"),
      ...fields("ClusterRole", "rules/resourceNames"),
      {
        path: "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
        kind: "Service",
        group: "serving.knative.dev",
        version: "v1",
      },
      ...fields("PersistentVolume", "spec/azureFile/secretName"),
    ],
  },
  {
    kind: "Service",
    version: "v1",
    fieldSpecs: [
      { path: "spec/serviceName", kind: "StatefulSet", group: "apps" },
      ...fields(
        "Ingress",
        "spec/rules/http/paths/backend/serviceName",
        "spec/backend/serviceName",
        "spec/rules/http/paths/backend/service/name",
        "spec/defaultBackend/service/name",
      ),
      { path: "spec/service/name", kind: "APIService", group: "apiregistration.k8s.io" },
      { path: "webhooks/clientConfig/service", kind: "ValidatingWebhookConfiguration", group: hooks },
      { path: "webhooks/clientConfig/service", kind: "MutatingWebhookConfiguration", group: hooks },
    ],
  },
  { kind: "Role", group: rbac, fieldSpecs: bindings("roleRef/name", "RoleBinding") },
  { kind: "ClusterRole", group: rbac, fieldSpecs: bindings("roleRef/name", "RoleBinding", "ClusterRoleBinding") },
  {
    kind: "ServiceAccount",
    version: "v1",
    fieldSpecs: [
      ...bindings("subjects", "RoleBinding", "ClusterRoleBinding"),
      ...inPods(otherOwners, "serviceAccountName"),
    ],
  },
  {
    kind: "PersistentVolumeClaim",
    version: "v1",
    fieldSpecs: inPods(otherOwners, "volumes/persistentVolumeClaim/claimName"),
  },
  {
    kind: "PersistentVolume",
    version: "v1",
    fieldSpecs: [
      ...fields("PersistentVolumeClaim", "spec/volumeName"),
      ...fields("ClusterRole", "rules/resourceNames"),
    ],
  },
  {
    kind: "StorageClass",
    version: "v1",
    group: "storage.k8s.io",
    fieldSpecs: [
      ...fields("PersistentVolume", "spec/storageClassName"),
      ...fields("PersistentVolumeClaim", "spec/storageClassName"),
      ...fields("StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
    ],
  },
  {
    kind: "PriorityClass",
    version: "v1",
    group: "scheduling.k8s.io",
    fieldSpecs: inPods(otherOwners, "priorityClassName"),
  },
  {
    kind: "ValidatingAdmissionPolicy",
    group: hooks,
    fieldSpecs: [{ path: "spec/policyName", kind: "ValidatingAdmissionPolicyBinding", group: hooks }],
  },
];

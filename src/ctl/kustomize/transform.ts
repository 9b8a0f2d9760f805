/** The values that a kustomization sets on all of its resources: namespace, labels, annotations, images, replicas. */

import { ensure, isJson, type Json, kindOf, list, nameOf, object, text } from "../json.ts";
import type { Resource } from "./build.ts";

const clusterKinds = new Set(
  `Namespace Node PersistentVolume ClusterRole ClusterRoleBinding CustomResourceDefinition StorageClass PriorityClass IngressClass
  MutatingWebhookConfiguration ValidatingWebhookConfiguration APIService CertificateSigningRequest PodSecurityPolicy RuntimeClass
  CSIDriver CSINode VolumeAttachment FlowSchema PriorityLevelConfiguration`.split(/\s+/),
);

export function setNamespace(resources: readonly Resource[], namespace: string): void {
  if (namespace === "") return;
  for (const { object: value } of resources) {
    if (kindOf(value) === "Namespace") ensure(value, "metadata")["name"] = namespace;
    else if (!clusterKinds.has(kindOf(value))) ensure(value, "metadata")["namespace"] = namespace;
    if (kindOf(value).endsWith("RoleBinding"))
      for (const subject of list(value, "subjects"))
        if (
          subject["kind"] === "ServiceAccount" &&
          (subject["name"] === "default" || isOurs(resources, text(subject, "name")))
        )
          subject["namespace"] = namespace;
  }
}

const isOurs = (resources: readonly Resource[], name: string): boolean =>
  resources.some(({ object: value }) => kindOf(value) === "ServiceAccount" && nameOf(value) === name);

const selectorKinds = new Set(["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"]);

export function setLabels(resources: readonly Resource[], spec: Json): void {
  const labels = object(spec, "commonLabels");
  const annotations = object(spec, "commonAnnotations");
  for (const { object: value } of resources) {
    const templates = [value, ...templatesOf(value)];
    if (Object.keys(labels).length > 0) {
      for (const one of templates) Object.assign(ensure(one, "metadata", "labels"), labels);
      if (selectorKinds.has(kindOf(value))) Object.assign(ensure(value, "spec", "selector", "matchLabels"), labels);
      if (
        ["Service", "ReplicationController"].includes(kindOf(value)) &&
        (kindOf(value) !== "Service" || isJson(object(value, "spec")["selector"]))
      )
        Object.assign(ensure(value, "spec", "selector"), labels);
      if (kindOf(value) === "Job" && isJson(object(value, "spec")["selector"]))
        Object.assign(ensure(value, "spec", "selector", "matchLabels"), labels);
      if (["PodDisruptionBudget"].includes(kindOf(value)) && isJson(object(value, "spec")["selector"]))
        Object.assign(ensure(value, "spec", "selector", "matchLabels"), labels);
      if (kindOf(value) === "NetworkPolicy" && isJson(object(value, "spec", "podSelector")["matchLabels"]))
        Object.assign(ensure(value, "spec", "podSelector", "matchLabels"), labels);
    }
    if (Object.keys(annotations).length > 0)
      for (const one of templates) Object.assign(ensure(one, "metadata", "annotations"), annotations);
  }
}

/** The templates within an object, whose pods carry labels too. */
function templatesOf(value: Json): Json[] {
  const template = object(value, "spec")["template"];
  const job = object(value, "spec")["jobTemplate"];
  const found: Json[] = [];
  if (isJson(template) && isJson(template["spec"])) found.push(template);
  if (isJson(job)) {
    found.push(job);
    const inner = object(job, "spec")["template"];
    if (isJson(inner)) found.push(inner);
  }
  return found;
}

export function setImages(resources: readonly Resource[], images: readonly Json[]): void {
  if (images.length === 0) return;
  for (const { object: value } of resources)
    visitContainers(value, (container) => {
      for (const image of images) {
        const next = replaced(text(container, "image"), image);
        if (next !== undefined) container["image"] = next;
      }
    });
}

function visitContainers(value: unknown, visit: (container: Json) => void): void {
  if (Array.isArray(value)) for (const item of value) visitContainers(item, visit);
  else if (isJson(value))
    for (const [key, item] of Object.entries(value)) {
      if ((key === "containers" || key === "initContainers") && Array.isArray(item))
        for (const container of item.filter(isJson)) visit(container);
      visitContainers(item, visit);
    }
}

/** Undefined: the image has another name. */
function replaced(image: string, rule: Json): string | undefined {
  const name = text(rule, "name");
  if (!(image === name || image.startsWith(`${name}:`) || image.startsWith(`${name}@`))) return undefined;
  const rest = image.slice(name.length);
  const base = text(rule, "newName") || name;
  if (text(rule, "digest") !== "") return `${base}@${text(rule, "digest")}`;
  return text(rule, "newTag") === "" ? base + rest : `${base}:${text(rule, "newTag")}`;
}

const scaled = new Set(["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"]);

export function setReplicas(resources: readonly Resource[], rules: readonly Json[]): void {
  for (const rule of rules)
    for (const { object: value, originalName } of resources)
      if (scaled.has(kindOf(value)) && (originalName === text(rule, "name") || nameOf(value) === text(rule, "name")))
        ensure(value, "spec")["replicas"] = rule["count"];
}

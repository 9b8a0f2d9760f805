/** What the specification of a pod names: its node, account, and the objects that give it settings and files. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";

type Json = Readonly<Record<string, unknown>>;

interface Used {
  /** The plural, in the core group: "configmaps". */
  readonly resource: string;
  readonly name: string;
  /** "environment", "volume", "pull secret". */
  readonly as: string;
}

/** The specification of a pod, or that of a template, names each object once. */
export function usesOf(object: Json): readonly Used[] {
  const spec = podSpecOf(object);
  if (spec === undefined) return [];
  const found = new Map<string, Used>();
  const add = (resource: string, name: string, as: string) => {
    if (name !== "" && !found.has(`${resource}/${name}`)) found.set(`${resource}/${name}`, { resource, name, as });
  };
  add("nodes", textAt(spec, "nodeName"), "node");
  add("serviceaccounts", textAt(spec, "serviceAccountName"), "account");
  for (const secret of listAt(spec, "imagePullSecrets")) add("secrets", textAt(secret, "name"), "pull secret");
  for (const volume of listAt(spec, "volumes")) {
    add("configmaps", textAt(objectAt(volume, "configMap"), "name"), "volume");
    add("secrets", textAt(objectAt(volume, "secret"), "secretName"), "volume");
    add("persistentvolumeclaims", textAt(objectAt(volume, "persistentVolumeClaim"), "claimName"), "volume");
    for (const source of listAt(objectAt(volume, "projected"), "sources")) {
      add("configmaps", textAt(objectAt(source, "configMap"), "name"), "volume");
      add("secrets", textAt(objectAt(source, "secret"), "name"), "volume");
    }
  }
  for (const key of ["containers", "initContainers", "ephemeralContainers"])
    for (const container of listAt(spec, key)) {
      for (const from of listAt(container, "envFrom")) {
        add("configmaps", textAt(objectAt(from, "configMapRef"), "name"), "environment");
        add("secrets", textAt(objectAt(from, "secretRef"), "name"), "environment");
      }
      for (const variable of listAt(container, "env")) {
        const from = objectAt(variable, "valueFrom");
        add("configmaps", textAt(objectAt(from, "configMapKeyRef"), "name"), "environment");
        add("secrets", textAt(objectAt(from, "secretKeyRef"), "name"), "environment");
      }
    }
  return [...found.values()];
}

/** Its own, that of its template, or that of the template of its jobs. */
function podSpecOf(object: Json): Json | undefined {
  const spec = objectAt(object, "spec");
  if (spec === undefined) return undefined;
  if (Array.isArray(spec["containers"])) return spec;
  const template = objectAt(objectAt(spec, "template"), "spec");
  return template ?? objectAt(objectAt(objectAt(objectAt(spec, "jobTemplate"), "spec"), "template"), "spec");
}

/** Whether labels match a plain selector, as services have them: an empty one selects nothing. */
export function isSelected(selector: Json | undefined, labels: Json | undefined): boolean {
  const pairs = Object.entries(selector ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels?.[key] === value);
}

/** What the specification of a pod names: its node, account, and the objects that give it settings and files. */

import { listAt, objectAt, textAt } from "../machinery/json/json-value.ts";

type Json = Readonly<Record<string, unknown>>;

interface Used {
  /** The plural, in the core group: "configmaps". */
  readonly resource: string;
  readonly name: string;
  /** "environment", "volume", "pull secret". */
  readonly as: string;
  /** A pod runs without it. */
  readonly isOptional: boolean;
}

/** The specification of a pod, or that of a template, names each object once. */
export function usesOf(object: Json): readonly Used[] {
  const spec = podSpecOf(object);
  if (spec === undefined) return [];
  const found = new Map<string, Used>();
  const add = (resource: string, name: string, as: string, isOptional = false) => {
    if (name === "") return;
    const key = `${resource}/${name}`;
    const before = found.get(key);
    // What is optional in one place may be needed in another.
    if (before === undefined) found.set(key, { resource, name, as, isOptional });
    else if (before.isOptional && !isOptional) found.set(key, { ...before, isOptional });
  };
  const addFrom = (resource: string, from: Json | undefined, as: string, nameField = "name") =>
    add(resource, textAt(from, nameField), as, from?.["optional"] === true);
  add("nodes", textAt(spec, "nodeName"), "node");
  add("serviceaccounts", textAt(spec, "serviceAccountName"), "account");
  // A pull secret that is not there is left out.
  for (const secret of listAt(spec, "imagePullSecrets")) add("secrets", textAt(secret, "name"), "pull secret", true);
  for (const volume of listAt(spec, "volumes")) {
    addFrom("configmaps", objectAt(volume, "configMap"), "volume");
    addFrom("secrets", objectAt(volume, "secret"), "volume", "secretName");
    add("persistentvolumeclaims", textAt(objectAt(volume, "persistentVolumeClaim"), "claimName"), "volume");
    for (const source of listAt(objectAt(volume, "projected"), "sources")) {
      addFrom("configmaps", objectAt(source, "configMap"), "volume");
      addFrom("secrets", objectAt(source, "secret"), "volume");
    }
  }
  for (const key of ["containers", "initContainers", "ephemeralContainers"])
    for (const container of listAt(spec, key)) {
      for (const from of listAt(container, "envFrom")) {
        addFrom("configmaps", objectAt(from, "configMapRef"), "environment");
        addFrom("secrets", objectAt(from, "secretRef"), "environment");
      }
      for (const variable of listAt(container, "env")) {
        const from = objectAt(variable, "valueFrom");
        addFrom("configmaps", objectAt(from, "configMapKeyRef"), "environment");
        addFrom("secrets", objectAt(from, "secretKeyRef"), "environment");
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

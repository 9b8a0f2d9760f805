/** What a pod needs and does not find: config maps, secrets, claims and its service account. */

import { isNotFound } from "../../../client/requests/refusals.ts";
import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, object, text } from "../../json.ts";
import { explainClaim } from "./claims.ts";

interface Reference {
  readonly resource: "configmaps" | "secrets" | "persistentvolumeclaims" | "serviceaccounts";
  readonly name: string;
  /** The key that must be in it; "": any. */
  readonly key: string;
}

/** How many references of a pod are looked up. */
export const referencesMax = 50;

export async function missingReferences(context: Context, pod: Json): Promise<string[]> {
  const lines: string[] = [];
  for (const reference of referencesOf(pod).slice(0, referencesMax))
    lines.push(...(await check(context, pod, reference)));
  return lines;
}

async function check(context: Context, pod: Json, { resource, name, key }: Reference): Promise<string[]> {
  const shown = `${resource.replace(/s$/, "")}/${name}`;
  try {
    const found = await context.at(await findResource(context, resource)).get({ namespace: namespaceOf(pod), name });
    if (resource === "persistentvolumeclaims") {
      if (text(found, "status", "phase") === "Bound") return [];
      const { summary, lines } = await explainClaim(context, found);
      return [`it needs ${shown}, which ${summary}`, ...lines.map((line) => `  ${line}`)];
    }
    const keys = [...Object.keys(object(found, "data")), ...Object.keys(object(found, "binaryData"))];
    return key === "" || keys.includes(key) ? [] : [`it needs the key ${key} of ${shown}, which has no such key`];
  } catch (error) {
    return isNotFound(error) ? [`it needs ${shown}, which does not exist`] : []; // what the caller may not read is not known
  }
}

/** Without those that are optional, each once. */
function referencesOf(pod: Json): Reference[] {
  const found = new Map<string, Reference>();
  const add = (resource: Reference["resource"], name: string, source: Json, key = "") => {
    if (name !== "" && source["optional"] !== true) found.set(`${resource}/${name}/${key}`, { resource, name, key });
  };
  const containers = [...list(pod, "spec", "initContainers"), ...list(pod, "spec", "containers")];
  for (const container of containers) {
    for (const source of list(container, "envFrom")) {
      add("configmaps", text(source, "configMapRef", "name"), object(source, "configMapRef"));
      add("secrets", text(source, "secretRef", "name"), object(source, "secretRef"));
    }
    for (const { valueFrom } of list(container, "env")) {
      const [config, secret] = [object(valueFrom, "configMapKeyRef"), object(valueFrom, "secretKeyRef")];
      add("configmaps", text(config, "name"), config, text(config, "key"));
      add("secrets", text(secret, "name"), secret, text(secret, "key"));
    }
  }
  for (const volume of list(pod, "spec", "volumes")) {
    for (const source of [volume, ...list(volume, "projected", "sources")]) {
      add("configmaps", text(source, "configMap", "name"), object(source, "configMap"));
      const secret = object(source, "secret");
      add("secrets", text(secret, "secretName") || text(secret, "name"), secret);
    }
    add("persistentvolumeclaims", text(volume, "persistentVolumeClaim", "claimName"), {});
    const isEphemeral = Object.keys(object(volume, "ephemeral")).length > 0;
    if (isEphemeral) add("persistentvolumeclaims", `${nameOf(pod)}-${text(volume, "name")}`, {});
  }
  add("serviceaccounts", text(pod, "spec", "serviceAccountName"), {});
  return [...found.values()];
}

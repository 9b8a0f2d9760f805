/** Prefixes, suffixes and hashes of names, and the references to renamed objects. */

import { createHash } from "node:crypto";
import { goJson } from "../go-json.ts";
import { ensure, isJson, type Json, kindOf, nameOf, object, text } from "../json.ts";
import type { Resource } from "./build.ts";

/** Kinds whose names must not change. */
const fixed = new Set(["Namespace", "CustomResourceDefinition", "APIService"]);

export function renameAll(
  resources: readonly Resource[],
  rule: { prefix: string; suffix: string; withHashes: boolean },
): void {
  const renamed = new Map<string, string>();
  for (const { object: value, needsHash } of resources) {
    const before = nameOf(value);
    const hash = rule.withHashes && needsHash ? `-${hashOf(value)}` : "";
    if (fixed.has(kindOf(value)) || (rule.prefix === "" && rule.suffix === "" && hash === "")) continue;
    const after = `${rule.prefix}${before}${rule.suffix}${hash}`;
    ensure(value, "metadata")["name"] = after;
    renamed.set(`${kindOf(value)}/${before}`, after);
  }
  if (renamed.size > 0) for (const { object: value } of resources) follow(value, renamed);
}

/** The members that name an object of another kind: their paths, and the kind. */
const references: Readonly<Record<string, { readonly member: string; readonly kind: string }>> = {
  configMap: { member: "name", kind: "ConfigMap" },
  configMapRef: { member: "name", kind: "ConfigMap" },
  configMapKeyRef: { member: "name", kind: "ConfigMap" },
  secret: { member: "secretName", kind: "Secret" },
  secretRef: { member: "name", kind: "Secret" },
  secretKeyRef: { member: "name", kind: "Secret" },
  persistentVolumeClaim: { member: "claimName", kind: "PersistentVolumeClaim" },
  service: { member: "name", kind: "Service" },
  backend: { member: "serviceName", kind: "Service" },
};

const plainReferences: Readonly<Record<string, string>> = {
  serviceAccountName: "ServiceAccount",
  serviceAccount: "ServiceAccount",
  serviceName: "Service",
  secretName: "Secret",
  storageClassName: "StorageClass",
  priorityClassName: "PriorityClass",
};

function follow(value: unknown, renamed: ReadonlyMap<string, string>, parent = ""): void {
  if (Array.isArray(value)) {
    for (const item of value) follow(item, renamed, parent);
    return;
  }
  if (!isJson(value)) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === "string") {
      const kind = kindOfReference(value, key, parent);
      const next = kind === undefined ? undefined : renamed.get(`${kind}/${item}`);
      if (next !== undefined) value[key] = next;
    } else if (key !== "metadata" || parent !== "") follow(item, renamed, key);
  }
}

function kindOfReference(value: Json, key: string, parent: string): string | undefined {
  const known = Object.hasOwn(references, parent) ? references[parent] : undefined;
  if (known?.member === key) return known.kind;
  // A projected volume names its secrets by `name`.
  if (parent === "secret" && key === "name") return "Secret";
  if (parent === "imagePullSecrets" || parent === "secrets") return key === "name" ? "Secret" : undefined;
  if (["roleRef", "scaleTargetRef", "subjects", "targetRef", "claimRef"].includes(parent) && key === "name")
    return text(value, "kind") || undefined;
  return Object.hasOwn(plainReferences, key) ? plainReferences[key] : undefined;
}

const letters: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };

/** Ten letters of a hash of the content, so that a changed ConfigMap gets another name. */
export function hashOf(value: Json): string {
  const content: Json = { kind: kindOf(value), name: nameOf(value), data: value["data"] ?? "" };
  if (kindOf(value) === "Secret") content["type"] = value["type"] ?? "";
  for (const field of ["binaryData", "stringData"])
    if (Object.keys(object(value, field)).length > 0) content[field] = value[field];
  const digest = createHash("sha256").update(goJson(content)).digest("hex");
  return [...digest.slice(0, 10)].map((char) => letters[char] ?? char).join("");
}

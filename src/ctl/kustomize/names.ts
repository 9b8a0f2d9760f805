/** Prefixes, suffixes and hashes of names. */

import { createHash } from "node:crypto";
import { goJson } from "../go-json.ts";
import { type Json, kindOf, nameOf, object } from "../json.ts";
import { type FieldSpec, visitPath } from "./field-spec.ts";
import { isSelectedBy, type KindSelector } from "./identity.ts";
import type { ResourceList } from "./resource-list.ts";
import { plainMembers, textOf } from "./value.ts";

/** Kinds whose names must not change. */
const fixed: readonly KindSelector[] = [
  { kind: "CustomResourceDefinition" },
  { kind: "APIService", group: "apiregistration.k8s.io" },
  { kind: "Namespace" },
];

export function addPrefix(list: ResourceList, prefix: string, specs: readonly FieldSpec[]): void {
  rename(list, specs, { prefix, suffix: "" });
}

export function addSuffix(list: ResourceList, suffix: string, specs: readonly FieldSpec[]): void {
  rename(list, specs, { prefix: "", suffix });
}

interface Affixes {
  readonly prefix: string;
  readonly suffix: string;
}

function rename(list: ResourceList, specs: readonly FieldSpec[], { prefix, suffix }: Affixes): void {
  if (prefix === "" && suffix === "") return;
  for (const resource of list.all) {
    const original = resource.originalId;
    if (fixed.some((kind) => isSelectedBy(original, kind))) continue;
    for (const spec of specs) {
      if (!isSelectedBy(original, spec)) continue;
      if (spec.path === "metadata/name") {
        if (prefix !== "") resource.prefixes.push(prefix);
        if (suffix !== "") resource.suffixes.push(suffix);
        resource.rememberId();
      }
      visitPath(resource, spec, (place) => place.set(`${prefix}${textOf(place.value)}${suffix}`));
    }
  }
  list.changed();
}

/** Names of generated resources end with a hash of their content, once all else is done. */
export function addHashes(list: ResourceList): void {
  for (const resource of list.all) {
    if (!resource.needsHash) continue;
    resource.rememberId();
    // The name has never been part of this hash.
    const content = { ...plainMembers(resource.members), metadata: {} };
    resource.name = `${resource.name}-${hashOf(content)}`;
  }
  list.changed();
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

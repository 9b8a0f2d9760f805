/** Other names, tags and digests of images, and other numbers of replicas. */

import { matchesPattern } from "../../machinery/json-schema/pattern.ts";
import { CtlError } from "../errors.ts";
import { type FieldSpec, visitField } from "./field-spec.ts";
import { isSelectedBy } from "./identity.ts";
import type { ResourceList } from "./resource-list.ts";
import { at, isMembers, type Members, put, textAt, WrittenScalar, type YamlValue } from "./value.ts";

export function setImage(list: ResourceList, rule: Members, specs: readonly FieldSpec[]): void {
  for (const resource of list.all) {
    for (const spec of specs)
      visitField(resource, spec, (place) => {
        if (typeof place.value === "string") place.set(changed(place.value, rule));
      });
    // Custom kinds may have containers at any place.
    if (resource.gvk.kind !== "CustomResourceDefinition")
      visitContainers(resource.members, (container) => {
        const image = at(container, "image");
        if (typeof image === "string") put(container, "image", changed(image, rule));
      });
  }
}

function visitContainers(value: YamlValue, visit: (container: Members) => void): void {
  if (Array.isArray(value)) for (const item of value) visitContainers(item, visit);
  else if (isMembers(value))
    for (const [name, member] of Object.entries(value)) {
      if ((name === "containers" || name === "initContainers") && Array.isArray(member)) {
        for (const container of member) if (isMembers(container)) visit(container);
      } else visitContainers(member, visit);
    }
}

function changed(image: string, rule: Members): string {
  const { name, tag, digest } = parts(image);
  const wanted = textAt(rule, "name");
  if (!matchesPattern(`^${wanted}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`, image)) return image;
  const newName = textAt(rule, "newName") || name;
  const newTag = textAt(rule, "newTag");
  const newDigest = textAt(rule, "digest");
  const suffix = textAt(rule, "tagSuffix");
  const kept = suffix === "" ? [tag, digest] : [`${tag}${suffix}`, ""];
  const [nextTag, nextDigest] = newTag === "" && newDigest === "" ? kept : [newTag, newDigest];
  return `${newName}${nextTag === "" ? "" : `:${nextTag}`}${nextDigest === "" ? "" : `@${nextDigest}`}`;
}

/** A colon before the last slash belongs to the address of a registry. */
function parts(image: string): { name: string; tag: string; digest: string } {
  const [whole = "", digest = ""] = image.split("@", 2);
  const colon = whole.lastIndexOf(":");
  if (colon < 0 || whole.includes("/", colon)) return { name: whole, tag: "", digest };
  return { name: whole.slice(0, colon), tag: whole.slice(colon + 1), digest };
}

export function setReplicas(list: ResourceList, rule: Members, specs: readonly FieldSpec[]): void {
  const name = textAt(rule, "name");
  const count = Number(textAt(rule, "count") || 0);
  let isFound = false;
  for (const spec of specs)
    for (const resource of list.all) {
      const isNamed = resource.allIds.some((id) => id.name === name && isSelectedBy(id, spec));
      if (!isNamed) continue;
      isFound = true;
      visitField(resource, spec, (place) => place.set(new WrittenScalar(String(count), count)), "scalar");
    }
  if (!isFound) {
    const kinds = specs.map(({ kind, version, group }) =>
      [kind || "[noKind]", version || "[noVer]", group || "[noGrp]"].join("."),
    );
    throw new CtlError(
      `resource with name ${name} does not match a config with the following GVK [${kinds.join(" ")}]`,
    );
  }
}

/** The values that a kustomization sets on all of its resources: namespace, labels and annotations. */

import { CtlError } from "../errors.ts";
import { type FieldSpec, membersAt, visitField } from "./field-spec.ts";
import { keyOf, shownId } from "./identity.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { isClusterScoped } from "./scopes.ts";
import { at, ensureMembers, isMembers, type Members, put, share, textAt, textOf } from "./value.ts";

/** Which subjects of bindings get the namespace. */
export type SubjectMode = "" | "defaultOnly" | "allServiceAccounts" | "none";

interface NamespaceRule {
  readonly namespace: string;
  readonly specs: readonly FieldSpec[];
  readonly subjects?: SubjectMode;
  /** Whether a namespace that is there already stays. */
  readonly unsetOnly?: boolean;
}

export function setNamespace(list: ResourceList, rule: NamespaceRule): void {
  if (rule.namespace === "") return;
  const specs = rule.specs.filter(({ path }) => path !== "metadata/namespace");
  for (const resource of list.all) {
    resource.rememberId();
    const set = (before: string, write: (namespace: string) => void) => {
      if (rule.unsetOnly !== true || before === "") write(rule.namespace);
    };
    if (!isClusterScoped(resource.gvk)) {
      const metadata = ensureMembers(resource.members, "metadata");
      set(textAt(metadata, "namespace"), (namespace) => put(metadata, "namespace", namespace));
    }
    const isBinding = ["RoleBinding", "ClusterRoleBinding"].includes(resource.gvk.kind);
    if (isBinding) setSubjects(resource, rule.subjects ?? "", set);
    for (const spec of specs)
      if (!(isBinding && spec.path === "subjects"))
        visitField(resource, spec, (place) => set(textOf(place.value ?? ""), place.set), "scalar");
  }
  list.changed();
  checkUnique(list);
}

function setSubjects(
  resource: Resource,
  mode: SubjectMode,
  set: (before: string, write: (namespace: string) => void) => void,
): void {
  const subjects = at(resource.members, "subjects");
  for (const subject of Array.isArray(subjects) ? subjects : []) {
    const isChosen =
      mode === "allServiceAccounts"
        ? textAt(subject, "kind") === "ServiceAccount"
        : mode !== "none" && textAt(subject, "name") === "default";
    if (isChosen && isMembers(subject))
      set(textAt(subject, "namespace"), (namespace) => put(subject, "namespace", namespace));
  }
}

function checkUnique(list: ResourceList): void {
  const seen = new Set<string>();
  for (const { id } of list.all) {
    if (seen.has(keyOf(id))) throw new CtlError(`namespace transformation produces ID conflict: ${shownId(id)}`);
    seen.add(keyOf(id));
  }
}

/** Sets labels or annotations wherever the specs say. */
export function setEntries(list: ResourceList, entries: Members | undefined, specs: readonly FieldSpec[]): void {
  const names = Object.keys(entries ?? {});
  if (entries === undefined || names.length === 0) return;
  for (const resource of list.all) {
    const added = new Map<string, Members[]>(names.map((name) => [name, []]));
    for (const spec of specs)
      visitField(
        resource,
        spec,
        (place) => {
          const members = membersAt(place, spec, resource);
          for (const name of names) {
            if (!Object.hasOwn(members, name)) added.get(name)?.push(members);
            put(members, name, textOf(entries[name]));
          }
        },
        "members",
      );
    for (const [name, places] of added) share(name, places);
  }
}

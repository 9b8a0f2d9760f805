/** Names of other resources follow when those are renamed. */

import { CtlError } from "../errors.ts";
import { visitPath } from "./field-spec.ts";
import { effectiveNamespace, type Gvk, gvkOf, isSelectedBy, type KindSelector, shownId } from "./identity.ts";
import type { Reference } from "./reference-fields.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { isClusterScoped } from "./scopes.ts";
import { at, isMembers, type Members, put, textAt, textOf, type YamlValue } from "./value.ts";

export function followNames(list: ResourceList, references: readonly Reference[]): void {
  const renamed = new RenamedResources(list.all);
  for (const referrer of list.all) {
    const { originalId } = referrer;
    for (const reference of references)
      for (const spec of reference.fieldSpecs) {
        if (!isSelectedBy(originalId, spec)) continue;
        const finder = new Finder(referrer, reference, spec.path, renamed);
        visitPath(referrer, spec, (place) => {
          if (place.value !== undefined) place.set(follow(place.value, finder));
        });
      }
  }
  list.changed();
}

/** Resources that had another name, by that name. */
class RenamedResources {
  readonly #byName = new Map<string, Resource[]>();
  /** The namespaces that resources of the build had at first, also of those that kept their names. */
  readonly originalNamespaces: ReadonlySet<string>;

  constructor(resources: readonly Resource[]) {
    this.originalNamespaces = new Set(resources.map(({ originalId }) => effectiveNamespace(originalId)));
    for (const resource of resources)
      for (const name of resource.formerNames) {
        const others = this.#byName.get(name);
        if (others === undefined) this.#byName.set(name, [resource]);
        else others.push(resource);
      }
  }

  of(name: string): readonly Resource[] {
    return this.#byName.get(name) ?? [];
  }
}

function follow(value: YamlValue, finder: Finder): YamlValue {
  if (Array.isArray(value)) return value.map((item) => follow(item, finder));
  if (isMembers(value)) {
    followMembers(value, finder);
    return value;
  }
  const found = finder.find(textOf(value), {});
  return found === undefined || found.name === textOf(value) ? value : found.name;
}

/** A name beside which there is a namespace, as in the subjects of a binding. */
function followMembers(members: Members, finder: Finder): void {
  if (at(members, "name") === undefined) throw finder.refusal("path config error; no 'name' field in node");
  const namespace = at(members, "namespace") === undefined ? undefined : textAt(members, "namespace");
  const found = finder.find(textAt(members, "name"), { namespace, setsNamespace: true });
  if (found === undefined) return;
  put(members, "name", found.name);
  if (found.namespace !== "") put(members, "namespace", found.namespace);
}

class Finder {
  readonly #referrer: Resource;
  readonly #target: KindSelector;
  readonly #path: string;
  readonly #renamed: RenamedResources;

  constructor(referrer: Resource, target: KindSelector, path: string, renamed: RenamedResources) {
    this.#referrer = referrer;
    this.#target = target;
    this.#path = path;
    this.#renamed = renamed;
  }

  /** Who is meant by a name; `namespace` is one that the reference gives. Undefined: it is not part of this build. */
  find(
    name: string,
    { namespace, setsNamespace = false }: { namespace?: string | undefined; setsNamespace?: boolean },
  ): Resource | undefined {
    let found = this.#renamed
      .of(name)
      .filter((one) => this.#isReachable(one) && this.#isKind(one) && this.#isRole(one) && this.#isNear(one));
    if (namespace !== undefined) {
      const isOriginal = this.#renamed.originalNamespaces.has(namespace);
      found = found.filter((one) => effectiveNamespace(isOriginal ? one.originalId : one.id) === namespace);
    }
    for (const isAlike of [this.#isAlikeOrEmpty, this.#isAlike]) {
      if (found.length > 1) found = found.filter((one) => isAlike.call(this, one));
    }
    const [first, ...others] = found;
    const isOther = (one: Resource) => one.name !== first?.name || (setsNamespace && one.namespace !== first.namespace);
    if (others.some(isOther))
      throw this.refusal(`found multiple possible referrals: ${found.map((one) => shownId(one.id)).join(", ")}`);
    return first;
  }

  refusal(problem: string): CtlError {
    return new CtlError(
      `updating name reference in '${this.#path}' field of '${shownId(this.#referrer.id)}': ${problem}`,
    );
  }

  #isKind(candidate: Resource): boolean {
    return candidate.previousIds.some((id) => isSelectedBy(id, this.#target));
  }

  /** A binding says which kind its role has. */
  #isRole(candidate: Resource): boolean {
    if (!this.#path.endsWith("roleRef/name")) return true;
    const role = at(this.#referrer.members, "roleRef");
    if (at(role, "apiGroup") === undefined || at(role, "kind") === undefined) return true;
    const wanted: Gvk = gvkOf(`${textAt(role, "apiGroup")}/`, textAt(role, "kind"));
    return candidate.previousIds.some((id) => isSelectedBy(id, wanted));
  }

  /** Resources of other namespaces can be named by those without one, and as service accounts of a role binding. */
  #isReachable(candidate: Resource): boolean {
    const { id } = this.#referrer;
    if (isClusterScoped(id) || isClusterScoped(candidate.gvk)) return true;
    if (effectiveNamespace(id) === effectiveNamespace(candidate.id)) return true;
    return this.#subjectNamespaces().has(candidate.namespace);
  }

  #isNear(candidate: Resource): boolean {
    const { id } = this.#referrer;
    if (isClusterScoped(id) || isClusterScoped(candidate.gvk) || candidate.gvk.kind === "ServiceAccount") return true;
    return effectiveNamespace(id) === effectiveNamespace(candidate.id);
  }

  #subjectNamespaces(): ReadonlySet<string> {
    const subjects = this.#referrer.gvk.kind === "RoleBinding" ? at(this.#referrer.members, "subjects") : undefined;
    return new Set(
      (Array.isArray(subjects) ? subjects : [])
        .filter((subject) => textAt(subject, "kind") === "ServiceAccount" && at(subject, "namespace") !== undefined)
        .map((subject) => textAt(subject, "namespace")),
    );
  }

  #isAlikeOrEmpty(candidate: Resource): boolean {
    const isEither = (field: "prefixes" | "suffixes") =>
      candidate[field].length === 0 ||
      this.#referrer[field].length === 0 ||
      endsAlike(candidate[field], this.#referrer[field]);
    return isEither("prefixes") && isEither("suffixes");
  }

  #isAlike(candidate: Resource): boolean {
    return (
      endsAlike(candidate.prefixes, this.#referrer.prefixes) && endsAlike(candidate.suffixes, this.#referrer.suffixes)
    );
  }
}

/** Whether the shorter list is the end of the longer one; an empty one is only that of an empty one. */
function endsAlike(a: readonly string[], b: readonly string[]): boolean {
  const length = Math.min(a.length, b.length);
  if (length === 0) return a.length === b.length;
  return a.slice(-length).every((text, index) => text === b.slice(-length)[index]);
}

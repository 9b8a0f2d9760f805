/** The resources of a build in the order in which they came, with unique ids. */

import { CtlError } from "../errors.ts";
import { type Id, keyOf, shownId } from "./identity.ts";
import type { Resource } from "./resource.ts";
import { at, isMembers, isNull, type Members, put, textOf, type YamlValue } from "./value.ts";

export class ResourceList {
  #resources: Resource[] = [];
  /** Keys of current ids; undefined: names may have changed. */
  #keys: Set<string> | undefined = new Set();
  /** By all names that they have or had; undefined likewise. */
  #byName: Map<string, Resource[]> | undefined;

  get all(): readonly Resource[] {
    return this.#resources;
  }

  append(resource: Resource): void {
    const keys = this.#currentKeys();
    const key = keyOf(resource.id);
    if (keys.has(key))
      throw new CtlError(`may not add resource with an already registered id: ${shownId(resource.id)}`);
    keys.add(key);
    this.#resources.push(resource);
    if (this.#byName !== undefined) index(this.#byName, resource);
  }

  appendAll(resources: Iterable<Resource>): void {
    for (const resource of resources) this.append(resource);
  }

  /** Throws CtlError if two resources have got the same id. */
  checkUnique(): void {
    new ResourceList().appendAll(this.#resources);
  }

  /** Must be called when ids may have changed. Drops deleted resources. */
  changed(): void {
    if (this.#resources.some(({ isDeleted }) => isDeleted))
      this.#resources = this.#resources.filter(({ isDeleted }) => !isDeleted);
    this.#keys = undefined;
    this.#byName = undefined;
  }

  replaceAll(resources: readonly Resource[]): void {
    this.#resources = [...resources];
    this.#keys = undefined;
    this.#byName = undefined;
  }

  /** Those that have or had an id with the name. */
  matching(name: string, matches: (id: Id) => boolean): Resource[] {
    return this.#named(name).filter(
      (resource) => !resource.isDeleted && resource.allIds.some((id) => id.name === name && matches(id)),
    );
  }

  byId(id: Id): Resource {
    const key = keyOf(id);
    const found = this.matching(id.name, (one) => keyOf(one) === key);
    const [only] = found;
    const problem = `matches for Id ${shownId(id)}; failed to find unique target for patch ${shownId(id)}`;
    if (only === undefined)
      throw new CtlError(`no resource matches strategic merge patch "${shownId(id)}": no ${problem}`);
    if (found.length > 1) throw new CtlError(`multiple ${problem}`);
    return only;
  }

  /** Adds a generated resource, or changes the one that its behavior names. */
  absorb(made: Resource): void {
    const key = keyOf(made.id);
    const found = this.matching(made.name, (id) => keyOf(id) === key);
    const [before] = found;
    const merges = made.behavior === "merge" || made.behavior === "replace";
    if (before === undefined) {
      if (merges) throw new CtlError(`id ${shownId(made.id)} does not exist; cannot merge or replace`);
      this.append(made);
      return;
    }
    if (found.length > 1) throw new CtlError(`found multiple objects that could accept merge of ${shownId(made.id)}`);
    if (!merges)
      throw new CtlError(
        `id ${shownId(made.id)} exists; can not use behavior: '${made.behavior || "unspecified"}', behavior must be merge or replace`,
      );
    takeOver(made, before);
    this.#resources[this.#resources.indexOf(before)] = made;
    this.changed();
  }

  #named(name: string): readonly Resource[] {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const resource of this.#resources) index(this.#byName, resource);
    }
    return this.#byName.get(name) ?? [];
  }

  #currentKeys(): Set<string> {
    this.#keys ??= new Set(this.#resources.map(({ id }) => keyOf(id)));
    return this.#keys;
  }
}

function index(byName: Map<string, Resource[]>, resource: Resource): void {
  for (const name of new Set([...resource.formerNames, resource.name])) {
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [resource]);
    else others.push(resource);
  }
}

/** The generated resource with the metadata of the one before it, and for "merge" with its data. */
function takeOver(made: Resource, before: Resource): void {
  const isMerge = made.behavior === "merge";
  for (const path of [
    ["metadata", "labels"],
    ["metadata", "annotations"],
    ...(isMerge ? [["data"], ["binaryData"]] : []),
  ])
    addBelow(made.members, path, at(before.members, ...path));
  made.needsHash &&= before.needsHash;
  made.behavior = before.behavior;
  made.name = before.name;
  const metadata = at(made.members, "metadata");
  if (isMembers(metadata)) {
    if (before.namespace === "") delete metadata["namespace"];
    else put(metadata, "namespace", before.namespace);
  }
  if (isMerge && before.origin !== undefined) made.origin = before.origin;
  made.continueFrom(before);
}

/** Own members win. All become texts; null is "null" in metadata, and "" in data. */
function addBelow(members: Members, path: readonly string[], others: YamlValue | undefined): void {
  if (!isMembers(others) || Object.keys(others).length === 0) return;
  const own = at(members, ...path);
  const merged: Members = {};
  for (const [name, value] of Object.entries({ ...others, ...(isMembers(own) ? own : {}) }))
    put(merged, name, isNull(value) && path[0] !== "metadata" ? "" : textOf(value));
  const parent = path.length === 1 ? members : at(members, ...path.slice(0, -1));
  if (isMembers(parent)) put(parent, path.at(-1) ?? "", merged);
}

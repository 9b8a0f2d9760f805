/** A resource of a build, with the names it had before. */

import { CtlError } from "../errors.ts";
import { effectiveNamespace, type Gvk, gvkOf, type Id } from "./identity.ts";
import type { BuildOrigin } from "./origin.ts";
import {
  at,
  copyValue,
  ensureMembers,
  isMembers,
  isNull,
  type Members,
  put,
  textAt,
  textOf,
  type YamlValue,
} from "./value.ts";

export type Behavior = "" | "create" | "merge" | "replace";

interface PreviousId {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export class Resource {
  /** Empty: a patch has deleted it. */
  members: Members;
  needsHash = false;
  behavior: Behavior = "";
  /** The variables that take a value from it. */
  readonly variables: string[] = [];
  /** Which prefixes and suffixes its name got, in this order. */
  readonly prefixes: string[] = [];
  readonly suffixes: string[] = [];
  /** What `buildMetadata` asked for. */
  origin: BuildOrigin | undefined;
  transformations: BuildOrigin[] = [];
  #previous: readonly PreviousId[] = [];
  #previousNames: ReadonlySet<string> = new Set();

  constructor(members: Members) {
    this.members = members;
  }

  get gvk(): Gvk {
    return gvkOf(textAt(this.members, "apiVersion"), textAt(this.members, "kind"));
  }

  get name(): string {
    return textAt(this.members, "metadata", "name");
  }

  set name(name: string) {
    put(ensureMembers(this.members, "metadata"), "name", name);
  }

  get namespace(): string {
    return textAt(this.members, "metadata", "namespace");
  }

  get id(): Id {
    return { ...this.gvk, name: this.name, namespace: this.namespace };
  }

  get isDeleted(): boolean {
    return Object.keys(this.members).length === 0;
  }

  /** Oldest first, without the current one. They have the current group and version. */
  get previousIds(): Id[] {
    const { group, version } = this.gvk;
    return this.#previous.map((one) => ({ group, version, ...one }));
  }

  get originalId(): Id {
    return this.previousIds[0] ?? this.id;
  }

  get allIds(): Id[] {
    return [...this.previousIds, this.id];
  }

  hadName(name: string): boolean {
    return this.#previousNames.has(name);
  }

  get formerNames(): Iterable<string> {
    return this.#previousNames;
  }

  /** Others may refer to it by the name that it has now. */
  rememberId(): void {
    const { id } = this;
    this.#previous = [...this.#previous, { kind: id.kind, name: id.name, namespace: effectiveNamespace(id) }];
    this.#previousNames = new Set([...this.#previousNames, id.name]);
  }

  /** Takes over the history of a resource that it replaces. */
  continueFrom(other: Resource): void {
    this.#previous = other.#previous;
    this.#previousNames = other.#previousNames;
    this.prefixes.splice(0, Infinity, ...other.prefixes);
    this.suffixes.splice(0, Infinity, ...other.suffixes);
    this.variables.splice(0, Infinity, ...other.variables);
    this.transformations = other.transformations;
  }

  copy(): Resource {
    const copy = new Resource(copyValue(this.members));
    copy.continueFrom(this);
    copy.needsHash = this.needsHash;
    copy.behavior = this.behavior;
    copy.origin = this.origin;
    return copy;
  }

  labels(field: "labels" | "annotations"): ReadonlyMap<string, string> {
    const found = at(this.members, "metadata", field);
    return new Map(isMembers(found) ? Object.entries(found).map(([key, value]) => [key, textOf(value)]) : []);
  }
}

/** The resources of a document; the items of a list are resources of their own. `source` names it in errors. */
export function resourcesOf(document: YamlValue, source: string): Resource[] {
  if (!isMembers(document)) throw new CtlError(`${source}: an object must be a mapping`);
  const kind = textAt(document, "kind");
  const items = at(document, "items");
  if (kind.endsWith("List") && Array.isArray(items)) return items.flatMap((item) => resourcesOf(item, source));
  checkNamed(document);
  return [new Resource(document)];
}

/** A patch may have removed the kind or the name that the resource began with. */
export function checkNamed(members: Members): void {
  const kind = textAt(members, "kind");
  const name = textAt(members, "metadata", "name");
  const shown = `${textAt(members, "apiVersion") || "an object"} ${kind}`.trim();
  if (kind === "") throw new CtlError(`missing kind in object ${shown} ${name}`.trim());
  if (name === "" && !kind.endsWith("List")) throw new CtlError(`missing metadata.name in object ${shown}`);
}

/** Labels or annotations as texts of their own, shared with no other place; none of them are absent ones. */
export function settleTexts(members: Members, field: "labels" | "annotations"): void {
  const metadata = at(members, "metadata");
  const texts = at(metadata, field);
  if (!isMembers(metadata) || texts === undefined) return;
  if (isNull(texts) || (isMembers(texts) && Object.keys(texts).length === 0)) delete metadata[field];
  else if (isMembers(texts)) {
    const own: Members = {};
    for (const key of Object.keys(texts)) put(own, key, textOf(texts[key]));
    put(metadata, field, own);
  }
}

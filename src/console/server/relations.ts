/** The owners of an object, up to the first, and its dependents, down to the last. */

import type { ResourceAddress } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath } from "../../client/requests/address.ts";
import { Dependents, ownerOf, referencesOf } from "../../operations/relations.ts";
import type { Connection } from "./connection.ts";
import { isJson, type Json, parts, text } from "./json.ts";

export interface Related {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Undefined: the server does not serve the kind. */
  readonly resource: ResourceAddress | undefined;
  /** Its owner cannot be gone before it, if that is deleted in the foreground. */
  readonly isBlocking: boolean;
  readonly isBeingDeleted: boolean;
  /** An owner that is named, but not there. */
  readonly isMissing: boolean;
  readonly finalizers: readonly string[];
  /** Owners are read whole. */
  readonly object?: Json | undefined;
  readonly children: readonly Related[];
}

interface Asked {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly signal: AbortSignal;
}

/** Longer chains are cut: they are circles, or too long to read. */
const ownersMax = 20;
/** More dependents are not shown. */
export const dependentsMax = 2_000;

const metadataListAs = ({ discovery }: Asked): string =>
  `application/json;as=PartialObjectMetadataList;v=v1;g=${discovery.vocabulary.group("meta.orch.io")}, application/json`;

/** The nearest first. Of an object with several owners, the one that controls it is followed. */
export async function ownersOf(asked: Asked, object: Json): Promise<Related[]> {
  const owners: Related[] = [];
  const namespace = text(object, "metadata", "namespace");
  let reference = ownerOf(object);
  while (reference !== undefined && owners.length < ownersMax) {
    const [name, uid] = [text(reference, "name"), text(reference, "uid")];
    if (owners.some((owner) => owner.uid === uid)) break;
    const resource = asked.discovery.byKind(text(reference, "apiVersion"), text(reference, "kind"));
    const ref = { name, namespace: resource?.namespaced ? namespace : "" };
    const found =
      resource === undefined
        ? undefined
        : await asked.connection.send.json(objectPath(resource, ref), { signal: asked.signal }).catch(() => undefined);
    const isThere = isJson(found) && text(found, "metadata", "uid") === uid;
    owners.push({
      ...(isThere ? relatedOf(found, resource) : { ...absent, uid, name, namespace: ref.namespace, resource }),
      kind: text(reference, "kind"),
      isMissing: !isThere,
      object: isThere ? found : undefined,
    });
    reference = isThere ? ownerOf(found) : undefined;
  }
  return owners;
}

const absent = { isBlocking: false, isBeingDeleted: false, finalizers: [], children: [] };

function relatedOf(object: Json, resource: ResourceAddress | undefined): Related {
  const finalizers = (isJson(object["metadata"]) ? object["metadata"]["finalizers"] : undefined) ?? [];
  return {
    ...absent,
    uid: text(object, "metadata", "uid"),
    kind: resource?.kind ?? text(object, "kind"),
    name: text(object, "metadata", "name"),
    namespace: text(object, "metadata", "namespace"),
    resource,
    isBeingDeleted: text(object, "metadata", "deletionTimestamp") !== "",
    isMissing: false,
    finalizers: Array.isArray(finalizers) ? finalizers.map(String) : [],
  };
}

/** How many kinds are read at once: a browser has six connections, and watches need some. */
const readsAtOnce = 3;

/** Reads the metadata of all kinds. Those that the user may not list are left out. */
export async function dependentsOf(asked: Asked, object: Json): Promise<readonly Related[]> {
  const namespace = text(object, "metadata", "namespace");
  const waiting = asked.discovery.preferred.filter(
    ({ verbs, namespaced, resource }) =>
      verbs.includes("list") && resource !== "events" && (namespace === "" || namespaced),
  );
  const dependents = new Dependents<{ readonly item: Json; readonly resource: ResourceAddress }>();
  const accept = metadataListAs(asked);
  const work = async () => {
    for (let resource = waiting.pop(); resource !== undefined; resource = waiting.pop()) {
      if (asked.signal.aborted) return;
      const path = collectionPath(resource, namespace);
      const list = await asked.connection.send.json(path, { accept, signal: asked.signal }).catch(() => undefined);
      for (const item of parts(list, "items")) dependents.add(item, { item, resource });
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, work));
  let left = dependentsMax;
  const treeOf = (uid: string, above: ReadonlySet<string>): readonly Related[] => {
    const found = dependents.of(uid).slice(0, left);
    left -= found.length;
    return found
      .map(({ item, resource }) => {
        const related = relatedOf(item, resource);
        const reference = referencesOf(item).find((owner) => text(owner, "uid") === uid);
        const isBlocking = reference?.["blockOwnerDeletion"] === true;
        const children = above.has(related.uid) ? [] : treeOf(related.uid, new Set([...above, related.uid]));
        return { ...related, isBlocking, children };
      })
      .sort((a, b) => `${a.kind}/${a.name}`.localeCompare(`${b.kind}/${b.name}`));
  };
  const own = text(object, "metadata", "uid");
  return treeOf(own, new Set([own]));
}

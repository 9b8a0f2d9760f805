/** The metadata that the server owns: it replaces what a client sends there, on create and on update. */

import { latestAnswer } from "../base/latest-answer.ts";
import { copyJson } from "../machinery/json/json-value.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { Compat } from "../machinery/schema/strategy.ts";
import { badRequest } from "../machinery/status/status.ts";
import type { ObjectRef } from "./contract/entry.ts";
import type { WriteContext } from "./contract/write-context.ts";

/** A generated name fits into a DNS label: this much of the prefix is kept, and this many characters follow. */
const generatedPrefixCharsMax = 58;
const suffixChars = 5;

/** Writes of one second share its text. */
const textOfSecond = latestAnswer(
  "the latest second",
  (second: number) => `${new Date(second * 1_000).toISOString().slice(0, 19)}Z`,
);

export const timestamp = (ms: number): string => textOfSecond(Math.floor(ms / 1_000));

/** A name in the body must equal the one in the path. */
export function checkNamespace(metadata: ObjectMeta, namespaced: boolean, namespace: string): void {
  if (namespaced && metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** The namespace of the path counts; one in the body must be equal. Cluster-wide objects have none. */
export function setNamespace(metadata: ObjectMeta, namespaced: boolean, namespace: string): void {
  checkNamespace(metadata, namespaced, namespace);
  if (namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
}

export function checkName(metadata: ObjectMeta, ref: ObjectRef): void {
  if (!metadata.name) throw badRequest("the object must have the name that the path has");
  if (metadata.name !== ref.name) {
    throw badRequest(
      `the name of the object (${metadata.name.slice(0, 253)}) does not match the name in the URL (${ref.name})`,
    );
  }
}

/** What a new object gets. A name is generated if it has none. */
export function beginMetadata(
  metadata: ObjectMeta,
  compat: Pick<Compat<never>, "nameForUnnamed">,
  environment: Environment,
): void {
  for (const field of ofLater) if (metadata[field] !== undefined) delete metadata[field];
  clearUnused(metadata);
  metadata.uid = environment.randomUid();
  metadata.creationTimestamp = timestamp(environment.clock.now());
  if (metadata.name) return;
  if (compat.nameForUnnamed !== undefined) metadata.name = compat.nameForUnnamed(environment);
  else if (metadata.generateName) {
    metadata.name = metadata.generateName.slice(0, generatedPrefixCharsMax) + environment.randomSuffix(suffixChars);
  }
}

export function dropDeletion(metadata: ObjectMeta): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/**
 * Fields that an update cannot change are copied from `old` if clients may omit them. Fields that they must not change
 * (uid, deletion) stay, so that validation reports them.
 */
export function carryMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  clearUnused(metadata);
  metadata.uid ||= old.uid ?? "";
  keep(metadata, old, "generation");
  keep(metadata, old, "creationTimestamp");
  keep(metadata, old, "resourceVersion");
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (!metadata.deletionTimestamp) delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds === undefined) keep(metadata, old, "deletionGracePeriodSeconds");
}

/** An owner that is named twice is one owner. */
export function dropRepeatedOwners(object: ApiObject, context: WriteContext): void {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return;
  // By a text of each: comparing each with each would block the event loop for as many owners as fit into an object.
  const seen = new Set<string>();
  const distinct = owners.filter((owner) => seen.size < seen.add(JSON.stringify(Object.entries(owner).sort())).size);
  if (distinct.length === owners.length) return;
  object.metadata.ownerReferences = distinct.map((owner) => copyJson(owner));
  context.warn("metadata.ownerReferences contains duplicate entries; the repeated ones have been dropped");
}

/** Rarely present; deleting an absent member costs as much as all other work on metadata. */
const ofLater = ["deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"] as const;
const unused = ["selfLink", "clusterName"] as const;

function clearUnused(metadata: ObjectMeta): void {
  for (const field of unused) if (metadata[field] !== undefined) delete metadata[field];
}

function keep<K extends keyof ObjectMeta>(metadata: ObjectMeta, old: ObjectMeta, field: K): void {
  const value = old[field];
  if (value !== undefined) metadata[field] = value;
  else if (metadata[field] !== undefined) delete metadata[field];
}

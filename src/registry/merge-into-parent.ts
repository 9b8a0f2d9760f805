/** A write through a subresource as a write of the object that the subresource belongs to. */

import type { Steps } from "../base/time-slice.ts";
import { parentManagers } from "../machinery/apply/through-scale.ts";
import { copyJson, deepFreeze } from "../machinery/json/json-value.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { copyObject } from "../machinery/schema/final-places.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Update } from "./update-steps.ts";

/** Turns a write through a path into the next parent. A path without its own rule writes metadata and status. */
export function mergeIntoParent(write: Update): void | Steps<void> {
  const { subresource, kind, object, oldRequested: parent } = write;
  if (subresource === undefined) return;
  if (subresource.ownsGiven) write.given = { ...object, metadata: { ...object.metadata } };
  if (subresource.merge !== undefined) {
    // The result of a path is the parent again, an object with metadata.
    write.object = copyJson(subresource.merge(deepFreeze(object), parent, kind.family.environment) as ApiObject);
    if (subresource.owned !== undefined)
      write.given = copyJson(subresource.owned(write.object, kind.family.environment) as ApiObject);
    if (write.isTracked && write.accepted !== undefined) takeManagers(write, object.metadata.managedFields);
    return;
  }
  if (kind.declaration.toHub !== undefined) return mergeInHub(write);
  write.object = write.sharesMembers ? withStatus(parent, object) : mergeStatus(kind, object, parent);
}

/** Since 1.22 an apply of a Scale owns what it shows of the object. */
function takeManagers(
  { kind, path, object, oldRequested }: Update,
  ofAccepted: ApiObject["metadata"]["managedFields"],
): void {
  if (!kind.family.environment.has("ownersOfSubresources")) return;
  const managedFields = parentManagers(kind, path, oldRequested.metadata.managedFields, ofAccepted);
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = [...managedFields];
}

/** A version may keep in metadata what the hub has elsewhere, so both are merged in the hub version. */
function* mergeInHub(write: Update): Steps<void> {
  const { kind, object, old } = write;
  const written = kind.toHub(object);
  yield;
  // A version with its own fields is decoded again, and so copied.
  const isCopied = kind.declared.schema.fields !== kind.hub.declared.schema.fields;
  const merged = isCopied ? withStatus(old, written) : mergeStatus(kind.hub, written, old);
  yield;
  write.object = kind.fromHub(merged);
}

const mergeStatus = ({ schema }: BoundKind, written: ApiObject, parent: ApiObject): ApiObject =>
  copyObject(schema, withStatus(parent, written));

function withStatus(parent: ApiObject, written: ApiObject): ApiObject {
  const merged: ApiObject = { ...parent, metadata: written.metadata };
  if (written["status"] === undefined) delete merged["status"];
  else merged["status"] = written["status"];
  return merged;
}

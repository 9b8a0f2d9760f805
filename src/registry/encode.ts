/** An object as it will be stored: its bytes, and what selectors read. */

import { keyBytesMax, valueBytesMax } from "../kv/contract.ts";
import { bodyBytesMax, nestingMax } from "../machinery/json/json-gate.ts";
import { jsonBytes } from "../machinery/json/json-size.ts";
import type { Printed } from "../machinery/json/printed-spec.ts";
import type { BoundKind, Family } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { invalid } from "../machinery/status/field-error.ts";
import { invalidObject, tooLarge } from "../machinery/status/status.ts";
import type { SelectableAttributes } from "./cache/entry.ts";
import { type Layout, layoutOf } from "./cache/layout.ts";
import type { ObjectRef } from "./contract/entry.ts";
import { isStorable } from "./keys.ts";
import { kindOf } from "./subjects.ts";

/** Later changes of the object itself have no effect on it. */
export interface EncodedObject {
  readonly version: BoundKind;
  readonly value: Buffer;
  readonly attributes: SelectableAttributes;
}

/**
 * `object` is of `version`, in which it will be stored, and `hub` the same in the hub version; if they differ, `object` is changed. `printed`:
 * how one of its members is printed, if that is known.
 */
export function encodeObject(version: BoundKind, object: ApiObject, hub: ApiObject, printed?: Printed): EncodedObject {
  if (object !== hub) version.family.conversion.fillStored?.(object);
  // One version may repeat for each of thousands of parts what another version says once.
  if (object !== hub) checkEncodedSize(object);
  const layout = layoutOf(version);
  // A custom object is selected by what is stored, whichever version it was written in.
  const selected = version === version.family.hub ? object : hub;
  return { version, value: encodeValue(layout, object, printed), attributes: layout.attributes(selected) };
}

/** An object that is too large only because of its managed fields is stored without them, as in the reference. */
function encodeValue(layout: Layout, object: ApiObject, printed: Printed | undefined): Buffer {
  const value = layout.encode(object, printed);
  if (value.byteLength <= valueBytesMax || object.metadata.managedFields === undefined) return value;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return layout.encode({ ...object, metadata });
}

/**
 * Refuses a large object that has become even larger than any body while it was filled in: a few bytes of an empty item
 * can become hundreds. It could never be stored, and validating and printing it would take seconds.
 */
export function checkEncodedSize(object: ApiObject): void {
  if (jsonBytes(object, bodyBytesMax, nestingMax) > bodyBytesMax)
    throw tooLarge("etcdserver: request is too large: the object is too large to be stored");
}

/** A name can be valid for its kind and still make a key that no store accepts. */
export function checkReference(family: Family, ref: ObjectRef): void {
  if (isStorable(family, ref)) return;
  throw invalidObject(kindOf(family), ref.name.slice(0, keyBytesMax), [
    invalid("metadata.name", ref.name, "must be well-formed Unicode text within the size limit"),
  ]);
}

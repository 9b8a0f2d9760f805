/** The forms of a kept object. Its stored JSON is there already; others are made when asked for and remembered. */

import { encodeEnvelope } from "../../machinery/codec/envelope.ts";
import { encodeJson } from "../../machinery/codec/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { convertNow } from "../../machinery/schema/convert.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Entry } from "../../registry/contract/entry.ts";

interface Names {
  readonly json: string;
  readonly protobuf: string;
  /** How long `{"kind":…,"apiVersion":…,` is, which items of a list leave out. */
  readonly itemOffset: number;
}

const names = new WeakMap<BoundKind, Names>();

function namesOf(kind: BoundKind): Names {
  let found = names.get(kind);
  if (found === undefined) {
    const head = `{"kind":${JSON.stringify(kind.kind)},"apiVersion":${JSON.stringify(kind.apiVersion)},`;
    found = {
      json: `json ${kind.apiVersion}`,
      protobuf: `protobuf ${kind.apiVersion}`,
      itemOffset: Buffer.byteLength(head),
    };
    names.set(kind, found);
  }
  return found;
}

/** A definition may have changed since the request began: then the kind is another one of the same name. */
function current(entry: Entry, kind: BoundKind): BoundKind {
  if (kind.family === entry.family) return kind;
  return entry.family.versions.find(({ apiVersion }) => apiVersion === kind.apiVersion) ?? kind;
}

/** The object in the version of `kind`. */
export function objectOf(entry: Entry, kind: BoundKind): ApiObject {
  const { version } = entry;
  const wanted = current(entry, kind);
  return version === wanted ? entry.object() : convertNow(entry.object(), version, wanted);
}

/** JSON of the object, `kind` and `apiVersion` first. */
export function jsonOf(entry: Entry, kind: BoundKind): Buffer {
  if (entry.version === current(entry, kind)) return entry.bytes;
  return entry.form(namesOf(kind).json, () => Buffer.from(encodeJson(objectOf(entry, kind))));
}

/** Where the members after kind and apiVersion begin in `jsonOf`. */
export function itemOffsetOf(kind: BoundKind): number {
  return namesOf(kind).itemOffset;
}

/** An object of the version of `kind` as a protobuf message; negotiation offers that only where the kind has one. */
export function messageIn({ codec, kind }: BoundKind, object: ApiObject): Buffer {
  if (codec.protobuf === undefined) throw new Error(`${kind} has no protobuf form`);
  return codec.protobuf.encode(object);
}

/** The protobuf message of the object, without its envelope. */
export function messageOf(entry: Entry, kind: BoundKind): Buffer {
  return entry.form(namesOf(kind).protobuf, () => messageIn(kind, objectOf(entry, kind)));
}

export function envelopeOf(entry: Entry, kind: BoundKind): Buffer {
  return encodeEnvelope(kind.apiVersion, kind.kind, messageOf(entry, kind));
}

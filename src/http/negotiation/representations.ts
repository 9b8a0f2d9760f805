/** The encoded representations of stored objects in one version. The stored one exists already; others are made on demand and cached. */

import type { Steps } from "../../base/time-slice.ts";
import { encodeEnvelope } from "../../machinery/codec/envelope.ts";
import { decodeStoredText, encodeJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ProtobufForm } from "../../machinery/schema/codec.ts";
import { convertAll, convertInSteps, convertNow, versionIn } from "../../machinery/schema/convert.ts";
import { printInPieces } from "../../machinery/schema/final-places.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { internalFailure } from "../../machinery/status/status.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { hasSelfLinks, withSelfLink } from "./self-links.ts";

export interface Representations {
  readonly kind: BoundKind;
  /** The length of `{"apiVersion":…,"kind":…,` in `json`, which items of a list omit. */
  readonly itemOffset: number;
  /** Whether objects show their path, so that the stored bytes are never sent unchanged. */
  readonly hasSelfLinks: boolean;
  object(entry: Entry): ApiObject;
  /** The same of an entry that may be large. */
  objectInSteps(entry: Entry): Steps<ApiObject>;
  /** JSON of the object, `kind` and `apiVersion` first. */
  json(entry: Entry): Buffer;
  jsonInSteps(entry: Entry): Steps<Buffer>;
  /** The same as it is sent: the entry itself if these are its bytes. */
  content(entry: Entry): Buffer | Entry;
  /** The same between two texts. */
  jsonBetween(entry: Entry, before: Buffer, after: Buffer): Buffer;
  /** The protobuf message of the object, without its envelope. */
  message(entry: Entry): Buffer;
  messageInSteps(entry: Entry): Steps<Buffer>;
}

/**
 * The representations of `entries` in the version of `kind`. If conversion is synchronous, the result is available at once and objects are
 * converted one by one on demand; otherwise it is available when all objects have been converted in one batch. `subresource` is the one
 * that they are shown through; "": none.
 */
export function representationsOf(
  kind: BoundKind,
  entries: readonly Entry[],
  subresource = "",
): Representations | Promise<Representations> {
  const { isImmediate } = kind.family.conversion;
  const plain =
    isImmediate || entries.every((entry) => entry.version === current(entry, kind))
      ? immediateRepresentations(kind)
      : convertedRepresentations(kind, entries);
  if (!hasSelfLinks(kind.family)) return plain;
  return plain instanceof Promise
    ? plain.then((made) => linkedRepresentations(made, subresource))
    : linkedRepresentations(plain, subresource);
}

function linkedRepresentations({ kind, object, objectInSteps }: Representations, subresource: string): Representations {
  const linked = (entry: Entry) => withSelfLink(object(entry), kind, entry, subresource);
  const form = ` with selfLink ${subresource}`;
  const make = (entry: Entry) => printed(kind, linked(entry));
  const json = (entry: Entry) => entry.representation(nameOfJson(kind) + form, make);
  function* linkedInSteps(entry: Entry): Steps<ApiObject> {
    return withSelfLink(yield* objectInSteps(entry), kind, entry, subresource);
  }
  return createRepresentations(kind, linked, json, { form, objectInSteps: linkedInSteps });
}

const known = new WeakMap<BoundKind, Representations>();

function immediateRepresentations(kind: BoundKind): Representations {
  let representations = known.get(kind);
  if (representations === undefined) {
    const object = (entry: Entry) => {
      const { version } = entry;
      const wanted = current(entry, kind);
      return version === wanted ? entry.object() : convertNow(entry.object(), version, wanted);
    };
    const jsonName = nameOfJson(kind);
    const make = (entry: Entry) => printed(kind, object(entry));
    const content = (entry: Entry) =>
      entry.version === current(entry, kind) ? entry : entry.representation(jsonName, make);
    const json = (entry: Entry) => {
      const found = content(entry);
      return found instanceof Uint8Array ? found : found.bytes;
    };
    const jsonBetween = (entry: Entry, before: Buffer, after: Buffer) => {
      const found = content(entry);
      return found instanceof Uint8Array ? Buffer.concat([before, found, after]) : storedBetween(found, before, after);
    };
    const objectInSteps = (entry: Entry) => loadedAs(entry, kind);
    function* jsonInSteps(entry: Entry): Steps<Buffer> {
      if (entry.version === current(entry, kind)) return entry.bytes;
      const known = entry.remembered<Buffer>(jsonName);
      if (known !== undefined) return known;
      const shown = yield* loadedAs(entry, kind);
      yield;
      const made = printed(kind, shown);
      return entry.representation(jsonName, () => made);
    }
    representations = createRepresentations(kind, object, json, { content, jsonBetween, objectInSteps, jsonInSteps });
    known.set(kind, representations);
  }
  return representations;
}

function* loadedAs(entry: Entry, kind: BoundKind): Steps<ApiObject> {
  const { version } = entry;
  const wanted = current(entry, kind);
  const stored = yield* entry.load();
  if (version === wanted) return stored;
  yield;
  return yield* convertInSteps(stored, version, wanted);
}

/** Copied once, straight from what the cache holds. */
function storedBetween(entry: Entry, before: Buffer, after: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(before.length + entry.length + after.length);
  bytes.set(before, 0);
  bytes.set(after, entry.copyTo(bytes, before.length, 0));
  return bytes;
}

function printed({ schema }: BoundKind, object: ApiObject): Buffer {
  const [first = "", ...others] = printInPieces(schema, object);
  return others.length === 0
    ? Buffer.from(first)
    : Buffer.concat([first, ...others].map((piece) => Buffer.from(piece)));
}

/** A definition may have changed since the request began: then `kind` is a different kind with the same name. */
const current = (entry: Entry, kind: BoundKind): BoundKind => versionIn(entry.family, kind);

/** Held here until they have been sent. */
async function convertedRepresentations(kind: BoundKind, entries: readonly Entry[]): Promise<Representations> {
  const bytes = new Map<Entry, Buffer>();
  const pending = convertMissing(kind, entries);
  for (const entry of entries) {
    const found = entry.version === current(entry, kind) ? entry.bytes : pending.get(entry);
    bytes.set(entry, found instanceof Promise ? await found : (found ?? fail(entry)));
  }
  const json = (entry: Entry): Buffer => bytes.get(entry) ?? fail(entry);
  // The JSON of an object parses as an object.
  return createRepresentations(kind, (entry) => decodeStoredText(json(entry).toString()) as ApiObject, json);
}

function fail({ name }: Entry): never {
  throw new Error(`${name} was not converted`);
}

/** Conversions in progress, by the name of the representation: requests for the same one wait for the same conversion. */
const underWay = new WeakMap<Entry, Map<string, Promise<Buffer>>>();

/** Converts the entries of each version in one batch, and caches the results beside the entries. */
function convertMissing(kind: BoundKind, entries: readonly Entry[]): Map<Entry, Buffer | Promise<Buffer>> {
  const name = nameOfJson(kind);
  const all = new Map<Entry, Buffer | Promise<Buffer>>();
  const missing = new Map<BoundKind, Entry[]>();
  for (const entry of entries) {
    if (entry.version === current(entry, kind)) continue;
    const found = entry.remembered<Buffer>(name) ?? underWay.get(entry)?.get(name);
    if (found !== undefined) all.set(entry, found);
    else missing.set(entry.version, [...(missing.get(entry.version) ?? []), entry]);
  }
  for (const [version, some] of missing) {
    const converting = convertBatch(some, version, current(some[0]!, kind));
    for (const [at, entry] of some.entries()) {
      const representations = underWay.get(entry) ?? new Map<string, Promise<Buffer>>();
      const made = converting
        .then((objects) => entry.representation(name, () => Buffer.from(encodeJson(objects[at]))))
        .finally(() => representations.delete(name));
      made.catch(() => undefined); // those who wait for it get the error; the first failure is enough for them
      underWay.set(entry, representations.set(name, made));
      all.set(entry, made);
    }
  }
  return all;
}

async function convertBatch(entries: readonly Entry[], from: BoundKind, to: BoundKind): Promise<readonly ApiObject[]> {
  const given = entries.map((entry) => entry.object());
  const objects = await convertAll(given, from, to);
  if (objects.length !== given.length) throw internalFailure("a conversion gives as many objects as it gets");
  return objects;
}

const nameOfJson = (kind: BoundKind): string => `json ${kind.apiVersion}`;

function createRepresentations(
  kind: BoundKind,
  object: Representations["object"],
  json: Representations["json"],
  {
    form = "",
    content = json,
    objectInSteps = atOnce(object),
    jsonInSteps = atOnce(json),
    jsonBetween = (entry, before, after) => Buffer.concat([before, json(entry), after]),
  }: {
    /** What distinguishes these representations from others of the same version; "": nothing. */
    readonly form?: string;
    readonly content?: Representations["content"];
    readonly objectInSteps?: Representations["objectInSteps"];
    readonly jsonInSteps?: Representations["jsonInSteps"];
    readonly jsonBetween?: Representations["jsonBetween"];
  } = {},
): Representations {
  const head = `{"apiVersion":${JSON.stringify(kind.apiVersion)},"kind":${JSON.stringify(kind.kind)},`;
  const messageName = `protobuf ${kind.apiVersion}${form}`;
  const make = (entry: Entry) => messageIn(kind, object(entry));
  return {
    kind,
    itemOffset: Buffer.byteLength(head),
    hasSelfLinks: form !== "",
    object,
    objectInSteps,
    json,
    jsonInSteps,
    content,
    jsonBetween,
    message: (entry) => entry.representation(messageName, make),
    *messageInSteps(entry) {
      const known = entry.remembered<Buffer>(messageName);
      if (known !== undefined) return known;
      const made = yield* formOf(kind).encodeInSteps(yield* objectInSteps(entry));
      return entry.representation(messageName, () => made);
    },
  };
}

/** What is there already, or short. */
function atOnce<T>(make: (entry: Entry) => T): (entry: Entry) => Steps<T> {
  // biome-ignore lint/correctness/useYield: one step
  return function* (entry) {
    return make(entry);
  };
}

/** An object of the version of `kind` as a protobuf message; negotiation offers that only where the kind has one. */
export const messageIn = (kind: BoundKind, object: ApiObject): Buffer => formOf(kind).encode(object);

function formOf({ codec, kind }: BoundKind): ProtobufForm {
  if (codec.protobuf === undefined) throw new Error(`${kind} has no protobuf form`);
  return codec.protobuf;
}

export function envelopeOf(representations: Representations, entry: Entry): Buffer {
  return encodeEnvelope(representations.kind.apiVersion, representations.kind.kind, representations.message(entry));
}

/** Decodes the bytes of a body into an object of the kind that the path is for. */

import { inTimeSlices, run, type TimeSlice, timeSliceFor } from "../../base/time-slice.ts";
import { decodeEnvelope } from "../../machinery/codec/envelope.ts";
import { decodeYamlAsync } from "../../machinery/codec/yaml.ts";
import { decodeJsonAsync, type ReadJson, readJson } from "../../machinery/json/json.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { Encoding } from "../negotiation/media.ts";
import { checkSaid, shortText } from "./builtin-type.ts";
import { requestConventionsOf } from "./conventions.ts";

/** 3.0 is not an integer, so the notation of numbers is kept until the schema has read them. */
const typedNumbers = { keepNumberForm: true };

export async function decodeBody(kind: BoundKind, encoding: Encoding, bytes: Buffer): Promise<ApiObject> {
  return (await decodeRead(kind, encoding, bytes)).object;
}

interface DecodedBody {
  readonly object: ApiObject;
  /** What the object was made of. Undefined: the body is large, or not JSON. */
  readonly read: ReadJson | undefined;
}

/** The same, with what was read of the body. */
export async function decodeRead(kind: BoundKind, encoding: Encoding, bytes: Buffer): Promise<DecodedBody> {
  // Empty YAML is a null, and so an object without members.
  if (bytes.length === 0 && encoding !== "yaml") throw badRequest("the request has no body");
  const preparing = kind.codec.prepare?.();
  if (preparing !== undefined) await inTimeSlices(preparing);
  const slice = timeSliceFor(bytes.length);
  // The common case: a small JSON body is decoded without waiting.
  if (slice === undefined && encoding === "json") {
    const read = readJson(bytes, typedNumbers);
    return { object: kind.codec.decode(ofKind(kind, read.value)), read };
  }
  const value = await readValue(kind, encoding, bytes, slice);
  if (slice?.isLong) await slice.next();
  const object = slice === undefined ? kind.codec.decode(value) : await decodeLarge(kind, value, slice);
  if (slice?.isLong) await slice.next();
  return { object, read: undefined };
}

/** Decodes a value that may take several time slices. */
function decodeLarge({ codec }: BoundKind, value: unknown, slice: TimeSlice): ApiObject | Promise<ApiObject> {
  return codec.decodeInSteps === undefined ? codec.decode(value) : run(codec.decodeInSteps(value), slice);
}

async function readValue(
  kind: BoundKind,
  encoding: Encoding,
  bytes: Buffer,
  slice: TimeSlice | undefined,
): Promise<unknown> {
  const { protobuf } = kind.codec;
  if (encoding === "protobuf") {
    if (protobuf === undefined) throw badRequest(`${kind.kind} has no protobuf form`);
    const { apiVersion, kind: name, raw } = decodeEnvelope(bytes);
    checkSaid(kind, { apiVersion, kind: name });
    return run(protobuf.decodeInSteps(raw), slice);
  }
  return ofKind(kind, await (encoding === "yaml" ? decodeYamlAsync(bytes) : decodeJsonAsync(bytes, typedNumbers)));
}

function ofKind(kind: BoundKind, value: unknown): object {
  const given = value ?? {};
  if (typeof given !== "object" || Array.isArray(given)) throw badRequest("the body must be an object");
  checkTypeOf(kind, given);
  return given;
}

/** Throws if a body says that it is of another type than the path is for. */
export function checkTypeOf(kind: BoundKind, value: object): void {
  requestConventionsOf(kind).checkBody(kind, value as Readonly<Record<string, unknown>>); // not a list
}

/** The name and namespace of a body that replaces an object must be those of the path. Throws 400. */
export function checkName(object: ApiObject, ref: { readonly namespace: string; readonly name: string }): void {
  const { name = "", namespace = "" } = object.metadata;
  if (name !== ref.name) {
    throw badRequest(`the name of the object (${shortText(name)}) does not match the name on the URL (${ref.name})`);
  }
  if (ref.namespace !== "" && namespace !== "" && namespace !== ref.namespace) {
    throw badRequest(
      `the namespace of the object (${shortText(namespace)}) does not match the namespace on the URL (${ref.namespace})`,
    );
  }
}

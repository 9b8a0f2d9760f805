/** How one version of a kind reads and checks values: by its declaration, or by the JSON schema of a custom kind. */

import type { Steps } from "../../base/time-slice.ts";
import type { FieldErrors } from "../status/field-error.ts";
import type { ApiObject } from "./kind.ts";
import type { StructSchema } from "./schema.ts";
import type { StrictMembers } from "./strict-fields.ts";

export interface Codec {
  /**
   * The object of a JSON value, whatever kind and apiVersion it names: unknown fields dropped, values in their canonical
   * form, keys in the order kind, apiVersion, metadata, then the rest. Decoding the result again gives the same. Throws a
   * badRequest that names the path. The value is not changed.
   */
  decode(value: unknown): ApiObject;
  /**
   * Decodes in steps a value that may be large. Members that it has of `known`, a decoded object, need not be decoded again, and
   * may be those of the result. Absent: decoding is never long.
   */
  decodeInSteps?(value: unknown, known?: ApiObject): Steps<ApiObject>;
  /** What the first decoding needs and takes a while to make, in steps. Undefined: it is there. */
  prepare?(): Steps<void> | undefined;
  /** The object that an apply made, whose parts have been checked one by one. Absent: it is decoded. */
  adopt?(object: ApiObject): ApiObject;
  /**
   * Fills in fields that a client omitted. In place; `object` has been decoded. Idempotent. Members that it has of `known`, which has its
   * defaults, stay as they are.
   */
  applyDefaults(object: ApiObject, known?: ApiObject): void;
  /** As `applyDefaults`, of an object that may be large. Absent: that is never long. */
  applyDefaultsInSteps?(object: ApiObject): Steps<void>;
  /**
   * Updates an object that was stored under an earlier schema to the present schema, with its defaults. In place;
   * returns whether anything changed. Absent: the schema never changes. Throws DefaultsTooLarge if the defaults would add more
   * than `addedBytesMax` or make the object too large to be stored; everything else is updated then.
   */
  refresh?(object: ApiObject, addedBytesMax: number): boolean;
  /**
   * The problems that the schema of a custom kind finds; those of the kind's strategy are added. The object is not changed.
   * Absent: the strategy checks the rules of declared fields (kind-rules.ts).
   */
  check?(object: ApiObject): Steps<FieldErrors>;
  /**
   * Whether the values of a decoded object have the types that the schema says. Absent: they always have, since the schema
   * does not change or objects that it does not fit cannot be written.
   */
  fits?(object: ApiObject): Steps<boolean>;
  /** How apply and managed fields see the fields of the object: what is owned on its own, and what as a whole. */
  readonly topology: StructSchema;
  /** What strict validation takes for known. Absent: what the topology declares. */
  readonly known?: StrictMembers | undefined;
  /** Undefined: the kind is served as JSON and YAML only. */
  readonly protobuf: ProtobufForm | undefined;
  /** Applies a strategic merge patch to an object and returns the result, not decoded. Undefined: the kind does not support it. */
  readonly mergeStrategically: ((current: ApiObject, patch: unknown) => unknown) | undefined;
}

/** Messages without their envelope. */
export interface ProtobufForm {
  encode(object: Readonly<Record<string, unknown>>): Buffer;
  encodeInSteps(object: Readonly<Record<string, unknown>>): Steps<Buffer>;
  /** Returns a JSON value, not decoded. */
  decode(message: Uint8Array): unknown;
  decodeInSteps(message: Uint8Array): Steps<unknown>;
}

/** The codec of a kind that is declared in `src/api`: everything follows from its schema. */

import { decodeProtobuf, encodeProtobuf } from "../codec/protobuf.ts";
import { decodeProtobufSteps, encodeProtobufSteps } from "../codec/protobuf-steps.ts";
import { applyStrategicMerge, strategicDialect } from "../patch/strategic-merge.ts";
import type { BoundKind } from "../schema/catalog.ts";
import type { Codec } from "../schema/codec.ts";
import { decodeKind } from "../schema/decode-kind.ts";
import { defaultKind } from "../schema/default-kind.ts";
import { decodeFinals } from "../schema/final-places.ts";

export function declaredCodec(kind: BoundKind): Codec {
  const { schema, family } = kind;
  const dialect = strategicDialect(family.environment);
  return {
    decode: (value) => decodeKind(kind, value),
    *decodeInSteps(value, known) {
      const ready = yield* decodeFinals(schema, value);
      yield;
      return decodeKind(kind, ready, known);
    },
    applyDefaults: (object, known) => defaultKind(kind, object, known),
    topology: schema,
    protobuf: {
      encode: (object) => encodeProtobuf(schema, object),
      decode: (message) => decodeProtobuf(schema, message),
      encodeInSteps: (object) => encodeProtobufSteps(schema, object),
      decodeInSteps: (message) => decodeProtobufSteps(schema, message),
    },
    mergeStrategically: (current, patch) => applyStrategicMerge(schema, current, patch, dialect),
  };
}

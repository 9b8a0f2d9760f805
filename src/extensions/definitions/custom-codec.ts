/** The codec of a custom kind, from its JSON schema. */

import { Pace, type Steps } from "../../base/time-slice.ts";
import { copyInSteps, copyJson, getOwn, isObject, type JsonObject, setOwn } from "../../machinery/json/json-value.ts";
import { coerce, coerceInSteps } from "../../machinery/json-schema/coerce.ts";
import { coerceResources, mismatchIn } from "../../machinery/json-schema/embedded.ts";
import { fitsInSteps } from "../../machinery/json-schema/fits.ts";
import { knownMembersOf } from "../../machinery/json-schema/known-members.ts";
import type { SchemaPlan } from "../../machinery/json-schema/plan.ts";
import { topologyOf } from "../../machinery/json-schema/topology.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Codec } from "../../machinery/schema/codec.ts";
import { decodeObject } from "../../machinery/schema/decode.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { metadataOf } from "../../machinery/schema/kind-level.ts";
import type { ObjectMeta } from "../../machinery/schema/object-meta.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { noErrors } from "../../machinery/status/field-error.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { DefinedVersion } from "./definition.ts";

const pruning = { prunes: true, defaults: false, isResource: true };
const defaulting = { prunes: false, defaults: true, isResource: true };

/** The strategy of the kind validates objects, since a write of the status is validated against the schema of the status only. */
export function createCustomCodec(kind: BoundKind, version: DefinedVersion): Codec {
  let topology: StructSchema | undefined;
  return {
    decode(value) {
      const object = decodeRoot(kind, value);
      const plan = version.structuralPlan;
      if (plan === undefined) return object;
      if (version.prunes) coerce(object, plan, pruning);
      return settleResources(object, plan);
    },
    *decodeInSteps(value) {
      const object = yield* decodeRootInSteps(kind, value);
      const plan = version.structuralPlan;
      if (plan === undefined) return object;
      if (version.prunes) yield* coerceInSteps(object, plan, pruning);
      yield;
      return settleResources(object, plan);
    },
    prepare: () => version.prepare(),
    // An applied null is a value, and is refused if the schema does not allow null.
    adopt: (object) => withoutEmptyTime(decodeRoot(kind, object)),
    applyDefaults(object) {
      const plan = version.structuralPlan;
      if (plan !== undefined) coerce(object, plan, defaulting);
    },
    *applyDefaultsInSteps(object) {
      const plan = version.structuralPlan;
      if (plan !== undefined) yield* coerceInSteps(object, plan, defaulting);
    },
    refresh(object, addedBytesMax) {
      const plan = version.structuralPlan;
      if (plan === undefined) return false;
      return coerce(object, plan, { prunes: version.prunes, defaults: true, isResource: true, addedBytesMax });
    },
    ...(kind.family.environment.has("ratcheting") ? { fits: (object) => fitsVersion(version, object) } : {}),
    // biome-ignore lint/correctness/useYield: there is nothing to check
    *check() {
      return noErrors;
    },
    get topology() {
      topology ??= topologyOf(version.structuralPlan, {
        name: kind.schema.name,
        metadata: metadataOf(kind),
        description: version.description,
        keepsUnknown: !version.prunes,
        deducesPreserved: kind.family.environment.has("deducedFields"),
      });
      return topology;
    },
    get known() {
      const { structuralPlan: plan, prunes } = version;
      return plan && knownMembersOf(plan, { metadata: metadataOf(kind), prunes });
    },
    protobuf: undefined,
    mergeStrategically: undefined,
  };
}

function* fitsVersion({ structuralPlan: plan }: DefinedVersion, { metadata: _, ...object }: ApiObject): Steps<boolean> {
  return plan === undefined || (yield* fitsInSteps(plan, object));
}

/** Whole objects within a decoded object, in their canonical form. In place. */
function settleResources(object: ApiObject, plan: SchemaPlan): ApiObject {
  const mismatch = mismatchIn(object, { plan, isResource: false });
  if (mismatch !== undefined) throw badRequest(`${mismatch.field}: ${mismatch.message}`);
  coerceResources(object, { plan, isResource: false });
  return object;
}

/** A copy with kind and apiVersion first, and with metadata as every object has it. */
function decodeRoot(kind: BoundKind, value: unknown): ApiObject {
  if (!isObject(value)) throw badRequest("the body must be an object");
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = value;
  const object: ApiObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: decodeMetadata(kind, metadata) };
  const members: JsonObject = object;
  for (const [name, member] of Object.entries(rest)) setOwn(members, name, copyJson(member));
  return object;
}

/** As `decodeRoot`, of a value that may be large. */
function* decodeRootInSteps(kind: BoundKind, value: unknown): Steps<ApiObject> {
  if (!isObject(value)) throw badRequest("the body must be an object");
  const metadata = decodeMetadata(kind, getOwn(value, "metadata"));
  const object: ApiObject = { apiVersion: kind.apiVersion, kind: kind.kind, metadata };
  const members: JsonObject = object;
  const pace = new Pace();
  for (const name in value) {
    if (pace.isDue) yield;
    if (!Object.hasOwn(object, name)) setOwn(members, name, yield* copyInSteps(value[name], pace));
  }
  return object;
}

/** Up to 1.33 the codec shows the time of creation as null until it is known, as built-in kinds do: mutating webhooks see that. */
function decodeMetadata(kind: BoundKind, value: unknown): ObjectMeta {
  return value === undefined || value === null ? {} : (decodeObject(metadataOf(kind), value) as ObjectMeta);
}

/** What an apply makes has not been decoded, so it does not show the time. */
function withoutEmptyTime(object: ApiObject): ApiObject {
  const { creationTimestamp, ...metadata } = object.metadata;
  return creationTimestamp ? object : { ...object, metadata };
}

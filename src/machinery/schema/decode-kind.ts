/** Decodes JSON into an object of a kind, in the form the server keeps in memory. */

import { copyJson, getOwn, isObject } from "../json/json-value.ts";
import { isSmall } from "../json/parts.ts";
import { StatusError } from "../status/status.ts";
import type { BoundKind } from "./catalog.ts";
import { decodeInto } from "./decode.ts";
import { rememberEmptied } from "./emptied.ts";
import type { ApiObject } from "./kind.ts";

/**
 * Reads `value` as an object of `kind`, whatever kind and apiVersion it names. Keys are in the order kind, apiVersion,
 * metadata, then as declared; reading the result again gives the same. `known` is an object of the kind that has been decoded:
 * members that `value` has of it, as a patch leaves most of them, are those of the result. Its metadata are copied.
 */
export function decodeKind(kind: BoundKind, value: unknown, known?: ApiObject): ApiObject {
  try {
    const type = { apiVersion: kind.apiVersion, kind: kind.kind };
    const ready = known === undefined ? undefined : membersOf(kind, value, known);
    // Every declared kind has metadata first, and decoding adds it even if it is absent.
    const object = decodeInto(type, kind.schema, value, ready) as ApiObject;
    if (kind.strategy.generation === "literal" || kind.compat.tellsEmpty) rememberEmptied(object, kind.schema, value);
    return object;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const whole = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
    throw new StatusError(error.reason, `${whole}: ${error.message}`, { cause: error });
  }
}

/** The members that both have, by name. Large ones are decoded, which counts what is in them. */
function membersOf({ schema }: BoundKind, value: unknown, known: ApiObject): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  if (!isObject(value)) return members;
  for (const name of schema.fields.keys()) {
    const member = getOwn(value, name);
    if (!isObject(member) || member !== known[name] || !isSmall(member)) continue;
    members.set(name, name === "metadata" ? copyJson(member) : member);
  }
  return members;
}

/** Decodes JSON into an object of a kind, in the form the server keeps in memory. */

import { StatusError } from "../status/status.ts";
import type { BoundKind } from "./catalog.ts";
import { decodeInto } from "./decode.ts";
import { rememberEmptied } from "./emptied.ts";
import type { ApiObject } from "./kind.ts";

/**
 * Reads `value` as an object of `kind`, whatever kind and apiVersion it names. Keys are in the order kind, apiVersion,
 * metadata, then as declared; reading the result again gives the same.
 */
export function decodeKind(kind: BoundKind, value: unknown): ApiObject {
  try {
    // Every declared kind has metadata first, and decoding adds it even if it is absent.
    const object = decodeInto({ apiVersion: kind.apiVersion, kind: kind.kind }, kind.schema, value) as ApiObject;
    if (kind.strategy.generation === "literal" || kind.compat.tellsEmpty) rememberEmptied(object, kind.schema, value);
    return object;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const whole = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
    throw new StatusError(error.reason, `${whole}: ${error.message}`, { cause: error });
  }
}

/** Checks the apiVersion and kind of a body or patch of a built-in kind: they may be absent, but must not have other values. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { badRequest, type StatusError } from "../../machinery/status/status.ts";

type Value = Readonly<Record<string, unknown>>;

/** Keys in another letter case count too. */
export function checkBuiltinBody(kind: BoundKind, value: Value): void {
  // The kind first: a body of another kind has another version as well, and the kind says more.
  for (const key in value)
    if (key.length === "kind".length && key.toLowerCase() === "kind") checkSaid(kind, { kind: value[key] });
  for (const key in value)
    if (key.length === "apiVersion".length && key.toLowerCase() === "apiversion")
      checkSaid(kind, { apiVersion: value[key] });
}

/** Checks what a body says about its type. */
export function checkSaid(kind: BoundKind, said: { readonly apiVersion?: unknown; readonly kind?: unknown }): void {
  if (differs(said.kind, kind.kind)) throw otherType(kind, `kind ${shortText(said.kind)}`);
  if (differs(said.apiVersion, kind.apiVersion) && !isAlsoRead(kind, said.apiVersion)) {
    const given = shortText(said.apiVersion);
    throw badRequest(
      `the API version in the data (${given}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
}

/** Clients may still write an older version that the server no longer serves. */
const isAlsoRead = ({ group, declaration }: BoundKind, apiVersion: unknown): boolean =>
  declaration.alsoReads?.some((version) => apiVersion === `${group}/${version}`) === true;

/** A strategic merge follows the schema; the other patch types could change the apiVersion or kind. */
export function builtinPatchProblem(kind: BoundKind, result: Value): string | undefined {
  const changed = (given: unknown, expected: string) => given !== undefined && given !== "" && given !== expected;
  const isOther = changed(result["apiVersion"], kind.apiVersion) || changed(result["kind"], kind.kind);
  return isOther ? `the result must be ${kind.apiVersion} ${kind.kind}` : undefined;
}

function differs(given: unknown, expected: string): boolean {
  return given !== undefined && given !== null && given !== "" && given !== expected;
}

function otherType(kind: BoundKind, said: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind.kind}): it is of ${said}, this path is for ${kind.apiVersion}`,
  );
}

/** For messages: what a client sent may be long, and of any type. */
export function shortText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 100) : typeof value;
}

/** Moments of the past on a command line, and the changes and states that a server with a history has of them. */

import { parseDuration } from "../../base/duration.ts";
import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { objectPath } from "../../client/requests/address.ts";
import { hasReason, isNotFound } from "../../client/requests/refusals.ts";
import { parseInstant } from "../../machinery/values/time.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { type Json, list, text } from "../json.ts";

/** A time as the server reads it, of "-5m", "5m" or a time: "2026-11-18T10:00:00Z". */
export function momentOf(context: Context, given: string, flag: string): string {
  const nanos = parseDuration(given.replace(/^-/, ""));
  if (nanos !== undefined) {
    const ms = context.environment.clock.now() - Number(nanos / 1_000_000n);
    return new Date(ms).toISOString();
  }
  if (parseInstant(given) === undefined)
    throw new UsageError(`--${flag} must be a time like 2026-11-18T10:00:00Z, or how long ago: 10m`);
  return given;
}

const changesPath = (namespace: string): string =>
  `/apis/history.orch.io/v1alpha1/${namespace === "" ? "" : `namespaces/${namespace}/`}changes`;

/** Changes that meet the requirements ("user=jane"), newest first, at most so many. `namespace` "": of all. */
export async function findChanges(
  context: Context,
  namespace: string,
  requirements: readonly string[],
  most: number,
): Promise<Json[]> {
  const found: Json[] = [];
  const fieldSelector = requirements.join(",");
  for (let token = ""; ; ) {
    const query = { fieldSelector, limit: most - found.length, ...(token !== "" && { continue: token }) };
    const answer = await context.session.send.json(changesPath(namespace), { query }).catch((error: unknown) => {
      if (isNotFound(error)) throw new CtlError("the server keeps no history; it does with --history=24h");
      throw error;
    });
    found.push(...list(answer as Json, "items"));
    token = text(answer as Json, "metadata", "continue");
    if (token === "" || found.length >= most) return found;
  }
}

/** The requirements that one object meets. */
export const aboutObject = ({ group, resource }: DiscoveredResource, name: string): string[] => [
  `object.group=${group}`,
  `object.resource=${resource}`,
  `object.name=${name}`,
];

/** The object at a moment (`atTime`, or an exact `resourceVersion`); undefined: it was not there. */
export async function stateAt(
  context: Context,
  resource: DiscoveredResource,
  ref: Ref,
  at: { readonly atTime: string } | { readonly resourceVersion: string },
): Promise<Json | undefined> {
  const query = "atTime" in at ? at : { ...at, resourceVersionMatch: "Exact" };
  try {
    return (await context.session.send.json(objectPath(resource, ref), { query })) as Json;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

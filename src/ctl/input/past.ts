/** Moments of the past on a command line, and the changes and states that a server with a history has of them. */

import { parseDuration } from "../../base/duration.ts";
import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { collectionPath, objectPath } from "../../client/requests/address.ts";
import { hasReason, isNotFound } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { parseInstant } from "../../machinery/values/time.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { type Json, list, text } from "../json.ts";
import type { Lookup } from "./lookups.ts";

/** A time as the server reads it, of "-5m", "5m" or a time: "2026-11-18T10:00:00Z". */
export function momentOf(context: Context, given: string, flag: string): string {
  // "+5m" would be a time to come.
  const nanos = given.startsWith("+") ? undefined : parseDuration(given.replace(/^-/, ""));
  if (nanos !== undefined) {
    const ms = context.environment.clock.now() - Number(nanos / 1_000_000n);
    return new Date(ms).toISOString();
  }
  if (parseInstant(given) === undefined)
    throw new UsageError(`--${flag} must be a time like 2026-11-18T10:00:00Z, or how long ago: 10m`);
  return given;
}

/** What of the query of a read makes it one of the past. */
export type PastQuery =
  | { readonly atTime: string }
  | { readonly resourceVersion: string; readonly resourceVersionMatch: "Exact" };

/** "4711" is a revision, and anything else what `momentOf` reads. */
export function pastOf(context: Context, given: string, flag: string): PastQuery {
  if (/^[0-9]+$/.test(given)) return { resourceVersion: given, resourceVersionMatch: "Exact" };
  return { atTime: momentOf(context, given, flag) };
}

/** The same lookups at one moment; those of which the server does not know the past have a problem. */
export function lookupsAt(context: Context, past: PastQuery, lookups: readonly Lookup[]): Promise<Lookup[]> {
  const at = async (lookup: Lookup): Promise<Lookup> => {
    try {
      await requirePast(context, lookup);
      return { ...lookup, past };
    } catch (problem) {
      return { ...lookup, problem: lookup.problem ?? problem };
    }
  };
  return Promise.all(lookups.map(at));
}

/** No moment of the past, whatever the clocks say: who knows atTime refuses it. */
const neverYet = "9999-12-31T23:59:59Z";

/**
 * Throws if the server would answer with what there is now. It may itself keep no history, or pass requests for this resource on to a
 * server that does not know of one.
 */
export async function requirePast(
  context: Context,
  { resource, namespace, name }: Pick<Lookup, "resource" | "namespace" | "name">,
): Promise<void> {
  const { send } = context.session;
  await send.json(changesPath("").replace(/\/changes$/, "")).catch((error: unknown) => {
    if (isNotFound(error)) throw noHistory();
  });
  const path = name === undefined ? collectionPath(resource, namespace) : objectPath(resource, { namespace, name });
  const query = { atTime: neverYet, ...(name === undefined && { limit: 1 }) };
  const ignored = await send.json(path, { query }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StatusError) return isNotFound(error); // the object was looked for, whatever the time
      throw error;
    },
  );
  if (ignored) throw new CtlError(`the server keeps no history of ${resource.resource}`);
}

const noHistory = (): CtlError => new CtlError("the server keeps no history; it does with --history=24h");

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
  for await (const { items } of changePages(context, namespace, requirements, () => most - found.length)) {
    found.push(...items);
    if (found.length >= most) break;
  }
  return found;
}

interface ChangePage {
  readonly items: readonly Json[];
  /** Of the list: a watch tells what follows it. */
  readonly version: string;
}

/** The same in chunks, each of at most as many as are wanted. */
export async function* changePages(
  context: Context,
  namespace: string,
  requirements: readonly string[],
  wanted: () => number,
): AsyncGenerator<ChangePage> {
  const fieldSelector = requirements.join(",");
  for (let token = ""; ; ) {
    const query = { fieldSelector, limit: wanted(), ...(token !== "" && { continue: token }) };
    const answer = (await context.session.send.json(changesPath(namespace), { query }).catch((error: unknown) => {
      if (isNotFound(error)) throw noHistory();
      throw error;
    })) as Json; // the server's word
    yield { items: list(answer, "items"), version: text(answer, "metadata", "resourceVersion") };
    token = text(answer, "metadata", "continue");
    if (token === "") return;
  }
}

/** The change of that number, in the namespace of the command or anywhere; undefined: there is none that the user may see. */
export async function findChange(context: Context, number: string): Promise<Json | undefined> {
  const named = [`metadata.name=${number}`];
  const [near] = await findChanges(context, context.namespace, named, 1);
  return near ?? (await findChanges(context, "", named, 1).catch(() => []))[0]; // it may be that only one namespace is open to the user
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
  const query: PastQuery = "atTime" in at ? at : { ...at, resourceVersionMatch: "Exact" };
  try {
    return (await context.session.send.json(objectPath(resource, ref), { query })) as Json;
  } catch (error) {
    if (hasReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** All objects of a type in a namespace ("": everywhere) as they were. */
export async function statesAt(
  context: Context,
  resource: DiscoveredResource,
  namespace: string,
  at: { readonly atTime: string } | { readonly resourceVersion: string },
): Promise<Json[]> {
  const found: Json[] = [];
  const exact: PastQuery = "atTime" in at ? at : { ...at, resourceVersionMatch: "Exact" };
  const path = collectionPath(resource, namespace);
  for (let token = ""; ; ) {
    const query = token === "" ? { ...exact, limit: pageObjects } : { limit: pageObjects, continue: token };
    const answer = (await context.session.send.json(path, { query })) as Json;
    const { apiVersion } = answer;
    for (const item of list(answer, "items")) found.push({ apiVersion, kind: resource.kind, ...item });
    token = text(answer, "metadata", "continue");
    if (token === "") return found;
  }
}

const pageObjects = 500;

/** Suggests the nearest existing name for the name of an object that does not exist. */

import { nearest } from "../../base/suggest.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { Errors, LocatedError, withMessage } from "../errors.ts";
import { nameOf } from "../json.ts";

/** How many names are compared; of longer lists the first ones. */
const namesMax = 500;

/** The error, with a suggestion after each object that was not found. */
export async function withNearNames(context: Context, error: unknown): Promise<unknown> {
  if (!context.behaviour.givesHints) return error;
  if (error instanceof Errors)
    return new Errors(await Promise.all(error.errors.map((one) => withNearNames(context, one))));
  if (error instanceof LocatedError) return new LocatedError(await withNearNames(context, error.error), error.describe);
  if (!(error instanceof StatusError) || !isNotFound(error)) return error;
  const near = await nearName(context, error).catch(() => undefined);
  if (near === undefined) return error;
  return withMessage(error, `${error.message}\nDid you mean "${near}"?`);
}

async function nearName(context: Context, { details }: StatusError): Promise<string | undefined> {
  const { name = "", kind = "", group = "" } = details ?? {};
  const resource = (await context.discovery()).inGroup(kind, group);
  if (name === "" || resource === undefined || !resource.verbs.includes("list")) return undefined;
  const namespace = resource.namespaced ? context.namespace : "";
  const { items } = await context.at(resource).list({ namespace, limit: namesMax });
  const names = items.map(nameOf);
  // It is there now: only the past that was asked for does not have it.
  return names.includes(name) ? undefined : nearest(name, names);
}

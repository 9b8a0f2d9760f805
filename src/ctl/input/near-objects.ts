/** Suggests the nearest existing name for the name of an object that does not exist. */

import { nearest } from "../../base/suggest.ts";
import { pathOf } from "../api/api.ts";
import type { Context } from "../context.ts";
import { Errors, isNotFound, ServerError } from "../errors.ts";
import { list, nameOf, text } from "../json.ts";

/** How many names are compared; of longer lists the first ones. */
const namesMax = 500;

/** The error, with a suggestion after each object that was not found. */
export async function withNearNames(context: Context, error: unknown): Promise<unknown> {
  if (context.isKubectl) return error;
  if (error instanceof Errors)
    return new Errors(await Promise.all(error.errors.map((one) => withNearNames(context, one))));
  if (!(error instanceof ServerError) || !isNotFound(error)) return error;
  const near = await nearName(context, error).catch(() => undefined);
  if (near === undefined) return error;
  return new ServerError({ ...error.status, message: `${error.message}\nDid you mean "${near}"?` }, error.code);
}

async function nearName(context: Context, { status }: ServerError): Promise<string | undefined> {
  const name = text(status, "details", "name");
  const resource = (await context.discovery()).inGroup(
    text(status, "details", "kind"),
    text(status, "details", "group"),
  );
  if (name === "" || resource === undefined || !resource.verbs.includes("list")) return undefined;
  const namespace = resource.namespaced ? context.namespace : "";
  const answer = await context.api.json(pathOf({ resource, namespace }), { query: { limit: namesMax } });
  return nearest(name, list(answer, "items").map(nameOf));
}

/** Fetches the objects of a lookup: one, or a list that is read in chunks. */

import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { type Lookup, subresourceOf } from "../input/lookups.ts";
import { allowedInstead } from "../input/namespaces.ts";
import { questionOf } from "../input/question.ts";
import type { Json } from "../json.ts";
import { cleaned } from "../output/clean.ts";
import type { GetContext } from "./get-flags.ts";

/** The object, or a list of them. */
export async function fetchObjects(context: GetContext, lookup: Lookup): Promise<Json> {
  const items: Json[] = [];
  for await (const item of eachObject(context, lookup)) {
    if (lookup.name !== undefined) return item;
    items.push(item);
  }
  return { apiVersion: apiVersionText(lookup.resource), kind: `${lookup.resource.kind}List`, items };
}

/** One object after the other, while the chunks of a list are read. */
export async function* eachObject(context: GetContext, lookup: Lookup): AsyncIterable<Json> {
  const { resource, namespace, name, problem } = lookup;
  if (problem !== undefined) throw problem;
  const { flags } = context;
  const isClean = flags.clean || flags.export;
  const tidy = (object: Json) => (isClean ? cleaned(object) : object);
  if (name !== undefined) {
    yield tidy(await getObject(context, lookup, name));
    return;
  }
  const query = { labelSelector: flags.selector, fieldSelector: flags["field-selector"], ...questionOf(flags) };
  try {
    for await (const item of context.at(resource).items({ namespace, ...query, limit: flags["chunk-size"] }))
      yield tidy(item);
  } catch (error) {
    const allowed = await allowedInstead(context, lookup, error);
    if (allowed === undefined) throw error;
    for (const one of allowed) yield* eachObject(context, one);
  }
}

function getObject(context: GetContext, { resource, namespace }: Lookup, name: string): Promise<Json> {
  const subresource = subresourceOf(context);
  if (subresource === "scale") return context.session.read(resource, { namespace, name }, { subresource });
  return context.at(resource).get({ namespace, name }, { subresource });
}

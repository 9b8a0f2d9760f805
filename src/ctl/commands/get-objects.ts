/** Fetches the objects of a lookup: one, or a list that is read in chunks. */

import type { ListQuery } from "../../client/contract.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { cleaned } from "../../operations/cleaned.ts";
import { type Lookup, subresourceOf } from "../input/lookups.ts";
import { allowedInstead } from "../input/namespaces.ts";
import { questionOf } from "../input/question.ts";
import { type Json, list, text } from "../json.ts";
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
  const { name, problem } = lookup;
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
    for await (const item of itemsOf(context, lookup, { ...query, limit: flags["chunk-size"] })) yield tidy(item);
  } catch (error) {
    const allowed = await allowedInstead(context, lookup, error);
    if (allowed === undefined) throw error;
    for (const one of allowed) yield* eachObject(context, one);
  }
}

/** The items of a list, now or at its moment, in chunks. */
async function* itemsOf(
  context: GetContext,
  { resource, namespace, past }: Lookup,
  query: ListQuery,
): AsyncIterable<Json> {
  if (past === undefined) return yield* context.at(resource).items({ namespace, ...query });
  const { where, orderBy, labelSelector, fieldSelector } = query;
  const limit = query.limit || undefined;
  const asked = { where, orderBy, labelSelector, fieldSelector, limit };
  for (let next = ""; ; ) {
    const answer = await context.session.readList(resource, namespace, {
      query: { ...asked, ...(next === "" ? past : { continue: next }) },
    });
    for (const item of list(answer, "items"))
      yield { apiVersion: apiVersionText(resource), kind: resource.kind, ...item };
    next = text(answer, "metadata", "continue");
    if (next === "") return;
  }
}

function getObject(context: GetContext, { resource, namespace, past }: Lookup, name: string): Promise<Json> {
  if (past !== undefined) return context.session.read(resource, { namespace, name }, { query: past });
  const subresource = subresourceOf(context);
  if (subresource === "scale") return context.session.read(resource, { namespace, name }, { subresource });
  return context.at(resource).get({ namespace, name }, { subresource });
}

/** Fetches what a lookup names as whole objects: one, or a list read in chunks. */

import { apiVersionText } from "../api/discovery.ts";
import type { Context } from "../context.ts";
import type { Lookup } from "../input/lookups.ts";
import type { Json } from "../json.ts";
import { cleaned } from "../output/clean.ts";

/** The object, or a list of them. */
export async function fetchObjects(context: Context, { resource, namespace, name, problem }: Lookup): Promise<Json> {
  if (problem !== undefined) throw problem;
  const { flags, api } = context;
  const isClean = flags.on("clean") || flags.on("export");
  const tidy = (object: Json) => (isClean ? cleaned(object) : object);
  if (name !== undefined) return tidy(await api.get({ resource, namespace, name }));
  const query = { labelSelector: flags.text("selector"), fieldSelector: flags.text("field-selector") };
  const items: Json[] = [];
  for await (const item of api.items({ resource, namespace }, query, flags.int("chunk-size"))) items.push(tidy(item));
  return { apiVersion: apiVersionText(resource), kind: `${resource.kind}List`, items };
}

/** `server.history()`: the changes of one object, chunk by chunk. */

import type { Ref } from "../../client/contract.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import type { Sender } from "../../client/requests/send.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { RecordedChange } from "./options.ts";

interface ChangeList {
  readonly items: readonly RecordedChange[];
  readonly metadata: { readonly continue?: string };
}

/** Newest first, at most `limit`. */
export async function changesOf(
  send: Sender,
  { group, resource, declaration }: BoundKind,
  { namespace = "", name }: Ref,
  limit = Number.POSITIVE_INFINITY,
): Promise<RecordedChange[]> {
  if (!(limit > 0)) throw new TypeError("history: the limit must be above 0");
  const isNamespaced = declaration.scope === "Namespaced";
  if (isNamespaced && namespace === "")
    throw new TypeError(`history: ${resource} are in namespaces, and none is given`);
  const place = isNamespaced ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  const path = `/apis/history.orch.io/v1alpha1/${place}changes`;
  const fieldSelector = `object.group=${group},object.resource=${resource},object.name=${name}`;
  const found: RecordedChange[] = [];
  for (let token = ""; ; ) {
    const left = limit - found.length;
    const query = {
      fieldSelector,
      ...(Number.isFinite(left) && { limit: left }),
      ...(token !== "" && { continue: token }),
    };
    const { items, metadata } = (await send.json(path, { query }).catch((error: unknown) => {
      if (isNotFound(error)) throw new TypeError('history: this server keeps none; it does with { history: "24h" }');
      throw error;
    })) as ChangeList; // the server's word
    found.push(...items);
    token = metadata.continue ?? "";
    if (token === "" || found.length >= limit) return found;
  }
}

/** The calls of one resource as requests. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type {
  AnyObject,
  DeleteOptions,
  ListQuery,
  ObjectList,
  PatchOptions,
  Ref,
  ResourceAddress,
  ResourceClient,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "../contract.ts";
import { apiVersionOf, collectionPath, objectPath, withQuery } from "./address.ts";
import { readLines } from "./frames.ts";
import { hasReason, type JsonRequest, type Sender, statusError } from "./send.ts";

/** The chunk size when the whole list is read. */
export const chunkItems = 500;

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export interface ResourceClientOptions {
  readonly address: ResourceAddress;
  readonly send: Sender;
  /** The representations if only metadata is read. Absent: whole objects are read. */
  readonly metadataOnly?: { readonly one: string; readonly list: string } | undefined;
}

export function createResourceClient<T extends AnyObject>(options: ResourceClientOptions): ResourceClient<T> {
  const { address, send, metadataOnly } = options;
  const accept = metadataOnly?.one ?? "application/json";
  const type = { apiVersion: apiVersionOf(address), kind: address.kind };
  const refOf = ({ metadata: { namespace, name = "" } }: AnyObject): Ref => ({ namespace, name });
  const ask = async <R = T>(path: string, request?: JsonRequest) => (await send.json(path, request)) as R; // the server's word

  const put = (object: T, subresource: string | undefined, { signal, ...query }: WriteOptions) =>
    ask(withQuery(objectPath(address, refOf(object), subresource), writeQuery(query)), {
      method: "PUT",
      body: { ...type, ...object },
      signal,
    });

  const list = async ({ namespace, signal, ...query }: ListQuery = {}): Promise<ObjectList<T>> => {
    const path = withQuery(collectionPath(address, namespace), { ...query });
    const body = await ask<{ items: T[] | null; metadata: { resourceVersion?: string; continue?: string } }>(path, {
      accept: metadataOnly?.list ?? accept,
      signal,
    });
    const { resourceVersion = "", continue: next = "" } = body.metadata;
    // Items of a list carry no type, or that of their representation; but a cache must know what they are.
    const items = (body.items ?? []).map((item) => ({ ...item, ...type }));
    return { items, resourceVersion, continue: next };
  };

  return {
    address,
    get: (ref, { signal } = {}) => ask(objectPath(address, ref), { accept, signal }),
    list,
    listAll: (query = {}) => listInChunks(list, query),
    create: (object, { signal, ...query } = {}) =>
      ask(withQuery(collectionPath(address, object.metadata.namespace), writeQuery(query)), {
        method: "POST",
        body: { ...type, ...object },
        signal,
      }),
    update: (object, options = {}) => put(object, undefined, options),
    updateStatus: (object, options = {}) => put(object, "status", options),
    patch: (ref, patch, { type: patchType = "merge", subresource, force, signal, ...query }: PatchOptions = {}) =>
      ask(withQuery(objectPath(address, ref, subresource), { ...writeQuery(query), force }), {
        method: "PATCH",
        contentType: patchTypes[patchType],
        body: patch,
        signal,
      }),
    async delete(ref, options = {}) {
      await send.json(objectPath(address, ref), {
        method: "DELETE",
        body: deleteBody(options),
        signal: options.signal,
      });
    },
    async deleteCollection({ namespace, signal, ...query }, options = {}) {
      await send.json(withQuery(collectionPath(address, namespace), { ...query }), {
        method: "DELETE",
        body: deleteBody(options),
        signal: signal ?? options.signal,
      });
    },
    watch: (query = {}) => watch<T>(address, send, metadataOnly && type, accept, query),
    subresource: async (ref, name, body, method = "POST") =>
      ask(objectPath(address, ref, name), body === undefined ? { accept } : { method, body }),
  };
}

function writeQuery({ dryRun, fieldManager }: WriteOptions) {
  return { dryRun: dryRun ? "All" : undefined, fieldManager };
}

function deleteBody(options: DeleteOptions): ApiObject | Record<string, unknown> {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}

async function listInChunks<T>(
  list: (query: ListQuery) => Promise<ObjectList<T>>,
  query: ListQuery,
): Promise<ObjectList<T>> {
  for (;;) {
    const items: T[] = [];
    try {
      for (let next = ""; ; ) {
        const { continue: token, ...first } = query;
        const chunk = await list({ limit: chunkItems, ...(next === "" ? first : { ...first, continue: next }) });
        for (const item of chunk.items) items.push(item);
        if (chunk.continue === "") return { items, resourceVersion: chunk.resourceVersion, continue: "" };
        next = chunk.continue;
      }
    } catch (error) {
      // The state that the list began with has expired: start again. A first chunk cannot expire.
      if (!hasReason(error, "Expired", "Gone") || items.length === 0) throw error;
    }
  }
}

async function* watch<T>(
  address: ResourceAddress,
  send: Sender,
  type: Pick<AnyObject, "apiVersion" | "kind"> | undefined,
  accept: string,
  { namespace, signal, bookmarks, timeoutSeconds, ...query }: WatchQuery,
): AsyncGenerator<WatchEvent<T>> {
  const path = withQuery(collectionPath(address, namespace), {
    ...query,
    watch: true,
    allowWatchBookmarks: bookmarks,
    timeoutSeconds,
  });
  try {
    const { body } = await send.open(path, { accept, signal });
    if (body === null) return;
    for await (const line of readLines(body)) {
      const event = JSON.parse(line.toString("utf8")) as { type: string; object: T };
      if (event.type === "ERROR") throw statusError(event.object);
      if (type !== undefined) Object.assign(event.object as object, type);
      yield event as WatchEvent<T>; // the other types
    }
  } catch (error) {
    if (signal?.aborted && !(error instanceof StatusError)) return;
    throw error;
  }
}

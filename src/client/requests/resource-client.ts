/** The calls of one resource as requests. */

import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import type {
  AnyObject,
  DeleteOptions,
  ListQuery,
  ObjectList,
  PatchOptions,
  Ref,
  ResourceAddress,
  ResourceClient,
  SubresourceOption,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "../contract.ts";
import { apiVersionOf, collectionPath, objectPath, type RequestQuery, withQuery } from "./address.ts";
import { causeHeaders } from "./cause.ts";
import { tokenAfter } from "./continue-token.ts";
import { asks, requireQuestions } from "./questions.ts";
import { hasReason, UnexpectedAnswer } from "./refusals.ts";
import type { JsonRequest, Sender } from "./send.ts";
import { watchEvents } from "./watch-events.ts";

/** The chunk size when the whole list is read. */
export const chunkItems = 500;

interface ResourceClientOptions {
  readonly address: ResourceAddress;
  readonly send: Sender;
  /** The representations if only metadata is read. Absent: whole objects are read. */
  readonly metadataOnly?: { readonly one: string; readonly list: string } | undefined;
}

export function createResourceClient<T extends object>(options: ResourceClientOptions): ResourceClient<T> {
  const calls = createCalls<T>(options);
  return { address: options.address, ...readsOf(options, calls), ...writesOf(options, calls) };
}

type Calls<T extends object> = ReturnType<typeof createCalls<T>>;
type Reads = "get" | "list" | "listAll" | "items" | "watch";

function readsOf<T extends object>(
  { address, send, metadataOnly }: ResourceClientOptions,
  { accept, type, expected, onObject }: Calls<T>,
): Pick<ResourceClient<T>, Reads> {
  const list = async ({ namespace, signal, ...query }: ListQuery = {}): Promise<ObjectList<T>> => {
    const path = collectionPath(address, namespace);
    if (asks(query)) await requireQuestions(send, path, signal);
    const body = await send.json(path, { query, accept: metadataOnly?.list ?? accept, signal });
    if (!isList(body, metadataOnly === undefined ? type.apiVersion : undefined))
      throw new UnexpectedAnswer(`GET ${path}`, `a list of ${address.resource}`, JSON.stringify(body) ?? "");
    const { resourceVersion = "", continue: next = "" } = body.metadata ?? {};
    // Items of a list carry no type, or that of their representation; but a cache must know what they are.
    const items = (body.items ?? []).map((item) => ({ ...type, ...(item as T), ...type }));
    return { items, resourceVersion, continue: next };
  };

  return {
    get: (ref, { signal, subresource } = {}) => onObject(ref, subresource, { accept, signal }, expected),
    list,
    listAll: (query = {}) => listInChunks(list, query),
    items: (query = {}) => itemsInChunks(list, query),
    watch: (query = {}) => watch<T>(address, send, { accept, expected }, query),
  };
}

function writesOf<T extends object>(
  { address, send }: ResourceClientOptions,
  { accept, type, answerOf, ask, write, onObject, sendOnly, put }: Calls<T>,
): Omit<ResourceClient<T>, Reads | "address"> {
  return {
    async create(object, { signal, ...options } = {}) {
      const path = collectionPath(address, refOf(object).namespace);
      const request = { method: "POST", ...written(options), body: { ...type, ...object }, signal };
      if (options.ignoresAnswer !== true) return await write(path, request);
      await sendOnly(path, request);
      return object;
    },
    update: (object, options = {}) => put(object, options),
    updateStatus: (object, options = {}) => put(object, { ...options, subresource: "status" }),
    async patch(ref, patch, { type: patchType = "merge", subresource, force, signal, ...options }: PatchOptions = {}) {
      const query = { ...writeQuery(options), force };
      const headers = causeHeaders(options.cause);
      const request = { method: "PATCH", query, headers, contentType: patchMediaTypes[patchType], body: patch, signal };
      if (options.ignoresAnswer !== true) return await onObject(ref, subresource, request, address.kind);
      await sendOnly(objectPath(address, ref, subresource), request);
      return { metadata: ref } as T; // which object it was: the caller does not use more
    },
    async apply(ref, object, { subresource, force, signal, ...options } = {}) {
      const { status, body } = await answerOf(
        objectPath(address, ref, subresource),
        {
          method: "PATCH",
          query: { ...writeQuery(options), force },
          headers: causeHeaders(options.cause),
          contentType: patchMediaTypes.apply,
          body: object,
          signal,
        },
        address.kind,
      );
      return { object: body as T, isCreated: status === 201 }; // the server's word
    },
    delete: async (ref, options = {}) =>
      ask(
        objectPath(address, ref),
        {
          method: "DELETE",
          headers: causeHeaders(options.cause),
          body: deleteBody(options),
          signal: options.signal,
        },
        address.kind,
        "Status",
      ),
    async deleteCollection({ namespace, signal, ...query }, options = {}) {
      const path = collectionPath(address, namespace);
      if (asks(query)) await requireQuestions(send, path, signal);
      await send.json(path, {
        method: "DELETE",
        query,
        headers: causeHeaders(options.cause),
        body: deleteBody(options),
        signal: signal ?? options.signal,
      });
    },
    subresource: async <R>(
      ref: Ref,
      name: string,
      body?: unknown,
      method: "PUT" | "POST" = "POST",
      { signal, cause }: Pick<WriteOptions, "signal" | "cause"> = {},
    ) => {
      const request = body === undefined ? { accept, signal } : { method, headers: causeHeaders(cause), body, signal };
      return (await send.json(objectPath(address, ref, name), request)) as R; // the caller knows what it is
    },
  };
}

/** One request, and what its answer must be. */
function createCalls<T extends object>({ address, send, metadataOnly }: ResourceClientOptions) {
  const accept = metadataOnly?.one ?? "application/json";
  const type = { apiVersion: apiVersionOf(address), kind: address.kind };
  const expected = metadataOnly === undefined ? address.kind : "PartialObjectMetadata";

  /** The answer, which must be an object of one of these kinds. */
  const answerOf = async (path: string, request: JsonRequest, ...kinds: readonly string[]) => {
    const { status, body } = await send.answer(path, request);
    if (isObject(body) && kinds.includes(String(body["kind"]))) return { status, body };
    throw new UnexpectedAnswer(`${request.method ?? "GET"} ${path}`, `a ${kinds[0]}`, JSON.stringify(body) ?? "");
  };
  const ask = async (path: string, request: JsonRequest, ...kinds: readonly string[]) =>
    (await answerOf(path, request, ...kinds)).body;
  /** Some kinds, such as Binding, are answered with a Status. */
  const write = async (path: string, request: JsonRequest) => (await ask(path, request, address.kind, "Status")) as T; // the server's word
  /** The status has the kind of the object; what others are, such as a scale, the caller knows. */
  const onObject = async (ref: Ref, subresource: string | undefined, request: JsonRequest, ...kinds: string[]) => {
    const path = objectPath(address, ref, subresource);
    const isOther = subresource !== undefined && subresource !== "status";
    return (isOther ? await send.json(path, request) : await ask(path, request, ...kinds)) as T; // the server's word
  };
  /** The answer is read, so that the connection can be used again, and nothing more. */
  const sendOnly = async (path: string, request: JsonRequest) => {
    await (await send.open(path, request)).text();
  };
  const put = async (object: T, { signal, subresource, ...options }: WriteOptions & SubresourceOption) => {
    const request = { method: "PUT", ...written(options), body: { ...type, ...object }, signal };
    if (options.ignoresAnswer !== true) return await onObject(refOf(object), subresource, request, address.kind);
    await sendOnly(objectPath(address, refOf(object), subresource), request);
    return object;
  };
  return { accept, type, expected, answerOf, ask, write, onObject, sendOnly, put };
}

/** Objects come from callers whose types may know nothing about them. */
function refOf(object: object): Ref {
  const { metadata } = object as Partial<AnyObject>;
  return { namespace: metadata?.namespace, name: metadata?.name ?? "" };
}

interface ListBody {
  readonly items?: readonly unknown[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/**
 * The kind of a list is not known: a definition may choose it, and small servers send a plain List. `apiVersion` undefined: that of
 * the representation.
 */
function isList(body: unknown, apiVersion: string | undefined): body is ListBody {
  if (!isObject(body) || typeof body["kind"] !== "string" || !isObject(body["metadata"] ?? {})) return false;
  if (apiVersion !== undefined && body["apiVersion"] !== apiVersion && body["kind"] !== "List") return false;
  const items = body["items"];
  return Array.isArray(items) ? items.every(isObject) : items === null && body["kind"].endsWith("List");
}

/** What the options of a write say in its request. */
const written = (options: WriteOptions) => ({ query: writeQuery(options), headers: causeHeaders(options.cause) });

function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): RequestQuery {
  return { dryRun: dryRun ? "All" : undefined, fieldManager, fieldValidation };
}

function deleteBody(options: DeleteOptions): JsonObject {
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
      for (let next = query.continue ?? ""; ; ) {
        const chunk = await list(chunkQuery(query, next));
        for (const item of chunk.items) items.push(item);
        if (chunk.continue === "") return { items, resourceVersion: chunk.resourceVersion, continue: "" };
        next = tokenAfter(next, chunk.continue);
      }
    } catch (error) {
      // The state that the list began with has expired: start again. A first chunk cannot expire.
      if (!hasReason(error, "Expired", "Gone") || items.length === 0) throw error;
    }
  }
}

async function* itemsInChunks<T>(
  list: (query: ListQuery) => Promise<ObjectList<T>>,
  query: ListQuery,
): AsyncGenerator<T> {
  for (let next = query.continue ?? ""; ; ) {
    const chunk = await list(chunkQuery(query, next));
    yield* chunk.items;
    if (chunk.continue === "") return;
    next = tokenAfter(next, chunk.continue);
  }
}

function chunkQuery({ continue: _, limit = chunkItems, ...query }: ListQuery, next: string): ListQuery {
  return { ...query, limit: limit || undefined, continue: next };
}

async function* watch<T extends object>(
  address: ResourceAddress,
  send: Sender,
  { accept, expected }: { readonly accept: string; readonly expected: string },
  { namespace, signal, bookmarks, timeoutSeconds, sendInitialEvents, ...query }: WatchQuery,
): AsyncGenerator<WatchEvent<T>> {
  const initial = sendInitialEvents === undefined ? {} : { sendInitialEvents, resourceVersionMatch: "NotOlderThan" };
  const collection = collectionPath(address, namespace);
  if (asks(query)) await requireQuestions(send, collection, signal);
  const path = withQuery(collection, {
    ...query,
    ...initial,
    watch: true,
    allowWatchBookmarks: bookmarks,
    timeoutSeconds,
  });
  for await (const event of watchEvents<T & JsonObject>(send, path, { accept, signal })) {
    const { object } = event;
    if (event.type !== "BOOKMARK" && object["kind"] !== expected)
      throw new UnexpectedAnswer(`GET ${path}`, `an event of a ${expected}`, JSON.stringify(object));
    if (expected !== address.kind) Object.assign(object, { apiVersion: apiVersionOf(address), kind: address.kind });
    yield event;
  }
}

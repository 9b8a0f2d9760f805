/** The calls of one resource, with the namespace of the client where none is named. */

import { anObject, checkOptions, count, filled, type OptionShape, oneOf, required } from "../base/check-options.ts";
import type { AnyObject, Client, KindTraits, Ref, ResourceClient, Stored, WatchQuery } from "../client/contract.ts";
import { splitKey } from "../client/informer/keys.ts";
import { apiVersionOf } from "../client/requests/address.ts";
import { ifThere } from "../client/requests/refusals.ts";
import type { Sender } from "../client/requests/send.ts";
import type { Upgrade } from "../client/streams/contract.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { applying, calling, deleting, listing, patching, watching, writing } from "./call-options.ts";
import type { Applied, ApplyOptions, ChangeEvent, Resource, Target, WriteOptions } from "./contract.ts";
import { createPodCalls } from "./pods/pod-calls.ts";

export interface ResourceOptions {
  /** Where none is named. */
  readonly namespace: string;
  readonly vocabulary: Client["vocabulary"];
  readonly send: Sender;
  readonly upgrade: Upgrade;
}

/** It has the calls of all paths; the type of the kind says which of them the server serves. */
export function createResource<T extends AnyObject>(
  plain: ResourceClient<T>,
  { namespace, vocabulary, send, upgrade }: ResourceOptions,
): Resource<T, KindTraits> {
  const { address } = plain;
  // What a server answers has a type, a name and a uid.
  const client = plain as ResourceClient<unknown> as ResourceClient<Stored<T, KindTraits>>;
  const type = { apiVersion: apiVersionOf(address), kind: address.kind };
  const refOf = (target: Target): Ref => {
    if (!isTarget(target))
      throw new TypeError('an object is named by "namespace/name", "name", { namespace, name } or the object itself');
    const ref = typeof target === "string" ? splitKey(target) : "metadata" in target ? target.metadata : target;
    return { namespace: address.namespaced ? ref.namespace || namespace : undefined, name: nameOf(ref) };
  };
  /** Writes are sent to the namespace of the object. */
  const placed = (object: T): Stored<T, KindTraits> => {
    if (!isObject(object) || !isObject(object.metadata))
      throw new TypeError(`a ${address.kind} needs metadata, such as { metadata: { name: "a" } }`);
    const isPlaced = !address.namespaced || Boolean(object.metadata.namespace);
    const sent = isPlaced ? object : { ...object, metadata: { ...object.metadata, namespace } };
    return sent as Stored<T, KindTraits>; // what the server fills in is not needed to send it
  };
  const apply = (object: Applied<T>, given: ApplyOptions, subresource?: string) => {
    checkOptions("apply", given, { ...applying, manager: required(filled) });
    const { manager, ...options } = given;
    return client.patch(
      refOf({ metadata: object.metadata }),
      { ...type, ...object },
      { ...options, type: "apply", fieldManager: manager, subresource },
    );
  };
  const scale = { subresource: "scale" } as const;
  /** What a subresource of another kind answers is that kind's. */
  const as = <R>(answer: Promise<unknown>) => answer as Promise<R>;

  const check = <O extends object>(call: string, given: O | undefined, shape: OptionShape<O>): O | undefined => {
    if (given !== undefined) checkOptions(call, given, shape);
    return given;
  };
  // Each call is async, so that a wrong argument rejects and does not throw.
  const protocol = vocabulary.word("channel.orch.io");
  return {
    ...createPodCalls({ address, send, upgrade, protocol, refOf }),
    address,
    get: async (target, options) => client.get(refOf(target), check("get", options, calling)),
    find: async (target, options) => ifThere(client.get(refOf(target), check("find", options, calling))),
    list(query) {
      // The question is checked when it is asked, so that this never throws.
      const items = async function* () {
        yield* client.items(check("list", query, listing));
      };
      return {
        [Symbol.asyncIterator]: items,
        all: async () => client.listAll(check("list", query, listing)),
        page: async () => client.list(check("list", query, listing)),
      };
    },
    watch: async function* (query?: WatchQuery) {
      // Without bookmarks there are none; with them the caller sees that events may be such.
      yield* client.watch(check("watch", query, watching)) as AsyncIterable<ChangeEvent<Stored<T, KindTraits>>>;
    },
    create: async (object, options) => client.create(placed(object), sent(check("create", options, writing))),
    update: async (object, options) => client.update(placed(object), sent(check("update", options, writing))),
    patch: async (target, patch, options) =>
      client.patch(refOf(target), patch, sent(check("patch", options, patching))),
    apply: async (object, options) => apply(object, options),
    async delete(target, options) {
      await client.delete(refOf(target), check("delete", options, deleting));
    },
    async deleteCollection(query, options) {
      checkOptions("deleteCollection", query, listing);
      await client.deleteCollection(query, check("deleteCollection", options, deleting));
    },
    status: {
      get: async (target, options) =>
        client.get(refOf(target), { ...check("status.get", options, calling), subresource: "status" }),
      update: async (object, options) =>
        client.updateStatus(placed(object), sent(check("status.update", options, writing))),
      patch: async (target, patch, options) =>
        client.patch(refOf(target), patch, {
          ...sent(check("status.patch", options, patching)),
          subresource: "status",
        }),
      apply: async (object, options) => apply(object, options, "status"),
    },
    scale: {
      get: async (target, options) =>
        as(client.get(refOf(target), { ...check("scale.get", options, calling), ...scale })),
      async set(target, replicas, options?: WriteOptions) {
        const wrong = count(0)(replicas);
        if (wrong !== undefined) throw new TypeError(`scale.set: replicas${wrong}`);
        check("scale.set", options, writing);
        return as(client.patch(refOf(target), { spec: { replicas } }, { ...sent(options), ...scale }));
      },
    },
    async evict(target, options) {
      const { signal, ...rest } = check("evict", options, { ...calling, deleteOptions: anObject }) ?? {};
      const ref = refOf(target);
      // Without a type: v1.21 knows policy/v1beta1 alone, and later servers prefer policy/v1.
      const body = { metadata: { ...ref }, ...rest };
      await client.subresource(ref, "eviction", body, "POST", { signal });
    },
    async token(target, spec = {}, options) {
      const apiVersion = `${vocabulary.group("authentication.orch.io")}/v1`;
      const body = { apiVersion, kind: "TokenRequest", metadata: {}, spec };
      return client.subresource(refOf(target), "token", body, "POST", check("token", options, calling));
    },
    async subresource(target, name, body, options) {
      const { method, ...rest } = check("subresource", options, { ...calling, method: oneOf("PUT", "POST") }) ?? {};
      return client.subresource(refOf(target), name, body, method, rest);
    },
  };
}

/** Requests have another name for the manager. */
function sent<O extends WriteOptions>(options: O | undefined): Omit<O, "manager"> & { readonly fieldManager?: string } {
  const { manager, ...others } = options ?? ({} as O);
  return manager === undefined ? others : { ...others, fieldManager: manager };
}

/** Callers in JavaScript may pass anything. */
function isTarget(target: unknown): target is Target {
  if (typeof target === "string") return true;
  return isObject(target) && (!("metadata" in target) || isObject(target["metadata"]));
}

function nameOf({ name }: { readonly name?: string | undefined }): string {
  if (!name) throw new TypeError("a name is needed to say which object is meant");
  return name;
}

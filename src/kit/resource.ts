/** The calls of one resource, with the namespace of the client where none is named. */

import type { AnyObject, Client, PatchOptions, Ref, ResourceClient, WriteOptions } from "../client/contract.ts";
import { splitKey } from "../client/informer/keys.ts";
import { apiVersionOf } from "../client/requests/address.ts";
import { ifThere } from "../client/requests/refusals.ts";
import type { Applied, ApplyOptions, Resource, Target } from "./contract.ts";

export interface ResourceOptions {
  /** Where none is named. */
  readonly namespace: string;
  readonly vocabulary: Client["vocabulary"];
}

export function createResource<T extends AnyObject>(
  client: ResourceClient<T>,
  { namespace, vocabulary }: ResourceOptions,
): Resource<T> {
  const { address } = client;
  const type = { apiVersion: apiVersionOf(address), kind: address.kind };
  const refOf = (target: Target): Ref => {
    const ref = typeof target === "string" ? splitKey(target) : "metadata" in target ? target.metadata : target;
    return { namespace: address.namespaced ? ref.namespace || namespace : undefined, name: nameOf(ref) };
  };
  /** Writes are sent to the namespace of the object. */
  const placed = (object: T): T =>
    address.namespaced && !object.metadata.namespace
      ? { ...object, metadata: { ...object.metadata, namespace } }
      : object;
  const apply = (object: Applied<T>, { manager, ...options }: ApplyOptions, subresource?: string) =>
    client.patch(
      refOf({ metadata: object.metadata }),
      { ...type, ...object },
      { ...options, type: "apply", fieldManager: manager, subresource },
    );
  const scale = { subresource: "scale" } as const;
  /** What a subresource of another kind answers is that kind's. */
  const as = <R>(answer: Promise<unknown>) => answer as Promise<R>;

  return {
    address,
    get: (target, options) => client.get(refOf(target), options),
    find: (target, options) => ifThere(client.get(refOf(target), options)),
    list: (query) => ({
      [Symbol.asyncIterator]: () => client.items(query)[Symbol.asyncIterator](),
      all: () => client.listAll(query),
    }),
    watch: (query) => client.watch(query),
    create: (object, options) => client.create(placed(object), options),
    update: (object, options) => client.update(placed(object), options),
    patch: (target, patch, options) => client.patch(refOf(target), patch, options),
    apply: (object, options) => apply(object, options),
    async delete(target, options) {
      await client.delete(refOf(target), options);
    },
    deleteCollection: (query, options) => client.deleteCollection(query, options),
    status: {
      get: (target, options) => client.get(refOf(target), { ...options, subresource: "status" }),
      update: (object, options) => client.updateStatus(placed(object), options),
      patch: (target, patch, options?: PatchOptions) =>
        client.patch(refOf(target), patch, { ...options, subresource: "status" }),
      apply: (object, options) => apply(object, options, "status"),
    },
    scale: {
      get: (target, options) => as(client.get(refOf(target), { ...options, ...scale })),
      set: (target, replicas, options?: WriteOptions) =>
        as(client.patch(refOf(target), { spec: { replicas } }, { ...options, ...scale })),
    },
    async evict(target, { signal, ...options } = {}) {
      const ref = refOf(target);
      // Without a type: v1.21 knows policy/v1beta1 alone, and later servers prefer policy/v1.
      const body = { metadata: { ...ref }, ...options };
      await client.subresource(ref, "eviction", body, "POST", { signal });
    },
    token(target, spec = {}, options) {
      const apiVersion = `${vocabulary.group("authentication.orch.io")}/v1`;
      const body = { apiVersion, kind: "TokenRequest", metadata: {}, spec };
      return client.subresource(refOf(target), "token", body, "POST", options);
    },
    subresource: (target, name, body, { method, ...options } = {}) =>
      client.subresource(refOf(target), name, body, method, options),
  };
}

function nameOf({ name }: { readonly name?: string | undefined }): string {
  if (!name) throw new TypeError("a name is needed to say which object is meant");
  return name;
}

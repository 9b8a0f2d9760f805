/** The server of one run of a command: the calls of its resources, and what it publishes about itself. */

import type { Ref, ResourceAddress, ResourceClient, SubresourceOption, WatchEvent } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath } from "../../client/requests/address.ts";
import { ifThere, UnexpectedAnswer } from "../../client/requests/refusals.ts";
import { createResourceClient } from "../../client/requests/resource-client.ts";
import type { JsonRequest, Sender } from "../../client/requests/send.ts";
import { isJson, type Json } from "../json.ts";
import { Connection, type ServerConnectionOptions } from "./connection.ts";
import { orNamespace } from "./missing-namespace.ts";
import type { OpenApi } from "./openapi.ts";
import { Published, type PublishedOptions } from "./published.ts";
import { type RepresentedWatch, watchUntilBroken } from "./watch.ts";

interface CheckedRequest extends JsonRequest {
  /** Whether an answer is what was requested. */
  readonly isExpected?: (answer: Json) => boolean;
}

export class Session {
  readonly #signal: AbortSignal;
  readonly connection: Connection;
  readonly published: Published;

  constructor(options: ServerConnectionOptions & PublishedOptions) {
    this.#signal = options.environment.signal;
    this.connection = new Connection(options);
    this.published = new Published(this.connection, options);
  }

  /** Requests by path. */
  get send(): Sender {
    return this.connection.send;
  }

  /** What the server serves, read once; `fresh`: not from the disk. */
  discovery(fresh = false): Promise<Discovery> {
    return this.published.discovery(fresh);
  }

  get openApi(): OpenApi {
    return this.published.openApi;
  }

  /** The answer to a request. If an object of some kind is sent, one of the same kind, or a Status, must come back. */
  async json(path: string, { isExpected, ...request }: CheckedRequest = {}): Promise<Json> {
    const value = await this.send.json(path, request);
    const sent = isJson(request.body) ? request.body["kind"] : undefined;
    const isSame = (answer: Json) => sent === undefined || answer["kind"] === sent || answer["kind"] === "Status";
    if (isJson(value) && (isExpected ?? isSame)(value)) return value;
    const expected = typeof sent === "string" ? `a ${sent}` : "what was requested";
    throw new UnexpectedAnswer(`${request.method ?? "GET"} ${path}`, expected, JSON.stringify(value) ?? "");
  }

  /** The version of the server. */
  version(): Promise<Json> {
    return this.json("/version", { isExpected: ({ gitVersion }) => typeof gitVersion === "string" });
  }

  /** The calls of one resource. An object that is read may be created again: its resourceVersion is dropped. */
  at(resource: ResourceAddress): ResourceClient<Json> {
    const calls = createResourceClient<Json>({ address: resource, send: this.send });
    const changed = async <T>(written: Promise<T>): Promise<T> => {
      const result = await written;
      this.published.noteChange(resource);
      return result;
    };
    return {
      ...calls,
      get: (ref, options) => orNamespace(this.send, ref, calls.get(ref, options)),
      create: (object, options) => changed(calls.create(withoutVersion(object), options)),
      update: (object, options) => changed(calls.update(object, options)),
      patch: (ref, patch, options) => changed(calls.patch(ref, patch, options)),
      apply: (ref, object, options) => changed(calls.apply(ref, object, options)),
      delete: (ref, options) => changed(calls.delete(ref, options)),
    };
  }

  /** The object; undefined: there is none of that name. */
  find(resource: ResourceAddress, ref: Ref): Promise<Json | undefined> {
    return ifThere(createResourceClient<Json>({ address: resource, send: this.send }).get(ref));
  }

  /** An object or one of its subresources, in a representation of the caller's choice. */
  read(resource: ResourceAddress, ref: Ref, { subresource, ...request }: JsonRequest & SubresourceOption = {}) {
    const isExpected = ({ kind }: Json) => subresource === "scale" || kind === "Table" || kind === resource.kind;
    return orNamespace(this.send, ref, this.json(objectPath(resource, ref, subresource), { ...request, isExpected }));
  }

  /** A list, or one chunk of it, in a representation of the caller's choice. */
  readList(resource: ResourceAddress, namespace: string | undefined, request: JsonRequest = {}): Promise<Json> {
    const isExpected = ({ kind, items }: Json) => kind === "Table" || Array.isArray(items) || items === null;
    return this.json(collectionPath(resource, namespace), { ...request, isExpected });
  }

  /** Events until the server ends the watch, its connection breaks, or the user interrupts. */
  watch(resource: ResourceAddress, query: RepresentedWatch): AsyncGenerator<WatchEvent<Json>> {
    return watchUntilBroken(this.send, resource, query, this.#signal);
  }

  close(): void {
    this.connection.close();
  }
}

function withoutVersion(object: Json): Json {
  const { metadata } = object;
  if (!isJson(metadata) || !metadata["resourceVersion"]) return object;
  const { resourceVersion: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

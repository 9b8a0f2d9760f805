/** The server of one run of a command: who we are there, requests to it, and what it serves. */

import { join } from "node:path";
import type { ClientAccess } from "../../client/config/access.ts";
import { openTransport, type Transport } from "../../client/config/transport.ts";
import type {
  Fetch,
  Ref,
  ResourceAddress,
  ResourceClient,
  SubresourceOption,
  WatchEvent,
  WatchQuery,
} from "../../client/contract.ts";
import { DiscoveryCacheFile } from "../../client/discovery/cache-file.ts";
import { discover } from "../../client/discovery/discover.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import { ifThere, isNotFound, UnexpectedAnswer } from "../../client/requests/refusals.ts";
import { createResourceClient } from "../../client/requests/resource-client.ts";
import { createSender, type JsonRequest, type Sender } from "../../client/requests/send.ts";
import { watchEvents } from "../../client/requests/watch-events.ts";
import type { Upgrade } from "../../client/streams/contract.ts";
import type { ProgramEnvironment } from "../environment.ts";
import { isJson, type Json } from "../json.ts";
import { exactJson } from "./exact-json.ts";
import { OpenApi } from "./openapi.ts";

interface SessionOptions {
  readonly environment: ProgramEnvironment;
  /** Called when the server is first needed. */
  readonly access: () => ClientAccess;
  /** May throw: there is no server to connect to. */
  readonly beforeConnecting?: () => void;
  readonly requestTimeoutMs: () => number;
  /** "": the user's cache folder. */
  readonly cacheFolder: string;
  readonly warn: (message: string) => void;
  /** Undefined: requests are not logged. */
  readonly trace: ((line: string) => void) | undefined;
  /** Undefined: headers are not logged. */
  readonly traceHeaders: ((line: string) => void) | undefined;
}

interface CheckedRequest extends JsonRequest {
  /** Whether an answer is what was requested. */
  readonly isExpected?: (answer: Json) => boolean;
}

export class Session {
  readonly #options: SessionOptions;
  #transport: Transport | undefined;
  #access: ClientAccess | undefined;
  #send: Sender | undefined;
  #discovery: Promise<Discovery> | undefined;
  #openApi: OpenApi | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get access(): ClientAccess {
    this.#access ??= this.#options.access();
    return this.#access;
  }

  /** Requests by path. */
  get send(): Sender {
    this.#send ??= this.#createSender();
    return this.#send;
  }

  #createSender(): Sender {
    const { environment, warn, trace, traceHeaders } = this.#options;
    const server = environment.fetch === undefined ? this.access.server : "";
    return createSender({
      fetch: environment.fetch ?? namingServer(this.#openTransport().fetch, server),
      clock: environment.clock,
      userAgent: userAgentOf(environment),
      signal: environment.signal,
      codec: exactJson,
      warn,
      observe:
        trace &&
        ((method, path, code, durationMs) => {
          if (code !== undefined)
            trace(
              `${method} ${server}${path} ${code} ${reasonPhrases[code] ?? ""} in ${Math.round(durationMs)} milliseconds`,
            );
        }),
      beforeSend:
        traceHeaders &&
        (({ accept }) => {
          traceHeaders("Request Headers:");
          traceHeaders(`    Accept: ${accept}`);
        }),
    });
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
      this.#noteChange(resource);
      return result;
    };
    return {
      ...calls,
      get: (ref, options) => this.#explainNamespace(ref, calls.get(ref, options)),
      create: (object, options) => changed(calls.create(withoutVersion(object), options)),
      update: (object, options) => changed(calls.update(object, options)),
      patch: (ref, patch, options) => changed(calls.patch(ref, patch, options)),
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
    return this.#explainNamespace(ref, this.json(objectPath(resource, ref, subresource), { ...request, isExpected }));
  }

  /** A list, or one chunk of it, in a representation of the caller's choice. */
  readList(resource: ResourceAddress, namespace: string | undefined, request: JsonRequest = {}): Promise<Json> {
    const isExpected = ({ kind, items }: Json) => kind === "Table" || Array.isArray(items) || items === null;
    return this.json(collectionPath(resource, namespace), { ...request, isExpected });
  }

  /** Events until the server ends the watch, its connection breaks, or the user interrupts. */
  async *watch(
    resource: ResourceAddress,
    { namespace, accept, signal, ...query }: WatchQuery & { readonly accept?: string },
  ): AsyncGenerator<WatchEvent<Json>> {
    const path = withQuery(collectionPath(resource, namespace), { ...query, watch: true });
    try {
      yield* watchEvents<Json>(this.send, path, { ...(accept === undefined ? {} : { accept }), signal });
    } catch (error) {
      if (!this.#options.environment.signal.aborted && !isBroken(error)) throw error;
    }
  }

  /** If the namespace does not exist, the error says so instead of naming the object. */
  async #explainNamespace<T>({ namespace = "" }: Ref, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (!isNotFound(error) || namespace === "" || namespace === "default") throw error;
      await this.send.json(`/api/v1/namespaces/${encodeURIComponent(namespace)}`).catch((why: unknown) => {
        throw isNotFound(why) ? why : error;
      });
      throw error;
    }
  }

  /** Connections for streams. A server inside this process has none: it answers with a refusal. */
  get upgrade(): Upgrade {
    const { fetch, signal } = this.#options.environment;
    if (fetch === undefined) return this.#openTransport().upgrade;
    return (path, { method }) => fetch(path, { method, signal });
  }

  #openTransport(): Transport {
    const { environment, requestTimeoutMs, beforeConnecting } = this.#options;
    const { access } = this;
    beforeConnecting?.();
    this.#transport ??= openTransport(access, {
      clock: environment.clock,
      env: environment.env,
      // Only a credential plugin needs it, and looking opens the standard input.
      get isInteractive() {
        return environment.stdin.isTerminal;
      },
      userAgent: userAgentOf(environment),
      requestTimeoutMs: requestTimeoutMs(),
    });
    return this.#transport;
  }

  /** What the server serves, read once; `fresh`: not from the disk. */
  discovery(fresh = false): Promise<Discovery> {
    if (fresh) this.#discovery = undefined;
    this.#discovery ??= this.#discover(fresh);
    return this.#discovery;
  }

  async #discover(fresh: boolean): Promise<Discovery> {
    const cache = this.#discoveryCache;
    const kept = fresh ? undefined : cache?.read();
    if (kept !== undefined) return kept;
    const found = await discover(this.send);
    cache?.write(found);
    return found;
  }

  /** Whether types can be looked up without a request. */
  get hasDiscovery(): boolean {
    return this.#discovery !== undefined || this.#discoveryCache?.read() !== undefined;
  }

  /** Definitions and registrations change discovery and schemas. */
  #noteChange({ resource }: ResourceAddress): void {
    if (resource !== "customresourcedefinitions" && resource !== "apiservices") return;
    this.#discovery = undefined;
    this.#openApi = undefined;
    this.#discoveryCache?.remove();
  }

  get openApi(): OpenApi {
    this.#openApi ??= new OpenApi(this.send, this.#cacheFile("openapi"));
    return this.#openApi;
  }

  /** The schemas are read again when they are next needed. */
  forgetSchemas(): void {
    this.#openApi = undefined;
  }

  get #discoveryCache(): DiscoveryCacheFile | undefined {
    const file = this.#cacheFile("discovery");
    return file === undefined ? undefined : new DiscoveryCacheFile(file, this.#options.environment.clock);
  }

  #cacheFile(what: string): string | undefined {
    const { cacheFolder, environment } = this.#options;
    const { env, home, fetch } = environment;
    if (fetch !== undefined) return undefined;
    const folder = cacheFolder || join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "orch-ctl");
    const { server, impersonate } = this.access;
    const host = server.replace(/^https?:\/\//, "").replaceAll(/[^A-Za-z0-9.]/g, "_");
    return join(folder, `${host}${impersonate === undefined ? "" : "_as"}.${what}.json`);
  }

  close(): void {
    this.#transport?.close();
  }
}

const userAgentOf = ({ program, softwareVersion }: ProgramEnvironment): string =>
  `${program}/${softwareVersion} (${process.platform}/${process.arch})`;

/** The error of a refused connection names the address as the user wrote it. */
function namingServer(fetch: Fetch, server: string): Fetch {
  return async (path, init) => {
    try {
      return await fetch(path, init);
    } catch (error) {
      const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
      if (isRefused && URL.canParse(server)) Object.assign(error, { host: new URL(server).host });
      throw error;
    }
  };
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error &&
    /aborted|terminated|broke off|ECONNRESET|premature/i.test(`${error.name} ${error.message}`)
  );
}

function withoutVersion(object: Json): Json {
  const { metadata } = object;
  if (!isJson(metadata) || !metadata["resourceVersion"]) return object;
  const { resourceVersion: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

const reasonPhrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  422: "Unprocessable Entity",
};

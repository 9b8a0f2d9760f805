/** Requests to the server: paths, queries, bodies; a refusal is a ServerError with the server's Status. */

import type { Clock } from "../../base/clock.ts";
import type { Fetch } from "../../client/contract.ts";
import { decodeStoredText, encodeJson } from "../../machinery/codec/json.ts";
import { isNotFound, ServerError } from "../errors.ts";
import { isJson, type Json, text } from "../json.ts";
import type { ApiResource } from "./discovery.ts";

export interface ApiHooks {
  readonly warn: (message: string) => void;
  /** Undefined: requests are not logged. */
  readonly trace: ((line: string) => void) | undefined;
  /** Headers without credentials. Undefined: headers are not logged. */
  readonly traceHeaders?: ((lines: readonly string[]) => void) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly server: string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Place {
  readonly resource: Pick<ApiResource, "group" | "version" | "name" | "namespaced">;
  /** "" or absent: all namespaces, or none. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export function pathOf({ resource, namespace, name, subresource }: Place): string {
  const root = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const within = resource.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${within}/${resource.name}${object}${subresource === undefined ? "" : `/${subresource}`}`;
}

export class Api {
  readonly #fetch: Fetch;
  readonly hooks: ApiHooks;
  readonly #warned = new Set<string>();

  constructor(fetch: Fetch, hooks: ApiHooks) {
    this.#fetch = fetch;
    this.hooks = hooks;
  }

  /** The answer of a request that the server accepted. */
  async request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = "GET", query, body, contentType = "application/json", accept = "application/json" } = options;
    const search = searchOf(query);
    const target = search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
    const { clock, trace, server, signal } = this.hooks;
    const startMs = clock.monotonic();
    this.hooks.traceHeaders?.([`Request Headers:`, `    Accept: ${accept}`]);
    const response = await this.#ask(target, {
      method,
      headers: { accept, ...(body === undefined ? {} : { "content-type": contentType }), ...options.headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : encodeJson(body) }),
      signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
    });
    trace?.(
      `${method} ${server}${target} ${response.status} ${reasonPhrases[response.status] ?? ""} in ${Math.round(clock.monotonic() - startMs)} milliseconds`,
    );
    for (const message of warningsOf(response.headers.get("warning") ?? "")) {
      if (this.#warned.has(message)) continue;
      this.#warned.add(message);
      this.hooks.warn(message);
    }
    if (response.status >= 400) throw await refusal(response);
    return response;
  }

  /** The error of a refused connection names the address as the user wrote it. */
  async #ask(target: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(target, init);
    } catch (error) {
      const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
      if (isRefused && URL.canParse(this.hooks.server)) Object.assign(error, { host: new URL(this.hooks.server).host });
      throw error;
    }
  }

  async json(path: string, options: RequestOptions = {}): Promise<Json> {
    const value: unknown = parseAnswer(await (await this.request(path, options)).text());
    return isJson(value) ? value : {};
  }

  /** If the namespace does not exist, the error says so instead of naming the object. */
  async get(place: Place, options: RequestOptions = {}): Promise<Json> {
    try {
      return await this.json(pathOf(place), options);
    } catch (error) {
      const { namespace } = place;
      if (!isNotFound(error) || namespace === "" || namespace === "default" || namespace === undefined) throw error;
      await this.json(`/api/v1/namespaces/${encodeURIComponent(namespace)}`).catch((why: unknown) => {
        throw isNotFound(why) ? why : error;
      });
      throw error;
    }
  }

  /** The items of a list, chunk by chunk. */
  async *items(place: Place, query: Query = {}, chunkSize = 500): AsyncIterable<Json> {
    let next = "";
    do {
      const page = await this.json(pathOf(place), {
        query: { ...query, limit: chunkSize || undefined, continue: next || undefined },
      });
      const kind = String(page["kind"] ?? "").replace(/List$/, "");
      const items = Array.isArray(page["items"]) ? page["items"] : [];
      for (const item of items) if (isJson(item)) yield { apiVersion: page["apiVersion"], kind, ...item };
      next = text(page, "metadata", "continue");
    } while (next !== "");
  }

  /** Events until the server ends the watch. */
  async *watch(place: Place, options: RequestOptions & { query: Query }): AsyncIterable<Json> {
    const response = await this.request(pathOf(place), { ...options, query: { ...options.query, watch: true } });
    if (response.body === null) return;
    let rest = "";
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        rest += chunk;
        let end = rest.indexOf("\n");
        for (; end >= 0; end = rest.indexOf("\n")) {
          const line = rest.slice(0, end);
          rest = rest.slice(end + 1);
          const event: unknown = line.trim() === "" ? undefined : parseAnswer(line);
          if (isJson(event)) yield event;
        }
      }
    } catch (error) {
      // A connection that breaks ends the watch, as the server's own end does.
      if (!this.hooks.signal.aborted && options.signal?.aborted !== true && !isBroken(error)) throw error;
    }
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof Error && /aborted|terminated|ECONNRESET|premature/i.test(`${error.name} ${error.message}`);
}

/** Numbers beyond what a double holds stay exact. */
function parseAnswer(body: string): unknown {
  return body === "" ? {} : decodeStoredText(body);
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

function searchOf(query: Query | undefined): string {
  const parts = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  parts.sort(([a], [b]) => (a < b ? -1 : 1)); // the order in which traces are expected to show them
  return parts.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join("&");
}

/** `299 - "text", 299 - "text"`. */
function warningsOf(header: string): string[] {
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) =>
    (text ?? "").replaceAll(/\\(.)/g, "$1"),
  );
}

/** The error of a request that the server refused. */
export async function refusal(response: Response): Promise<ServerError> {
  const body = await response.text().catch(() => "");
  let status: Json | undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (isJson(value) && value["kind"] === "Status") status = value;
  } catch {
    // Not a Status: handled below.
  }
  status ??= {
    reason: response.status === 404 ? "NotFound" : response.status === 401 ? "Unauthorized" : "",
    message:
      response.status === 404
        ? "the server could not find the requested resource"
        : body.trim().slice(0, 500) || `the server answered with status ${response.status}`,
  };
  return new ServerError(status, response.status);
}

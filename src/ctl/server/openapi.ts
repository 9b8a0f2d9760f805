/** The schemas that a server publishes, cached on the disk while they do not change. */

import { readFileSync } from "node:fs";
import { writePrivate } from "../../base/private-file.ts";
import type { Sender } from "../../client/requests/send.ts";
import type { GroupVersionKind } from "../../machinery/openapi/definitions.ts";
import { dig, isJson, type Json, list, text } from "../json.ts";

export class OpenApi {
  readonly #send: Sender;
  readonly #file: string | undefined;
  #document: Promise<Json> | undefined;
  #byKind: Map<string, Json> | undefined;

  constructor(send: Sender, file: string | undefined) {
    this.#send = send;
    this.#file = file;
  }

  document(): Promise<Json> {
    this.#document ??= this.#load();
    return this.#document;
  }

  async #load(): Promise<Json> {
    const kept = this.#file === undefined ? undefined : read(this.#file);
    const response = await this.#send.open("/openapi/v2", {
      headers: kept === undefined ? {} : { "if-none-match": kept.etag },
      accepts: (status) => status === 200 || (status === 304 && kept !== undefined),
    });
    if (response.status === 304 && kept !== undefined) return kept.document;
    const body = await response.text();
    const value: unknown = JSON.parse(body);
    const etag = response.headers.get("etag");
    if (this.#file !== undefined && etag !== null) writePrivate(this.#file, `${JSON.stringify(etag)}\n${body}`);
    return isJson(value) ? value : {};
  }

  /** The schema of a kind, references not followed; undefined: the server does not publish it. */
  async schemaOf(gvk: GroupVersionKind): Promise<Json | undefined> {
    if (this.#byKind === undefined) {
      this.#byKind = new Map();
      const definitions = dig(await this.document(), "definitions");
      for (const schema of Object.values(isJson(definitions) ? definitions : {})) {
        if (!isJson(schema)) continue;
        const names = Object.keys(schema).find((key) => key.endsWith("-group-version-kind"));
        for (const one of names === undefined ? [] : list(schema, names)) this.#byKind.set(keyOf(one), schema);
      }
    }
    return this.#byKind.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
  }

  /** Follows a reference; other schemas are returned unchanged. */
  async resolve(schema: Json): Promise<Json> {
    const name = nameOfReference(schema);
    if (name === undefined) return schema;
    const found = dig(await this.document(), "definitions", name);
    return isJson(found) ? found : {};
  }
}

/** "io.k8s.api.core.v1.PodSpec" of a reference to it. */
export function nameOfReference(schema: Json): string | undefined {
  const reference = schema["$ref"];
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}

function keyOf(gvk: Json): string {
  return `${text(gvk, "group")}/${text(gvk, "version")}/${text(gvk, "kind")}`;
}

function read(file: string): { readonly etag: string; readonly document: Json } | undefined {
  try {
    const content = readFileSync(file, "utf8");
    const end = content.indexOf("\n");
    const etag: unknown = JSON.parse(content.slice(0, end));
    const document: unknown = JSON.parse(content.slice(end + 1));
    return typeof etag === "string" && isJson(document) ? { etag, document } : undefined;
  } catch {
    return undefined;
  }
}

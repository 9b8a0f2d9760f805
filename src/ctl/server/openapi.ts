/** The schemas that a server publishes, cached on the disk while they do not change. */

import { readFileSync } from "node:fs";
import { writePrivate } from "../../base/private-file.ts";
import type { ResourceAddress } from "../../client/contract.ts";
import type { Sender } from "../../client/requests/send.ts";
import { PublishedSchemas } from "../../machinery/openapi/read-schema.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import type { GroupVersionKind } from "../../machinery/schema/kind.ts";
import type { StructSchema } from "../../machinery/schema/schema.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { dig, isJson, type Json, list, object, text } from "../json.ts";

export class OpenApi {
  readonly #send: Sender;
  readonly #file: string | undefined;
  #document: Promise<Json> | undefined;
  #names: Map<string, string> | undefined;
  #published: PublishedSchemas | undefined;

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
    return (await this.namedSchemaOf(gvk))?.definition;
  }

  /** The same, with the name of the definition. */
  async namedSchemaOf(
    gvk: GroupVersionKind,
  ): Promise<{ readonly name: string; readonly definition: Json } | undefined> {
    const name = await this.#nameOf(gvk);
    if (name === undefined) return undefined;
    return { name, definition: object(await this.document(), "definitions", name) };
  }

  /** The name of the definition of a kind. */
  async #nameOf(gvk: GroupVersionKind): Promise<string | undefined> {
    this.#names ??= namesByKind(object(await this.document(), "definitions"));
    return this.#names.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
  }

  /**
   * How strategic merges treat objects of the resource; undefined: the server has none for it, as for custom resources, or
   * publishes no schemas.
   */
  async mergeSchema(resource: ResourceAddress): Promise<StructSchema | undefined> {
    const document = await this.document().catch((error: unknown) => {
      if (error instanceof StatusError) return {};
      throw error;
    });
    const { group, version, kind } = resource;
    const root = group === "" ? "/api" : `/apis/${group}`;
    const scope = resource.namespaced ? "/namespaces/{namespace}" : "";
    const path = `${root}/${version}${scope}/${resource.resource}/{name}`;
    const accepted = dig(document, "paths", path, "patch", "consumes");
    if (!Array.isArray(accepted) || !accepted.includes(patchMediaTypes.strategic)) return undefined;
    const name = await this.#nameOf({ group, version, kind });
    this.#published ??= new PublishedSchemas(object(document, "definitions"));
    return name === undefined ? undefined : this.#published.struct(name);
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

function namesByKind(definitions: Json): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions)) {
    const extension = isJson(schema) && Object.keys(schema).find((key) => key.endsWith("-group-version-kind"));
    for (const gvk of extension ? list(schema, extension) : [])
      names.set(`${text(gvk, "group")}/${text(gvk, "version")}/${text(gvk, "kind")}`, name);
  }
  return names;
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

/** The OpenAPI v3 documents, as JSON and protobuf, and the index that names them with their hashes. */

import type { DocumentInfo } from "../../machinery/openapi/document.ts";
import { answerHeaders, replyOfType } from "../answer/reply.ts";
import { sendPieces } from "../answer/send-pieces.ts";
import { covers, parseAccept } from "../negotiation/accept.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { bytesType, isKnown, textType } from "./serve-v2.ts";
import { createV3Documents, type V3Document } from "./v3-documents.ts";

const jsonType = "application/json";
const protobufAnswerType = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";
const requestedType = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

/** A document that is requested with its hash never changes, so clients may keep it this long. */
const lifetimeMs = 365 * 24 * 60 * 60 * 1_000;

const root = "/openapi/v3";

export function serveV3(context: ServerContext, info: DocumentInfo): (call: Call) => Promise<void> {
  const { catalog, delegate, clock } = context;
  const foreign = delegate?.schemas;
  const documents = createV3Documents(catalog, info);
  const isTyped = catalog.environment.has("typedOpenApi");
  const protobufTypes = isTyped ? [requestedType, protobufAnswerType] : [requestedType];
  const shownType = (type: string) => (isTyped ? type : type === jsonType ? textType : bytesType);

  const find = (path: string): Promise<V3Document> | undefined => {
    const [, group = "", version = ""] = path.split("/");
    if (!path.startsWith("apis/") || !delegate?.serves(group, version)) return documents.get(path);
    const found = foreign?.v3(group, version);
    if (found === undefined || path.split("/").length > 3) return undefined;
    // Other servers are asked for JSON only.
    const { bytes: json, etag } = found;
    return Promise.resolve({ hash: etag.slice(1, -1), json, protobuf: undefined });
  };

  /** Every document below, with the hash of its content: a client that has it need not request it again. */
  const answerIndex = async (call: Call): Promise<void> => {
    // As in the reference, which serves it without a type and without a tag.
    const reply = replyOfType(context, call, textType);
    if (isKnown(call.exchange.header("if-none-match"), undefined)) return call.exchange.send(304, reply.headers({}));
    const paths: Record<string, { serverRelativeURL: string }> = {};
    const others = foreign?.v3Names().map(({ group, version }) => `apis/${group}/${version}`) ?? [];
    for (const path of [...documents.paths(), ...others]) {
      const document = await find(path);
      if (document !== undefined) paths[path] = { serverRelativeURL: urlOf(path, document) };
    }
    return reply.send(Buffer.from(JSON.stringify({ paths })));
  };

  return async (call) => {
    const { path, query } = call.info;
    if (path === root) return answerIndex(call);
    const at = path.slice(root.length + 1);
    const document = await find(at);
    if (document === undefined) return sendEmpty(call, 404);
    const type = chooseType(call.exchange.header("accept"), document, protobufTypes);
    const vary = { vary: "Accept" };
    if (type === undefined) return sendEmpty(call, 406, vary);
    const etag = `"${document.hash}"`;
    const hash = query.get("hash") ?? "";
    if (hash !== "" && hash !== document.hash) {
      const headers = { ...answerHeaders(call, shownType(type)), ...vary, etag, location: urlOf(at, document) };
      return call.exchange.send(301, headers, "");
    }
    const lasting =
      hash === ""
        ? {}
        : { "cache-control": "public, immutable", expires: new Date(clock.now() + lifetimeMs).toUTCString() };
    const reply = replyOfType(context, call, shownType(type));
    const headers = { etag, ...vary, ...lasting };
    if (isKnown(call.exchange.header("if-none-match"), etag)) return call.exchange.send(304, reply.headers(headers));
    const bytes = type === jsonType ? document.json : ((await document.protobuf?.()) ?? document.json);
    return sendPieces(reply, [bytes], { total: bytes.length, headers });
  };
}

const urlOf = (path: string, { hash }: V3Document) => `${root}/${path}?hash=${hash}`;

/** As in the reference: only the status code. */
function sendEmpty(call: Call, code: number, more: Readonly<Record<string, string>> = {}): void {
  const { "content-type": _type, ...headers } = answerHeaders(call, jsonType);
  call.exchange.send(code, { ...headers, ...more }, "");
}

/** Undefined: nothing that the client accepts. */
function chooseType(
  accept: string | undefined,
  { protobuf }: V3Document,
  protobufTypes: readonly string[],
): string | undefined {
  if (accept === undefined || accept === "") return jsonType;
  for (const alternative of parseAccept(accept)) {
    if (covers(alternative, jsonType)) return jsonType;
    if (protobuf !== undefined && protobufTypes.includes(alternative.type)) return protobufAnswerType;
  }
  return undefined;
}

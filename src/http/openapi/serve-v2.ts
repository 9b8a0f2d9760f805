/** The OpenAPI v2 document, as JSON and protobuf, with an ETag. */

import type { DocumentInfo } from "../../machinery/openapi/document.ts";
import { type Answer, answerHeaders, type Reply, replyOfType } from "../answer/reply.ts";
import { sendPieces } from "../answer/send-pieces.ts";
import { covers, parseAccept } from "../negotiation/accept.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { createV2Documents, type PiecedDocument } from "./v2-document.ts";

const jsonType = "application/json";
/** What v1.21 calls the JSON of /openapi, which it serves as files. */
export const textType = "text/plain; charset=utf-8";
/** What it calls the protobuf. */
export const bytesType = "application/octet-stream";
/** The spelling that media type parsers take, and so the one that answers carry. */
const protobufAnswerType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The media type that command-line tools of v1.21 request. */
const requestedType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const vary = "Accept-Encoding, Accept";

export function serveV2(context: ServerContext, info: DocumentInfo): (call: Call) => Promise<void> {
  const { catalog, delegate } = context;
  const { made } = context.metrics.openApi;
  const documents = createV2Documents({ catalog, info, made, foreign: delegate?.schemas });
  const isTyped = catalog.environment.has("typedOpenApi");
  const protobufTypes = isTyped ? [requestedType, protobufAnswerType] : [requestedType];

  return async (call) => {
    const type = chooseType(call.exchange.header("accept"), protobufTypes);
    // As in the reference: no Status here, only the status code.
    if (type === undefined) {
      const { "content-type": _type, ...headers } = answerHeaders(call, jsonType);
      return call.exchange.send(406, { ...headers, vary }, "");
    }
    const isJson = type === jsonType;
    const document = await documents.get(isJson ? "json" : "protobuf");
    const fileType = isJson ? textType : bytesType;
    return sendDocument(replyOfType(context, call, isTyped ? type : fileType), document);
  };
}

function sendDocument(reply: Reply, { pieces, bytes, etag }: PiecedDocument): Answer {
  const { exchange } = reply.call;
  if (isKnown(exchange.header("if-none-match"), etag)) {
    exchange.send(304, reply.headers({ etag }));
    return;
  }
  return sendPieces(reply, pieces, { total: bytes, headers: { etag, vary } });
}

/** Whether the client already has the document with this tag; `*` means any document, even one without a tag. */
export function isKnown(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  // Weak tags are compared without their mark, as RFC 9110 says for this header.
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.some((tag) => tag === "*" || tag === etag);
}

function chooseType(accept: string | undefined, protobufTypes: readonly string[]): string | undefined {
  if (accept === undefined || accept === "") return jsonType;
  for (const alternative of parseAccept(accept)) {
    if (covers(alternative, jsonType)) return jsonType;
    // The media type that clients request contains an @, which their own parsers refuse in an answer.
    if (protobufTypes.includes(alternative.type)) return protobufAnswerType;
  }
  return undefined;
}

/** The OpenAPI documents: v2 as JSON and protobuf, with an ETag; v3 by group version. Made on the first request. */

import { type Answer, answerHeaders, type Reply, replyOfType } from "../answer/reply.ts";
import { sendPieces } from "../answer/send-pieces.ts";
import { covers, parseAccept } from "../negotiation/accept.ts";
import type { Call } from "../request/call.ts";
import type { Context } from "../server/context.ts";
import { createV2Documents, type PiecedDocument } from "./v2-document.ts";
import { createV3Documents } from "./v3-documents.ts";

const jsonType = "application/json";
/** What v1.21 calls the JSON of /openapi/v2, which it serves as a file. */
const v2AnswerType = "text/plain; charset=utf-8";
/** The spelling that media type parsers take, and so the one that answers carry. */
const openapiAnswerType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The media type that command-line tools of v1.21 request, and its registered spelling. */
const protobufTypes: readonly string[] = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  openapiAnswerType,
];

/** Undefined: the path is not an OpenAPI path. */
export function createOpenApi(context: Context): (call: Call) => Promise<void> | undefined {
  const { catalog, version, delegate } = context;
  const foreign = delegate?.schemas;
  const info = { title: "orch", version: version.gitVersion };
  const { made } = context.metrics.openApi;
  const v2 = createV2Documents({ catalog, info, made, foreign });
  const v3 = createV3Documents(catalog);

  const answerV2 = async (call: Call): Promise<void> => {
    const type = chooseType(call.exchange.header("accept"));
    // As in the reference: no Status here, only the status code.
    if (type === undefined) return call.exchange.send(406, answerHeaders(call, jsonType), "");
    const isJson = type === jsonType;
    const document = await v2.get(isJson ? "json" : "protobuf");
    return sendDocument(replyOfType(context, call, isJson ? v2AnswerType : type), document);
  };

  const answerV3 = async (call: Call, group: string, one: string): Promise<void> =>
    sendDocument(replyOfType(context, call, jsonType), await v3.get(group, one));

  /** Every document below, with the hash of its content: a client that has it need not request it again. */
  const answerIndex = async (call: Call): Promise<void> => {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const { group, versions } of catalog.groups()) {
      for (const one of versions) {
        const path = group === "" ? `api/${one}` : `apis/${group}/${one}`;
        const hash = (await v3.get(group, one)).etag.slice(1, -1);
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
    }
    for (const { group, version: one } of foreign?.v3Names() ?? []) {
      const path = `apis/${group}/${one}`;
      const hash = foreign?.v3(group, one)?.etag.slice(1, -1) ?? "";
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    return replyOfType(context, call, jsonType).send(Buffer.from(JSON.stringify({ paths })), { vary: "accept" });
  };

  return (call) => {
    const { path } = call.info;
    if (!path.startsWith("/openapi/")) return undefined;
    if (path === "/openapi/v2") return answerV2(call);
    if (path === "/openapi/v3") return answerIndex(call);
    const at = /^\/openapi\/v3\/(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(path);
    if (at === null) return undefined;
    const [, core, group = "", named = ""] = at;
    const one = core ?? named;
    if (delegate?.serves(group, one)) {
      const found = foreign?.v3(group, one);
      if (found === undefined) return undefined;
      const document = { pieces: [found.bytes], bytes: found.bytes.length, etag: found.etag };
      return Promise.resolve(sendDocument(replyOfType(context, call, jsonType), document));
    }
    if (catalog.ofGroupVersion(group, one).length === 0) return undefined;
    return answerV3(call, group, one);
  };
}

function sendDocument(reply: Reply, { pieces, bytes, etag }: PiecedDocument): Answer {
  const { exchange } = reply.call;
  const known = exchange.header("if-none-match");
  if (known !== undefined && (known === "*" || known.split(",").some((one) => one.trim() === etag))) {
    exchange.send(304, reply.headers({ etag }));
    return;
  }
  return sendPieces(reply, pieces, { total: bytes, headers: { etag, vary: "accept" } });
}

function chooseType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === "") return jsonType;
  for (const alternative of parseAccept(accept)) {
    if (covers(alternative, jsonType)) return jsonType;
    // The media type that clients request contains an @, which their own parsers refuse in an answer.
    if (protobufTypes.includes(alternative.type)) return openapiAnswerType;
  }
  return undefined;
}

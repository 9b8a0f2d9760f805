/** The OpenAPI documents: v2 as JSON and protobuf, with an ETag; v3 by group version. Made when somebody asks. */

import { createHash } from "node:crypto";
import { nextTurn } from "../../base/turns.ts";
import type { Call } from "../call.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../dispatch.ts";
import { covers, parseAccept } from "../negotiation/accept.ts";
import { answerHeaders, sendBody } from "../respond.ts";

interface Document {
  readonly body: Buffer;
  readonly etag: string;
}

const jsonType = "application/json";
/** What v1.21 calls the JSON of /openapi/v2, which it serves as a file. */
const v2AnswerType = "text/plain; charset=utf-8";
/** The spelling that media type parsers take, and so the one that answers carry. */
const openapiAnswerType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** What the command-line tools of v1.21 ask for, and the same under its registered spelling. */
const protobufTypes: readonly string[] = [
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  openapiAnswerType,
];

/** Undefined: the path is not one of OpenAPI. */
export function createOpenApi(context: Context): (call: Call) => Promise<void> | undefined {
  const { catalog, version } = context;
  let generation = -1;
  let documents = new Map<string, Promise<Document>>();
  const info = { title: "orch", version: version.gitVersion };

  /** Those who ask while it is being made wait for the same one: each makes the event loop wait for a tenth of a second. */
  const document = (name: string, make: () => Promise<Buffer>): Promise<Document> => {
    if (generation !== catalog.generation) {
      generation = catalog.generation;
      documents = new Map();
    }
    let found = documents.get(name);
    if (found === undefined) {
      const known = documents;
      found = make().then((body) => ({
        body,
        etag: `"${createHash("sha256").update(body).digest("hex").toUpperCase()}"`,
      }));
      found.catch(() => known.delete(name));
      documents.set(name, found);
    }
    return found;
  };
  // Loaded with the first request: a server that nobody asks for its schema starts without them.
  const v2Json = () =>
    document("v2", async () => {
      const { buildOpenApiV2 } = await import("../../machinery/openapi/v2.ts");
      return Buffer.from(JSON.stringify(buildOpenApiV2(catalog, info)));
    });
  const v2Protobuf = () =>
    document("v2 protobuf", async () => {
      const { encodeOpenApiV2Protobuf } = await import("../../machinery/openapi/v2-protobuf.ts");
      return encodeOpenApiV2Protobuf(JSON.parse((await v2Json()).body.toString("utf8")));
    });

  const answerV2 = async (call: Call): Promise<void> => {
    const type = chooseType(call.exchange.header("accept"));
    // As the reference: no Status here, the status code says it all.
    if (type === undefined) return call.exchange.send(406, answerHeaders(call, jsonType), "");
    const isJson = type === jsonType;
    return sendDocument(context, call, isJson ? v2AnswerType : type, await (isJson ? v2Json() : v2Protobuf()));
  };

  const v3 = (group: string, one: string) =>
    document(`v3 ${group}/${one}`, async () => {
      const { buildOpenApiV3 } = await import("../../machinery/openapi/v3.ts");
      await nextTurn(); // the index asks for all of them in a row
      return Buffer.from(JSON.stringify(buildOpenApiV3(catalog, group, one)));
    });
  const answerV3 = async (call: Call, group: string, one: string): Promise<void> =>
    sendDocument(context, call, jsonType, await v3(group, one));

  /** Every document below, with the hash of its content: a client that has it need not ask again. */
  const answerIndex = async (call: Call): Promise<void> => {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const { group, versions } of catalog.groups()) {
      for (const one of versions) {
        const path = group === "" ? `api/${one}` : `apis/${group}/${one}`;
        const hash = (await v3(group, one)).etag.slice(1, -1);
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
      }
    }
    return sendBody(context, call, 200, jsonType, Buffer.from(JSON.stringify({ paths })), { vary: "accept" });
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
    if (catalog.ofGroupVersion(group, one).length === 0) return undefined;
    return answerV3(call, group, one);
  };
}

function sendDocument(context: Context, call: Call, type: string, { body, etag }: Document): Answer {
  const { exchange } = call;
  const known = exchange.header("if-none-match");
  if (known !== undefined && (known === "*" || known.split(",").some((one) => one.trim() === etag))) {
    exchange.send(304, { ...answerHeaders(call, type), etag });
    return;
  }
  return sendBody(context, call, 200, type, body, { etag, vary: "accept" });
}

function chooseType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === "") return jsonType;
  for (const alternative of parseAccept(accept)) {
    if (covers(alternative, jsonType)) return jsonType;
    // The type that clients ask for has an @ in it, which their own parsers refuse in an answer.
    if (protobufTypes.includes(alternative.type)) return openapiAnswerType;
  }
  return undefined;
}

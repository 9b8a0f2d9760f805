/** The answer to one request: all of it but the content, which the other files of this folder add and send. */

import { gzip } from "node:zlib";
import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";
import { type AnswerBody, type ResponseHeaders, wholeBody } from "../contract/exchange.ts";
import { type Chosen, negotiatorFor } from "../negotiation/choose.ts";
import { wantsPretty } from "../negotiation/encode-value.ts";
import { plainJson } from "../negotiation/media.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";

/** What a handler returns: nothing, or a promise if it has to wait. */
export type Answer = void | Promise<void>;

type AnswerHeaders = Record<string, string | number | readonly string[]>;

export class Reply {
  readonly context: ServerContext;
  readonly call: Call;
  readonly chosen: Chosen;
  /** The handler sets another one before it sends. */
  code = 200;

  constructor(context: ServerContext, call: Call, chosen: Chosen) {
    this.context = context;
    this.call = call;
    this.chosen = chosen;
  }

  /** Whether a person reads the answer. */
  get pretty(): boolean {
    return this.chosen.representation.pretty || wantsPretty(this.call.exchange, this.call.info.query);
  }
  /** The apiVersion of a Table or of metadata, in the version that the client requested. */
  get viewApiVersion(): string {
    return `${this.context.metaGroup}/${this.chosen.representation.viewVersion}`;
  }

  headers(more?: ResponseHeaders): AnswerHeaders {
    const headers = answerHeaders(this.call, this.chosen.type);
    return more === undefined ? headers : { ...headers, ...more };
  }

  /** Sends a whole answer. Large ones are compressed outside the event loop for clients that accept it. */
  send(body: AnswerBody, more?: ResponseHeaders): Answer {
    const { call, code } = this;
    const headers = this.headers(more);
    if (body.length > this.context.limits.compressAboveBytes && acceptsGzip(call)) {
      return compress(wholeBody(body)).then((compressed) => call.exchange.send(code, gzipped(headers), compressed));
    }
    call.exchange.send(code, headers, body);
  }
}

/** An answer about objects of a kind. Throws 406 if it has no representation that the client accepts. */
export function replyAbout(context: ServerContext, call: Call, kind: BoundKind, subresource?: BoundSubresource): Reply {
  return new Reply(context, call, negotiatorFor(context, kind, subresource).choose(call.exchange.header("accept")));
}

/** An answer of which there is one representation only. */
export function replyOfType(context: ServerContext, call: Call, type: string): Reply {
  return new Reply(context, call, { representation: plainJson, type });
}

export function answerHeaders(call: Call, type: string): AnswerHeaders {
  const headers: AnswerHeaders = {
    "audit-id": call.auditId,
    // Answers depend on the user.
    "cache-control": "no-cache, private",
    "content-type": type,
  };
  if (call.warnings !== undefined) headers["warning"] = call.warnings.header();
  return headers;
}

export function acceptsGzip(call: Call): boolean {
  if (call.audit?.wantsResponse) return false; // the audit record needs the plain bytes
  const accepted = call.exchange.header("accept-encoding");
  if (accepted === undefined) return false;
  return accepted.split(",").some((part) => /^\s*gzip\s*(?:;\s*q=(?:1|0?\.[0-9]*[1-9])[0-9.]*\s*)?$/.test(part));
}

export function gzipped(headers: ResponseHeaders): ResponseHeaders {
  const { vary } = headers;
  return {
    ...headers,
    "content-encoding": "gzip",
    vary: vary === undefined ? "accept-encoding" : withEncoding(String(vary)),
  };
}

const withEncoding = (vary: string) => (/accept-encoding/i.test(vary) ? vary : `${vary}, accept-encoding`);

/** Speed matters more than the last few percent of compression. */
export const gzipLevel = 1;

function compress(body: Buffer | string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, { level: gzipLevel }, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/**
 * Adapts a backend's answer for the client: links and redirects point to the proxied path, CORS headers are dropped.
 */

import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createDeflateRaw, createGunzip, createGzip, createInflateRaw } from "node:zlib";
import type { ShapedAnswer } from "../forwarding/forward.ts";
import type { AnswerHeaders } from "../forwarding/headers.ts";
import { rewriteHtml } from "./html-links.ts";
import { type LinkContext, rewriteUrl } from "./rewrite-url.ts";

/** A compressed page is unpacked for its links; beyond this size the connection is closed. */
export const unpackedHtmlBytesMax = 64 * 1024 * 1024;

/** This server decides which origins may read its answers. */
const corsHeaders = [
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
];

export function shapeAnswer(given: AnswerHeaders, auditId: string, links: LinkContext): ShapedAnswer {
  const headers: AnswerHeaders = { "cache-control": "no-cache, private", ...given, "audit-id": auditId };
  for (const name of corsHeaders) delete headers[name];
  const location = headers["location"];
  if (typeof location === "string" && location !== "") {
    headers["location"] = rewriteUrl(location, links);
    return { headers };
  }
  const type = String(headers["content-type"] ?? "").split(";")[0]!;
  if (type.trim() !== "text/html") return { headers };
  const packing = packings.get(String(headers["content-encoding"] ?? ""));
  if (packing === undefined) return { headers }; // an encoding that we do not understand
  delete headers["content-length"];
  const rewrite = (pieces: AsyncIterable<Buffer>) => rewriteHtml(pieces, (url) => rewriteUrl(url, links));
  return { headers, through: packing === "plain" ? rewrite : (body) => repacked(body, packing, rewrite) };
}

interface Packing {
  unpack(): Transform;
  pack(): Transform;
}

const flush = { flush: constants.Z_SYNC_FLUSH }; // a page that arrives slowly is shown as it arrives
const packings: ReadonlyMap<string, Packing | "plain"> = new Map<string, Packing | "plain">([
  ["", "plain"],
  ["identity", "plain"],
  ["gzip", { unpack: () => createGunzip(), pack: () => createGzip(flush) }],
  ["deflate", { unpack: () => createInflateRaw(), pack: () => createDeflateRaw(flush) }],
]);

function repacked(
  body: AsyncIterable<Buffer>,
  { unpack, pack }: Packing,
  rewrite: (pieces: AsyncIterable<Buffer>) => AsyncIterable<Buffer>,
): AsyncIterable<Buffer> {
  return pipeline(
    Readable.from(body),
    unpack(),
    (pieces: AsyncIterable<Buffer>) => rewrite(bounded(pieces)),
    pack(),
    () => {}, // the error surfaces where the result is read
  ) as AsyncIterable<Buffer>;
}

async function* bounded(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > unpackedHtmlBytesMax) throw new Error(`the page is larger than ${unpackedHtmlBytesMax} bytes`);
    yield piece;
  }
}

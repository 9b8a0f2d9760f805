/** Answers what Node's parser of HTTP/1.1 cannot read. Such a request has no exchange: it is neither authenticated nor logged. */

import { METHODS, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { StatusError } from "../../machinery/status/status.ts";
import { refusal } from "./malformed.ts";

interface ParserError extends Error {
  readonly code?: string;
  /** The bytes that were read last. */
  readonly rawPacket?: Buffer;
}

/** Answers, unless an answer to an earlier request has begun, and closes the connection. All answers but one are Node's own. */
export function refuseUnreadable(error: ParserError, socket: Socket): void {
  // Node keeps the answer in progress here; two answers must not be mixed. A client may have the whole of an answer, and send its next
  // request, before this side knows that it has sent it.
  const { _httpMessage: current } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  const isFree = socket.writable && (!current?.headersSent || current.writableEnded);
  if (isFree && error.code === "HPE_INVALID_METHOD" && beginsWithUnknownMethod(error)) {
    socket.write(unknownMethod);
    socket.destroySoon();
    return;
  }
  if (isFree) socket.write(answerTo(error.code));
  socket.destroy(error);
}

/**
 * Anything else is not a request, but for example the rest of a refused body. If the bytes begin with a request that can be read, the
 * method is that of a later one, and an answer would be taken for the answer to the first.
 */
function beginsWithUnknownMethod({ rawPacket }: ParserError): boolean {
  const method = requestLine.exec(rawPacket?.subarray(0, requestLineBytesMax).toString("latin1") ?? "")?.[1];
  return method !== undefined && !METHODS.includes(method);
}

const requestLine = /^([A-Z][A-Z-]{0,31}) \/[^\s]* HTTP\/1\.[01]\r\n/;
const requestLineBytesMax = 8_192;

function answerTo(code: string | undefined): string {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return refusal(431);
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return refusal(413);
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal(408);
    default:
      return refusal(400);
  }
}

/** A method that HTTP does not know, over HTTP/1.1: the same answer as any method that a path does not have. */
const unknownMethod = (() => {
  const refused = new StatusError(
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {
      details: {},
    },
  );
  const body = `${JSON.stringify(refused.toStatus())}\n`;
  const headers = [
    "Content-Type: application/json",
    "Cache-Control: no-cache, private",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `HTTP/1.1 405 Method Not Allowed\r\n${headers.join("\r\n")}\r\n\r\n${body}`;
})();

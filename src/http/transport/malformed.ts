/** Requests over HTTP/1.1 that Node's parser lets pass and that no client should send: proxies in front might read them otherwise. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";

/** The characters of a host, as v1.21 allows them. */
const hostCharacters = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

export const isValidHost = (host: string): boolean => hostCharacters.test(host);

/** Whether such a request is refused with 400. */
export function isMalformed({ httpVersion, rawHeaders }: Pick<IncomingMessage, "httpVersion" | "rawHeaders">): boolean {
  // A request line without a version is 0.9 to the parser.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return true;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length !== 4 || rawHeaders[at]!.toLowerCase() !== "host") continue;
    if (++hosts > 1 || !isValidHost(rawHeaders[at + 1]!)) return true;
  }
  return false;
}

/** Such a request has no exchange: it is neither authenticated nor logged. Its connection is closed, since what follows cannot be trusted. */
export function refuseMalformed(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(400, { connection: "close", "content-length": 0 }).end(() => request.socket.destroySoon());
}

export const refusal = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`;

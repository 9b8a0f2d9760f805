/** The status line and headers of an answer over HTTP/1.1, as Node writes them. */

import { STATUS_CODES } from "node:http";
import type { ResponseHeaders } from "../contract/exchange.ts";

/** What the connection says about itself behind the headers of an answer. */
export interface AnswerFraming {
  /** "Connection: keep-alive\r\nKeep-Alive: timeout=90\r\n", or that it closes. */
  readonly connection: string;
  /** The length of the body, or "chunked"; undefined: the answer has no body, or its headers tell the length. */
  readonly body: number | "chunked" | undefined;
}

export const closing = "Connection: close\r\n";

/** Header names and values that would end their line, or that a client cannot read. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** `fixed` is name, value, name, value, and stands in for headers of the same names. Throws if a header cannot be sent. */
export function answerHead(
  status: number,
  fixed: readonly string[],
  headers: ResponseHeaders,
  { connection, body }: AnswerFraming,
): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
  for (let at = 0; at + 1 < fixed.length; at += 2) text += line(fixed[at]!, fixed[at + 1]!);
  for (const name in headers) {
    const value = headers[name]!;
    if (fixed.includes(name)) continue;
    if (typeof value === "object") for (const one of value) text += line(name, one);
    else text += line(name, String(value));
  }
  if (typeof body === "number") text += `content-length: ${body}\r\n`;
  if (headers["date"] === undefined) text += `Date: ${date()}\r\n`;
  text += connection;
  if (body === "chunked") text += "Transfer-Encoding: chunked\r\n";
  return `${text}\r\n`;
}

function line(name: string, value: string): string {
  if (forbidden.test(value) || !token.test(name))
    throw new TypeError(`the header ${JSON.stringify(name)} cannot be sent`);
  return `${name}: ${value}\r\n`;
}

const printed = { second: 0, text: "" };

/** The time as HTTP prints it. Printed once a second. */
function date(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== printed.second) {
    printed.second = second;
    printed.text = new Date(second * 1_000).toUTCString();
  }
  return printed.text;
}

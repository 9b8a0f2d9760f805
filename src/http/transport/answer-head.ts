/** The status line and headers of an answer over HTTP/1.1, as Node writes them. */

import { STATUS_CODES } from "node:http";
import type { ResponseHeaders } from "../contract/exchange.ts";
import { headerName } from "./header-table.ts";

/** What the connection says about itself behind the headers of an answer. */
export interface AnswerFraming {
  /** "Connection: keep-alive\r\nKeep-Alive: timeout=90\r\n", or that it closes. */
  readonly connection: string;
  /** The length of the body, or "chunked"; undefined: the answer has no body, or its headers tell the length. */
  readonly body: number | "chunked" | undefined;
}

export const closing = "Connection: close\r\n";

/** In values: what would end their line, or what a client cannot read. */
const forbidden = /[^\t\x20-\x7e\x80-\xff]/;

/** `headers` is name, value, name, value. Throws if one of them cannot be sent. */
export function answerHead(status: number, headers: readonly string[], { connection, body }: AnswerFraming): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
  let hasDate = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]!;
    text += line(name, headers[at + 1]!);
    hasDate ||= name === "date";
  }
  if (typeof body === "number") text += `content-length: ${body}\r\n`;
  if (!hasDate) text += `Date: ${date()}\r\n`;
  text += connection;
  if (body === "chunked") text += "Transfer-Encoding: chunked\r\n";
  return `${text}\r\n`;
}

/** Name, value, name, value. A header of `fixed`, which has that form, stands in for one of the same name. */
export function flatten(headers: ResponseHeaders, fixed: readonly string[]): string[] {
  const flat = fixed.slice();
  for (const name in headers) {
    const value = headers[name]!;
    if (fixed.includes(name)) continue;
    if (typeof value === "object") for (const one of value) flat.push(name, one);
    else flat.push(name, String(value));
  }
  return flat;
}

function line(name: string, value: string): string {
  if (forbidden.test(value) || !headerName.test(name))
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

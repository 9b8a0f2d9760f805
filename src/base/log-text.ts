/** One line of the log for people: time, level, message, then key=value pairs. */

import type { LogRecord } from "./log-writer.ts";

const colors: Readonly<Record<LogRecord["level"], string>> = { debug: "90", info: "32", warn: "33", error: "31" };

/** 12:30:01.250 INFO  request method=GET path=/api/v1/pods code=403 */
export function textLine({ level, time, message, fields }: LogRecord, colored: boolean): string {
  const paint = (code: string, text: string) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const pairs = Object.entries(fields).map(
    ([key, value]) => ` ${paint("90", `${escapeControls(key)}=`)}${shown(value)}`,
  );
  const name = paint(colors[level], level.toUpperCase().padEnd(5));
  return `${paint("90", time.slice(11, 23))} ${name} ${escapeControls(message)}${pairs.join("")}\n`;
}

/** Quoted if it would not read as one word. An error shows only its message here; JSON has the stack. */
function shown(value: unknown): string {
  if (typeof value === "string") return escapeControls(/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
  if (isError(value)) return escapeControls(JSON.stringify(value.message));
  return escapeControls(JSON.stringify(value) ?? "");
}

function isError(value: unknown): value is { readonly message: string } {
  return typeof value === "object" && value !== null && "stack" in value && "message" in value;
}

/** JSON does not escape these, but a terminal or another reader may treat them as a control character or a line end. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

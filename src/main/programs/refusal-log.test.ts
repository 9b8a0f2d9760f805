import { expect, test } from "vitest";
import type { Log } from "../../base/log.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { withOneRefusal } from "./refusal-log.ts";

test("many refusals are one error with advice, and other failures are passed on", () => {
  const lines: unknown[] = [];
  const to = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    lines.push([level, message, fields]);
  };
  const inner: Log = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
  const log = withOneRefusal(inner, "use another flag");
  const refused = () => new StatusError("Forbidden", 'pods is forbidden: User "m" cannot list resource "pods"');
  for (const controller of ["a", "b", "c"]) log.warn("a controller failed", { controller, error: refused() });
  const other = new Error("another problem");
  log.warn("a controller failed", { controller: "d", error: other });
  const message = 'pods is forbidden: User "m" cannot list resource "pods"';
  expect(lines).toEqual([
    ["error", "the server refuses requests of this manager; use another flag", { controller: "a", error: message }],
    ["debug", "a controller failed", { controller: "b", error: message }],
    ["debug", "a controller failed", { controller: "c", error: message }],
    ["warn", "a controller failed", { controller: "d", error: other }],
  ]);
});

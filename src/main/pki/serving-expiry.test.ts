import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { issueAuthority, issueServing, type KeyPair } from "./issue.ts";
import { watchServingExpiry } from "./serving-expiry.ts";

const day = 86_400_000;

test("the log says that the serving certificate expires soon and that it has expired, each once, and again after a renewal", () => {
  const clock = createManualClock(Date.parse("2026-01-01T00:00:00Z"));
  const issue = (): KeyPair => {
    const authority = issueAuthority("test", clock);
    return issueServing(authority, { commonName: "test", hosts: ["localhost"] }, clock);
  };
  let serving = issue();
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log: Log = { debug: () => {}, info: note("info"), warn: note("warn"), error: note("error") };
  const watched = watchServingExpiry({ serving: () => serving, clock, log });
  const pass = (days: number) => {
    for (let hours = 0; hours < days * 24; hours++) clock.advance(day / 24);
  };
  pass(350);
  expect(lines).toEqual([]);
  pass(10);
  expect(lines).toEqual(["warn the serving certificate expires soon"]);
  pass(10);
  expect(lines).toEqual([
    "warn the serving certificate expires soon",
    "error the serving certificate has expired, and clients refuse it",
  ]);
  serving = issue();
  pass(2);
  expect(lines).toHaveLength(2);
  watched.close();
});

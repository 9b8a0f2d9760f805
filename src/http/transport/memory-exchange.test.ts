import { expect, test, vi } from "vitest";
import { createMemoryFetch, ownRequestsBegunMax } from "./memory-exchange.ts";

test("one signal ends any number of requests, without a warning about listeners", async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on("warning", collect);
  const fetch = createMemoryFetch(async () => {});
  const stop = new AbortController();
  const outcomes = Array.from({ length: 20 }, () => fetch("/", { signal: stop.signal }));
  await new Promise((resolve) => setTimeout(resolve, 1)); // a warning comes in the next turn
  stop.abort(new Error("stopped"));
  for (const outcome of outcomes) await expect(outcome).rejects.toThrow("stopped");
  process.off("warning", collect);
  expect(warnings).toEqual([]);
});

test("a streamed answer to HEAD has headers and no body", async () => {
  const fetch = createMemoryFetch(async (exchange) => {
    exchange.respond(200, { etag: '"1"' });
    exchange.write(Buffer.from("content"));
    await exchange.drained();
    exchange.end();
  });
  const answer = await fetch("/", { method: "HEAD" });
  expect([answer.headers.get("etag"), answer.body, await answer.text()]).toEqual(['"1"', null, ""]);
});

const answering = () => createMemoryFetch(async (exchange) => exchange.send(200, {}, "ok"));

test("a program that sends one request after the other gets to its timers", async () => {
  const fetch = answering();
  let isDue = false;
  setTimeout(() => {
    isDue = true;
  }, 1);
  while (!isDue) await fetch("/");
});

test("requests are answered while a test has replaced the timers of its process", async () => {
  const fetch = answering();
  vi.useFakeTimers();
  try {
    for (let sent = 0; sent < 3 * ownRequestsBegunMax; sent++) expect((await fetch("/")).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

/** Requests that end before their work does: the client disconnects, or the request times out. */

import { afterEach, describe, expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { admitAll } from "../registry/contract/admission.ts";
import { ask, openTestServer, type TestServer } from "./server.fixture.ts";

const gadgets = "/apis/toys.example.com/v1/namespaces/a/gadgets";
const patch = { "content-type": "application/merge-patch+json" };

let server: TestServer | undefined;
afterEach(() => server?.close());

/** A server with one gadget whose admission is slow: it waits until `admit` is called. */
async function openSlowServer() {
  const clock = createManualClock(1_700_000_000_000);
  const errors: string[] = [];
  const state = { isSlow: false, waiting: [] as (() => void)[] };
  const validate = async () => {
    if (state.isSlow) await new Promise<void>((resolve) => state.waiting.push(resolve));
  };
  const log = { debug() {}, info() {}, warn() {}, error: (text: string) => errors.push(text) };
  server = await openTestServer({ clock, log, admission: { ...admitAll, validate } });
  const { fetch } = server;
  await ask(fetch, "POST", gadgets, { metadata: { name: "old" }, spec: { size: 1 } });
  state.isSlow = true;
  return {
    fetch,
    clock,
    errors,
    isWaiting: () => expect.poll(() => state.waiting.length).toBe(1),
    async admit() {
      state.waiting.shift()?.();
      state.isSlow = false;
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
    async sizes() {
      const [, list] = await ask(fetch, "GET", gadgets);
      return (list as { items: { metadata: { name: string }; spec?: { size: number } }[] }).items.map(
        ({ metadata, spec }) => `${metadata.name} ${spec?.size}`,
      );
    },
  };
}

const writes: readonly { method: string; path: string; body?: unknown; headers?: Record<string, string> }[] = [
  { method: "POST", path: gadgets, body: { metadata: { name: "new" } } },
  { method: "PUT", path: `${gadgets}/old`, body: { metadata: { name: "old" }, spec: { size: 2 } } },
  { method: "PATCH", path: `${gadgets}/old`, body: { spec: { size: 2 } }, headers: patch },
  { method: "DELETE", path: `${gadgets}/old` },
  { method: "DELETE", path: gadgets },
];

describe("a write", () => {
  for (const { method, path, body, headers = { "content-type": "application/json" } } of writes) {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };

    test(`that was answered 504 does not happen afterwards: ${method} ${path}`, async () => {
      const slow = await openSlowServer();
      const answer = slow.fetch(path, init);
      await slow.isWaiting();
      slow.clock.advance(61_000);
      expect((await answer).status).toBe(504);
      await slow.admit();
      expect([await slow.sizes(), slow.errors]).toEqual([["old 1"], []]);
    });

    test(`whose client has gone does not happen: ${method} ${path}`, async () => {
      const slow = await openSlowServer();
      const abort = new AbortController();
      const answer = slow.fetch(path, { ...init, signal: abort.signal });
      await slow.isWaiting();
      abort.abort();
      await expect(answer).rejects.toThrow();
      await slow.admit();
      expect([await slow.sizes(), slow.errors]).toEqual([["old 1"], []]);
    });
  }
});

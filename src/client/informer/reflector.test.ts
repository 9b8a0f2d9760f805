import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { inNextTurn } from "../../base/turns.ts";
import type { CachedObject, ListWatch } from "../contract.ts";
import { type Receiver, reflect } from "./reflector.ts";

/** More than a time slice. */
const decodeMs = 9;

interface Item {
  readonly name: string;
}

function slowToDecode(name: string): CachedObject<Item> {
  return {
    namespace: "",
    name,
    revision: 1n,
    labels: new Map(),
    object() {
      for (const end = performance.now() + decodeMs; performance.now() < end; );
      return { name };
    },
  };
}

test("others use the event loop while a list of objects that take long to decode is received", async () => {
  const listWatch: ListWatch<Item> = {
    address: { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: false },
    list: async () => ({
      items: Array.from({ length: 10 }, (_, at) => slowToDecode(`x${at}`)),
      continue: "",
      resourceVersion: "1",
    }),
    // biome-ignore lint/correctness/useYield: nothing changes
    async *watch({ signal } = {}) {
      await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    },
  };
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) inNextTurn(count);
  };
  inNextTurn(count);
  const turns = new Map<number, number>();
  const stopped = new AbortController();
  await new Promise<void>((resolve) => {
    const receiver: Receiver<Item> = {
      part(objects) {
        for (const held of objects) held.object();
        turns.set(turn, (turns.get(turn) ?? 0) + objects.length);
      },
      listed: resolve,
      changed() {},
      restarted() {},
    };
    const options = { selection: {}, clock: systemClock, log: silentLog, random: Math.random, signal: stopped.signal };
    void reflect({ ...options, listWatch, receiver });
  });
  isOver = true;
  stopped.abort();
  expect(Math.max(...turns.values())).toBe(1);
});

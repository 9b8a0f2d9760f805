import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import type { JsonObject } from "../../machinery/json/json-value.ts";
import { createServer, type OrchServer } from "../../main/library.ts";
import { reflect } from "../informer/reflector.ts";
import { listWatchOfAnswers } from "./list-watch-of-answers.ts";
import { createSender } from "./send.ts";

let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ controllers: false });
  for (const name of ["a", "b", "c"]) await add(name);
});
afterAll(() => server.close());

const path = "/api/v1/namespaces/default/configmaps";
const add = (name: string) => server.fetch(path, { method: "POST", body: JSON.stringify({ metadata: { name } }) });

const address = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };
const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
const firstCells = (answer: JsonObject) => (answer["rows"] as { cells: unknown[] }[]).map(({ cells }) => cells[0]);

/** Tables of the config maps of the namespace default, in pages of two. */
const tables = (itemsMax = Number.POSITIVE_INFINITY) => {
  const send = createSender({ fetch: server.fetch, clock: systemClock, userAgent: "test" });
  return listWatchOfAnswers({ send, address, namespace: "default", query: {}, accept, pageItems: 2, itemsMax });
};

test("a list is followed in the representation that was asked for: its pages, then an answer for each change", async () => {
  const stopped = new AbortController();
  const seen: unknown[] = [];
  await reflect({
    listWatch: tables(),
    selection: {},
    receiver: {
      restarted: () => seen.push("begins"),
      part: (pages) => seen.push(...pages.map((page) => firstCells(page.object()))),
      listed() {
        seen.push("complete");
        void add("d");
      },
      changed(type, held) {
        seen.push([type, firstCells(held.object())]);
        stopped.abort();
      },
    },
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    signal: stopped.signal,
  });
  expect(seen).toEqual(["begins", ["a", "b"], ["c"], "complete", ["ADDED", ["d"]]]);
});

test("a list ends with the page that reaches the limit", async () => {
  const page = await tables(2).list();
  expect(page.items.map((item) => firstCells(item.object()))).toEqual([["a", "b"]]);
  expect(page.continue).toBe("");
  expect((await tables(3).list()).continue).not.toBe("");
});

import { expect, test } from "vitest";
import type { Pod } from "../../../api/core/v1/pod.ts";
import { countingInformer } from "../pods/informer.suite.ts";
import { podOf } from "../pods/pod.suite.ts";
import { unfinished } from "../pods/state.ts";
import { byController } from "./by-controller.ts";

test("pods that have ended cost nothing, however many they are", () => {
  const { informer, put, decodedBy } = countingInformer<Pod>("pods", "Pod");
  const running = byController(informer, unfinished);
  const all = byController(informer);
  for (let at = 0; at < 500; at++) {
    put(podOf({ name: `p${at}`, owner: "me" }));
    if (at < 497) put(podOf({ name: `p${at}`, owner: "me", phase: "Failed" }));
  }
  const everything = { matches: () => true };
  const me = { metadata: { uid: "me", namespace: "ns" } };
  expect(decodedBy(() => [...running.candidatesOf(me, everything)])).toBe(3);
  expect([running.countOf(me), running.ownedBy(me).length]).toEqual([3, 3]);
  expect([all.countOf(me), decodedBy(() => all.ownedBy(me))]).toEqual([500, 500]);
});

test("an owner decodes the orphans that it selects, each when it is read", () => {
  const { informer, put, decodedBy } = countingInformer<Pod>("pods", "Pod");
  const index = byController(informer);
  for (let at = 0; at < 500; at++) put(podOf({ name: `p${at}`, labels: { app: at % 100 === 0 ? "mine" : "other" } }));
  const me = { metadata: { uid: "me", namespace: "ns" } };
  const mine = { matches: (labels: ReadonlyMap<string, string>) => labels.get("app") === "mine" };
  expect(decodedBy(() => expect([...index.candidatesOf(me, mine)]).toHaveLength(5))).toBe(5);
  const candidates = index.candidatesOf(me, mine)[Symbol.iterator]();
  expect(decodedBy(() => candidates.next())).toBe(1);
});

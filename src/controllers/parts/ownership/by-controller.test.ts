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
  const me = { metadata: { uid: "me", namespace: "ns" } };
  expect(decodedBy(() => running.candidatesOf(me))).toBe(3);
  expect([running.countOf(me), running.ownedBy(me).length]).toEqual([3, 3]);
  expect([all.countOf(me), decodedBy(() => all.ownedBy(me))]).toEqual([500, 500]);
});

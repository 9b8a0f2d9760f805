import { expect, test } from "vitest";
import type { Manifest } from "../input/manifests.ts";
import { batchesOf } from "./batches.ts";
import { workInOrder, writesAtOnceMax } from "./in-order.ts";

const manifest = (kind: string, name: string, more: object = {}): Manifest => ({
  object: { apiVersion: "v1", kind, metadata: { name, ...more } },
  source: "f",
  line: 1,
});

test("results come in order, with a limited number of objects in progress, and failures do not stop others", async () => {
  let running = 0;
  let most = 0;
  const done: unknown[] = [];
  await workInOrder({
    batches: [Array.from({ length: 50 }, (_, at) => at)],
    async work(at) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, (at * 7) % 5));
      running--;
      if (at === 13) throw new Error("13");
      return at;
    },
    onDone: (at) => done.push(at),
    onFailed: (error) => done.push((error as Error).message),
  });
  expect(done).toEqual(Array.from({ length: 50 }, (_, at) => (at === 13 ? "13" : at)));
  expect(most).toBe(writesAtOnceMax);
});

test("objects wait for the namespaces, definitions and accounts before them, and for earlier manifests of themselves", () => {
  const all = [
    manifest("ConfigMap", "a"),
    manifest("ConfigMap", "b"),
    manifest("Namespace", "n"),
    manifest("Namespace", "m"),
    manifest("ServiceAccount", "s"),
    manifest("Pod", "p"),
    manifest("Service", "p"),
    manifest("Pod", "p", { namespace: "n" }),
    manifest("Pod", "p"),
  ];
  const names = batchesOf(all).map((batch) => batch.map(({ object }) => `${String(object["kind"])}`));
  expect(names).toEqual([
    ["ConfigMap", "ConfigMap"],
    ["Namespace", "Namespace"],
    ["ServiceAccount"],
    ["Pod", "Service", "Pod"],
    ["Pod"],
  ]);
});

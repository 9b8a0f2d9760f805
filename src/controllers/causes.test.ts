import { expect, test } from "vitest";
import { reconciledKey, whileReconciling, withCauses } from "./causes.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("work on several keys at once knows its own, however it ends", async () => {
  const sent: (string | null)[] = [];
  const fetch = withCauses(async (_path, init) => {
    sent.push(new Headers(init?.headers).get("orch-cause"));
    return new Response();
  });
  const work = (key: string, turns: number) =>
    whileReconciling({ controller: "test", key }, async () => {
      for (let at = 0; at < turns; at++) await turn();
      await fetch("/x", { method: "POST" });
      if (key === "b") throw new Error("refused");
      return [key, reconciledKey()];
    });
  const [a, b, c] = await Promise.allSettled([work("a", 1), work("b", 2), work("c", 3)]);
  expect([a.status, b.status, c.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(c).toMatchObject({ value: ["c", "c"] });
  expect(sent).toEqual(["test a", "test b", "test c"]);

  expect(reconciledKey()).toBeUndefined();
  expect(await work("d", 1)).toEqual(["d", "d"]);
});

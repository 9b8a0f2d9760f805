import { expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Fetch } from "../../client/contract.ts";
import { levelOf, readServerLevel } from "./server-level.ts";

test.each([
  ["1", "21", "1.21"],
  ["1", "21+", "1.21"],
  ["1", "20", "1.21"],
  ["1", "34", "1.34"],
  ["1", "35", "1.35"],
  ["1", "36+", "1.36"],
  ["1", "39", "1.37"],
  ["", "", "1.21"],
  [undefined, undefined, "1.21"],
])("the level for a server of version %s.%s is not newer than it", (major, minor, level) => {
  expect(levelOf({ major, minor })).toBe(level);
});

test("a server that does not answer yet is asked again", async () => {
  const clock = createManualClock(0);
  let asked = 0;
  const fetch: Fetch = async () => {
    asked += 1;
    if (asked === 1) throw new Error("refused");
    const text = JSON.stringify({ major: "1", minor: "35" });
    return new Response(asked === 2 ? "" : text, { status: asked === 2 ? 503 : 200 });
  };
  let level = "";
  const reading = readServerLevel(fetch, clock, new AbortController().signal).then((read) => {
    level = read;
  });
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return level;
    })
    .toBe("1.35");
  await reading;
  expect(asked).toBe(3);
});

test("a manager that stops asks no longer", async () => {
  const stopping = new AbortController();
  const never: Fetch = (_path, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  const reading = readServerLevel(never, createManualClock(0), stopping.signal);
  stopping.abort(new Error("stopping"));
  await expect(reading).rejects.toThrow("stopping");
});

import { expect, test } from "vitest";
import { WebhookConditions } from "./conditions.ts";

/** How often other work of the process has its turn before a promise is settled. */
async function turnsUntil(settled: unknown): Promise<number> {
  let isOver = false;
  const end = Promise.resolve(settled).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
  await end;
  return turns;
}

test("are compiled once, for the first request that needs them", async () => {
  const conditions = new WebhookConditions([{ expression: "request.name == 'a'" }, { expression: "1 +" }], "1.35");
  const compiled = await conditions.compiled();
  expect(compiled.map(({ program }) => program !== undefined)).toEqual([true, false]);
  expect(conditions.compiled()).toBe(compiled);
});

test("hundreds of them are compiled in many turns", async () => {
  const expression = Array.from({ length: 100 }, (_, n) => `request.name != 'n${n}'`).join(" && ");
  const conditions = new WebhookConditions(
    Array.from({ length: 500 }, () => ({ expression })),
    "1.35",
  );
  expect(await turnsUntil(conditions.compiled())).toBeGreaterThan(20);
  expect(await conditions.compiled()).toHaveLength(500);
});

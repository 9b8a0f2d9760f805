import { expect, test } from "vitest";
import { BudgetHold, createMemoryBudget, Suspended } from "./memory-budget.ts";

test("work that fits begins at once, the rest in order, and the largest alone", async () => {
  const budget = createMemoryBudget(10);
  const begun: string[] = [];
  const enter = async (name: string, size: number) => {
    await budget.enter(size);
    begun.push(name);
  };
  const all = [enter("a", 6), enter("b", 4), enter("c", 5), enter("d", 1), enter("e", 99), enter("f", 1)];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  // d would fit, but must not overtake c.
  expect(begun).toEqual(["a", "b"]);
  budget.leave(6);
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  budget.leave(4);
  budget.leave(5);
  await settle();
  expect(begun).toHaveLength(4);
  budget.leave(1);
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  budget.leave(99);
  await Promise.all(all);
  budget.leave(1);
  expect(budget.enter(10)).toBeUndefined();
});

test("a suspended hold leaves its memory to others, and waits in line to resume", async () => {
  const budget = createMemoryBudget(10);
  const hold = new BudgetHold(budget, new Suspended(100), 8);
  budget.enter(8);
  let entered = false;
  const other = budget.enter(5)?.then(() => {
    entered = true;
  });
  expect(hold.release()).toBe(true);
  await other;
  expect(entered).toBe(true);
  const again = hold.acquire();
  expect(again).toBeInstanceOf(Promise);
  budget.leave(5);
  await again;
  hold.end();
  expect(budget.enter(10)).toBeUndefined();
});

test("the amount of suspended work is limited, and work that ends there is no longer counted", () => {
  const budget = createMemoryBudget(10);
  const suspended = new Suspended(10);
  const holds = [6, 6, 4].map((size) => {
    budget.enter(size);
    return new BudgetHold(budget, suspended, size);
  });
  expect(holds.map((hold) => hold.release())).toEqual([true, false, true]);
  for (const hold of holds) hold.end();
  expect(suspended.add(10)).toBe(true);
});

test("a hold that ends while it waits leaves the line", async () => {
  const budget = createMemoryBudget(10);
  budget.enter(10);
  const hold = new BudgetHold(budget, new Suspended(100), 10);
  hold.release();
  budget.enter(10);
  const again = hold.acquire();
  hold.end();
  budget.leave(10);
  await again;
  expect(budget.enter(10)).toBeUndefined();
});

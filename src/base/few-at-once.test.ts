import { expect, test } from "vitest";
import { fewAtOnce } from "./few-at-once.ts";

const hundred = Array.from({ length: 100 }, (_, at) => at);

test("few are in progress at a time, and the results are in order", async () => {
  let [running, most] = [0, 0];
  const results = await fewAtOnce(8, hundred, async (item) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return item * 2;
  });
  expect([most, results]).toEqual([8, hundred.map((item) => item * 2)]);
  expect(await fewAtOnce(8, [], async () => 1)).toEqual([]);
});

test("one that fails does not stop the others", async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item % 10 === 3) throw new Error(`refused ${item}`);
    done.push(item);
  };
  await expect(fewAtOnce(4, hundred, work)).rejects.toThrow("refused 3");
  expect(done).toHaveLength(90);
});

test("others are served between two pieces of work that never wait", async () => {
  let turns = 0;
  let timer: NodeJS.Immediate;
  const count = () => {
    turns++;
    timer = setImmediate(count);
  };
  timer = setImmediate(count);
  await fewAtOnce(2, hundred, async () => {});
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(20);
});

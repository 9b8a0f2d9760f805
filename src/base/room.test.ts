import { expect, test } from "vitest";
import { createRoom } from "./room.ts";

test("what fits begins at once, the rest in the order of asking, and the largest alone", async () => {
  const room = createRoom(10);
  const begun: string[] = [];
  const enter = async (name: string, size: number) => {
    await room.enter(size);
    begun.push(name);
  };
  const all = [enter("a", 6), enter("b", 4), enter("c", 5), enter("d", 1), enter("e", 99), enter("f", 1)];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  // d would fit, but must not overtake c.
  expect(begun).toEqual(["a", "b"]);
  room.leave(6);
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  room.leave(4);
  room.leave(5);
  await settle();
  expect(begun).toHaveLength(4);
  room.leave(1);
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  room.leave(99);
  await Promise.all(all);
  room.leave(1);
  expect(room.enter(10)).toBeUndefined();
});

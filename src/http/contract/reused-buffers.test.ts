import { describe, expect, test } from "vitest";
import { ReusedBuffers } from "./reused-buffers.ts";

describe("reused buffers", () => {
  test("are taken again after any part of them was given back", () => {
    const buffers = new ReusedBuffers(100, 4);
    const first = buffers.take();
    buffers.giveBack(first.subarray(0, 10));
    const again = buffers.take();
    expect([again.buffer === first.buffer, again.length]).toEqual([true, 100]);
  });

  test("have one user at a time, even if they are given back twice", () => {
    const buffers = new ReusedBuffers(100, 4);
    const first = buffers.take();
    buffers.giveBack(first);
    buffers.giveBack(first);
    expect(buffers.take().buffer).not.toBe(buffers.take().buffer);
  });

  test("are not those that came from elsewhere", () => {
    const buffers = new ReusedBuffers(100, 4);
    const other = Buffer.alloc(100);
    buffers.giveBack(other);
    expect(buffers.take().buffer).not.toBe(other.buffer);
  });

  test("are kept up to a number", () => {
    const buffers = new ReusedBuffers(100, 2);
    const taken = [buffers.take(), buffers.take(), buffers.take()];
    for (const one of taken) buffers.giveBack(one);
    const again = [buffers.take(), buffers.take(), buffers.take()].filter(({ buffer }) =>
      taken.some((one) => one.buffer === buffer),
    );
    expect(again.length).toBe(2);
  });
});

import { expect, test } from "vitest";
import { addressReserve, portReserve, reservedOf, searchOrder } from "./search-order.ts";

const rows = [
  { why: "a small range reserves nothing", size: 16, reserve: addressReserve, reserved: 0 },
  { why: "at least so many addresses", size: 126, reserve: addressReserve, reserved: 16 },
  { why: "a share of the addresses", size: 1_022, reserve: addressReserve, reserved: 63 },
  { why: "at most so many addresses", size: 65_534, reserve: addressReserve, reserved: 256 },
  { why: "a share of the ports", size: 2_768, reserve: portReserve, reserved: 86 },
  { why: "at most so many ports", size: 60_000, reserve: portReserve, reserved: 128 },
];
for (const { why, size, reserve, reserved } of rows)
  test(`${why}: ${reserved} of ${size}`, () => expect(reservedOf(size, reserve)).toBe(reserved));

test("what is reserved comes last, and each item comes once", () => {
  const order = (reserved: number, start: number) => [...searchOrder(6, reserved, (below) => start % below)];
  expect(order(2, 3)).toEqual([5, 2, 3, 4, 1, 0]);
  expect(order(0, 4)).toEqual([4, 5, 0, 1, 2, 3]);
  expect(order(6, 1)).toEqual([1, 2, 3, 4, 5, 0]);
});

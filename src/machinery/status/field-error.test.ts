import { describe, expect, test } from "vitest";
import { addTo, invalid, noErrors, ofEach, problemsFoundMax, required, together } from "./field-error.ts";

const shown = (value: unknown) => invalid("a", value, "wrong").message.replace(/^Invalid value: (.*): wrong$/s, "$1");

describe("the value of an error", () => {
  const cases: readonly { why: string; value: unknown }[] = [
    { why: "texts are quoted", value: 'a "quoted"\ntext' },
    { why: "an absent value is null", value: undefined },
    { why: "numbers, booleans and null are unchanged", value: [1, 1.5, true, null] },
    { why: "boxed numbers are numbers", value: [Object(3)] },
    { why: "absent members are omitted, absent items are null", value: { a: undefined, b: [undefined], c: {} } },
    { why: "lists and objects nest", value: { a: [{ b: "c" }, []], "odd key": { d: { e: 1 } } } },
    { why: "half a surrogate pair is escaped", value: "\ud800" },
  ];
  for (const { why, value } of cases) {
    test(`is shown as JSON: ${why}`, () => {
      expect(shown(value)).toBe(JSON.stringify(value) ?? "null");
    });
  }

  test("is shown as a string if it is an integer too large for JSON numbers", () => {
    expect(shown({ a: 2n ** 60n })).toBe('{"a":"1152921504606846976"}');
  });

  test("is cut at its limit", () => {
    const list = Array.from({ length: 500 }, (_, at) => ({ name: `n${at}`, inner: ["x".repeat(at)] }));
    for (const value of [list, { list }, "😀x\n".repeat(500), { ["k".repeat(500)]: 1 }]) {
      expect(shown(value)).toBe(`${JSON.stringify(value).slice(0, 200)}…`);
    }
  });

  test("is read only as far as it is shown: an object may have as many errors as members", () => {
    let looks = 0;
    const long = new Proxy(new Array<string>(10_000).fill("item"), {
      get(target, key, receiver) {
        looks++;
        return Reflect.get(target, key, receiver);
      },
    });
    shown(long);
    expect(looks).toBeLessThan(200);
  });
});

describe("errors of several parts", () => {
  const [a, b, c] = [required("a"), required("b"), required("c")];

  test("stay in order, and share one empty list if there are none", () => {
    expect(together([a], [], [b, c])).toEqual([a, b, c]);
    expect(ofEach(["x", "", "yz"], (text, index) => [...text].map((letter) => required(`${index}${letter}`)))).toEqual([
      required("0x"),
      required("2y"),
      required("2z"),
    ]);
    for (const none of [together(), together([], []), ofEach(undefined, () => [a]), ofEach([1, 2], () => [])]) {
      expect(none).toBe(noErrors);
    }
  });

  test("may be as many as there are items", () => {
    const many = Array.from({ length: 200_000 }, () => a);
    expect(together(many, many)).toHaveLength(400_000);
    const all = [a];
    addTo(all, many);
    expect(all).toHaveLength(200_001);
  });

  test("of one list are limited in number", () => {
    let looks = 0;
    const found = ofEach(new Array(100_000).fill(a), () => {
      looks++;
      return [a, b, c];
    });
    expect([looks < problemsFoundMax, found.length < problemsFoundMax + 3]).toEqual([true, true]);
  });
});

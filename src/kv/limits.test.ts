import { expect, test } from "vitest";
import { KvError, keyBytesMax, valueBytesMax } from "./contract.ts";
import { checkKey, checkPrefix, checkValue } from "./limits.ts";

test("a key is refused when it is empty, too long in bytes, or not well-formed", () => {
  checkKey("\0");
  checkKey("x".repeat(keyBytesMax));
  checkKey("é".repeat(keyBytesMax / 2));
  checkPrefix("");
  expect(() => checkKey("")).toThrow(TypeError);
  expect(() => checkKey("x".repeat(keyBytesMax + 1))).toThrow(KvError);
  expect(() => checkKey("é".repeat(keyBytesMax / 2 + 1))).toThrow(KvError);
  expect(() => checkKey("\ud800")).toThrow(TypeError);
  expect(() => checkKey("😀".slice(1))).toThrow(TypeError);
});

test("a value is refused one byte above the limit", () => {
  checkValue(new Uint8Array(valueBytesMax));
  expect(() => checkValue(new Uint8Array(valueBytesMax + 1))).toThrow(expect.objectContaining({ code: "too-large" }));
});

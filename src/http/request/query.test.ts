import { expect, test } from "vitest";
import { Query, queryFlag } from "./query.ts";

test("the first of repeated names is used, and all of them can be read", () => {
  const query = new Query("a=1&b=x%20y&a=2&c&d=");
  expect([query.get("a"), query.getAll("a"), query.get("b"), query.get("c"), query.get("d"), query.get("e")]).toEqual([
    "1",
    ["1", "2"],
    "x y",
    "",
    "",
    undefined,
  ]);
});

test("a pair with an invalid escape is omitted and recorded", () => {
  const query = new Query("labelSelector=%zz&limit=%&a=1");
  expect([query.malformed, query.get("labelSelector"), query.get("limit"), query.get("a")]).toEqual([
    true,
    undefined,
    undefined,
    "1",
  ]);
});

test("a plus sign is a space, and a semicolon is an ordinary character", () => {
  const query = new Query("a=1+2;b=3");
  expect([query.get("a"), query.has("b"), query.malformed]).toEqual(["1 2;b=3", false, false]);
});

test("names that objects inherit are ordinary names", () => {
  const query = new Query("__proto__=1&constructor=2");
  expect([query.get("__proto__"), query.get("constructor"), query.get("toString")]).toEqual(["1", "2", undefined]);
});

test("anything but false and 0 is true", () => {
  expect(["", "1", "true", "yes", "false", "FALSE", "0", undefined].map(queryFlag)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

import { expect, test } from "vitest";
import { changedFieldsMax, changedValueCharsMax, fieldChanges } from "./field-changes.ts";

test("names the fields that differ, with their values before and after", () => {
  const before = { spec: { replicas: 2, paused: true }, metadata: { labels: { "a.b/c": "x" } } };
  const after = { spec: { replicas: 3, strategy: {} }, metadata: { labels: {} } };
  expect(fieldChanges(before, after)).toEqual({
    fields: [
      { path: "spec.replicas", old: "2", new: "3" },
      { path: "spec.paused", old: "true" },
      { path: "spec.strategy", new: "{}" },
      { path: "metadata.labels['a.b/c']", old: '"x"' },
    ],
    more: 0,
  });
});

test("finds the items of lists by their names, and shows other lists whole", () => {
  const containers = (image: string) => [{ name: "side" }, { name: "web", image }];
  expect(fieldChanges({ containers: containers("a") }, { containers: containers("b").toReversed() }).fields).toEqual([
    { path: "containers[name=web].image", old: '"a"', new: '"b"' },
  ]);
  expect(fieldChanges({ args: ["a"] }, { args: ["a", "b"] }).fields).toEqual([
    { path: "args", old: '["a"]', new: '["a","b"]' },
  ]);
});

test("takes names that every object inherits for names", () => {
  const labels = JSON.parse('{"constructor": "x", "__proto__": "y"}') as object;
  expect(fieldChanges({ labels: {} }, { labels }).fields).toEqual([
    { path: "labels.constructor", new: '"x"' },
    { path: "labels.__proto__", new: '"y"' },
  ]);
});

test("leaves managed fields out", () => {
  const object = (manager: string) => ({ metadata: { name: "x", managedFields: [{ manager }] } });
  expect(fieldChanges(object("a"), object("b")).fields).toEqual([]);
});

test("an object that came or went is one field", () => {
  expect(fieldChanges(undefined, { data: {} }).fields).toEqual([{ path: "", new: '{"data":{}}' }]);
  expect(fieldChanges({ data: {} }, undefined).fields).toEqual([{ path: "", old: '{"data":{}}' }]);
});

test("many fields are counted, and long values are cut off", () => {
  const many = Object.fromEntries(Array.from({ length: changedFieldsMax + 5 }, (_, index) => [`k${index}`, index]));
  const { fields, more } = fieldChanges({}, many);
  expect([fields.length, more]).toEqual([changedFieldsMax, 5]);
  const [long] = fieldChanges({}, { text: "x".repeat(changedValueCharsMax * 2) }).fields;
  expect(long?.new).toHaveLength(changedValueCharsMax + 1);
});

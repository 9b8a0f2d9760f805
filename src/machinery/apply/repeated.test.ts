/** Who owns items that a list repeats, at level 1.35. */

import { describe, expect, test } from "vitest";
import { sampleToday as kind, SampleServer } from "./sample-kind.suite.ts";

const part = (name: string, image: string) => ({ name, image });
const fieldsOf = (server: SampleServer, manager: string) =>
  (server.owners()[manager] as { readonly "f:spec": Record<string, unknown> } | undefined)?.["f:spec"];
const u1 = "u1 Update v1";
const u2 = "u2 Update v1";

test("repeated items are one field without parts, and the others keep theirs", () => {
  const server = new SampleServer();
  const parts = [part("a", "1"), part("b", "1"), part("a", "2")];
  server.put("u1", { spec: { words: ["x", "y", "x"], parts } }, { kind });
  expect(fieldsOf(server, u1)).toMatchObject({
    "f:words": { ".": {}, 'v:"x"': {}, 'v:"y"': {} },
    "f:parts": { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': { ".": {}, "f:image": {}, "f:name": {} } },
  });
  expect(fieldsOf(server, u1)?.["f:parts"]).toHaveProperty(['k:{"name":"a"}'], {});
});

test("a manager that changes one of them owns them all", () => {
  const server = new SampleServer();
  server.put("u1", { spec: { parts: [part("a", "1"), part("a", "2")], words: ["x", "x"] } }, { kind });
  server.mergePatch("u2", { spec: { parts: [part("a", "1"), part("a", "3")] } }, { kind });
  expect(fieldsOf(server, u2)).toEqual({ "f:parts": { 'k:{"name":"a"}': {} } });
  expect(fieldsOf(server, u1)).toEqual({ "f:replicas": {}, "f:words": { ".": {}, 'v:"x"': {} } });
  server.mergePatch("u2", { spec: { words: ["x", "x", "x"] } }, { kind });
  expect(fieldsOf(server, u2)?.["f:words"]).toEqual({ 'v:"x"': {} });
});

test("a repeated item is owned as one field, and by its members again once it is unique", () => {
  const server = new SampleServer();
  server.put("u1", { spec: { parts: [part("a", "1"), part("a", "2"), part("b", "1")] } }, { kind });
  server.mergePatch("u2", { spec: { parts: [part("a", "1"), part("b", "1"), part("b", "2")] } }, { kind });
  expect(fieldsOf(server, u2)).toEqual({
    "f:parts": { 'k:{"name":"a"}': { ".": {}, "f:image": {}, "f:name": {}, "f:policy": {} }, 'k:{"name":"b"}': {} },
  });
  expect(fieldsOf(server, u1)).toEqual({ "f:replicas": {} });
});

test("an apply leaves items that it does not name, and replaces repeated ones by its own", () => {
  const server = new SampleServer();
  const parts = [part("a", "1"), part("b", "1"), part("a", "2"), part("b", "2")];
  server.put("u1", { spec: { parts } }, { kind });
  server.apply("m1", { spec: { parts: [part("b", "3")] } }, { kind, force: true });
  expect(server.spec()["parts"]).toMatchObject([part("a", "1"), part("b", "3"), part("a", "2")]);
  server.apply("m1", { spec: { parts: [] } }, { kind });
  expect(server.spec()["parts"]).toMatchObject([part("a", "1"), part("a", "2")]);
  expect(server.owners()).not.toHaveProperty("m1 Apply v1");
});

test("an applier that gives up a repeated item removes all of them", () => {
  const server = new SampleServer();
  server.apply("m1", { spec: { words: ["x", "y"] } }, { kind });
  server.mergePatch("u1", { spec: { words: ["x", "y", "x"] } }, { kind });
  server.apply("m1", { spec: { words: ["y", "x"] } }, { kind, force: true });
  expect(server.spec()["words"]).toEqual(["y", "x"]);
  server.apply("m1", { spec: { words: ["y"] } }, { kind });
  expect(server.spec()["words"]).toEqual(["y"]);
});

test("items in another order are a change", () => {
  const server = new SampleServer();
  server.apply("m1", { spec: { words: ["x", "y"] } }, { kind });
  server.apply("m1", { spec: { words: ["y", "x"] } }, { kind });
  expect(server.spec()["words"]).toEqual(["y", "x"]);
});

const name = (text: string) => `k:{"name":"${text}"}`;
const twice = [
  { name: "A", value: "1" },
  { name: "B", value: "b" },
  { name: "A", value: "2" },
];
const partWith = (env: readonly unknown[]) => ({ spec: { parts: [{ name: "c", env }] } });

function envFields(server: SampleServer, manager: string): unknown {
  const fields = server.owners()[manager] as Record<string, Record<string, Record<string, Record<string, unknown>>>>;
  return fields?.["f:spec"]?.["f:parts"]?.[name("c")]?.["f:env"];
}
const env = (server: SampleServer) => (server.spec()["parts"] as { env: unknown[] }[])[0]?.env;

describe("items of one key in an item", () => {
  test("are owned together by the manager that writes them", () => {
    const server = new SampleServer();
    server.put("u1", partWith(twice), { kind });
    expect(envFields(server, "u1 Update v1")).toEqual({
      ".": {},
      [name("A")]: {},
      [name("B")]: { ".": {}, "f:name": {}, "f:value": {} },
    });
  });

  test("go to the manager that changes one of them, while others keep the rest", () => {
    const server = new SampleServer();
    server.put("u1", partWith(twice), { kind });
    server.put("u2", partWith([twice[0], twice[1], { name: "A", value: "3" }]), { kind });
    expect(envFields(server, "u2 Update v1")).toEqual({ [name("A")]: {} });
    expect(envFields(server, "u1 Update v1")).toEqual({
      ".": {},
      [name("B")]: { ".": {}, "f:name": {}, "f:value": {} },
    });
  });

  test("stay when an apply does not name them, and are replaced by the item that an apply names", () => {
    const server = new SampleServer();
    server.put("u1", partWith(twice), { kind });
    server.apply("m1", { spec: { replicas: 2 } }, { kind, force: true });
    expect(env(server)).toEqual(twice);
    server.apply("m1", partWith([{ name: "A", value: "3" }]), { kind, force: true });
    expect(env(server)).toEqual([{ name: "A", value: "3" }, twice[1]]);
    expect(envFields(server, "m1 Apply v1")).toEqual({ [name("A")]: { ".": {}, "f:name": {}, "f:value": {} } });
  });
});

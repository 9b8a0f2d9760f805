import { describe, expect, test } from "vitest";
import { sampleOfToday as kind, SampleServer } from "./sample-kind.suite.ts";

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

describe("items of one key, at level 1.35", () => {
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

  test("of a set are owned as one value", () => {
    const server = new SampleServer();
    server.put("u1", { spec: { words: ["a", "b", "a"] } }, { kind });
    const { "f:spec": spec } = server.owners()["u1 Update v1"] as Record<string, Record<string, unknown>>;
    expect(spec?.["f:words"]).toEqual({ ".": {}, 'v:"a"': {}, 'v:"b"': {} });
  });
});

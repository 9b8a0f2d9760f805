import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { finish } from "../../base/time-slice.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { StoredEntry } from "../../registry/cache/entry.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import { ask, openTestServer, type TestServer } from "../server.fixture.ts";
import { jsonPieces, objectPieces, pause, prettyPieces, yamlPieces } from "./list-pieces.ts";
import { objectList } from "./list-source.ts";
import { type Representations, representationsOf } from "./representations.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  const gadgets = "/apis/toys.example.com/v1/namespaces/a/gadgets";
  for (const name of ["one", "two", "three"]) await ask(server.fetch, "POST", gadgets, { metadata: { name } });
});
afterAll(() => server.close());

const gadget = (version: string): BoundKind => server.catalog.byKind("toys.example.com", version, "Gadget")!;
const formsNow = (kind: BoundKind): Representations => {
  const representations = representationsOf(kind, []);
  if (representations instanceof Promise) throw new Error("gadgets are converted at once");
  return representations;
};
const entriesOf = async (kind: BoundKind): Promise<readonly Entry[]> =>
  (await server.registry.list(kind, { namespace: "" })).entries;

describe("a list of objects", () => {
  test("in the stored version has a known length before it is sent", async () => {
    const kind = gadget("v1");
    const { pieces, total } = objectPieces(formsNow(kind), {}, await entriesOf(kind));
    expect(Buffer.concat([...pieces]).length).toBe(total);
  });

  test("in another version converts each object when it is sent", async () => {
    const kind = gadget("v1beta1");
    const entries = await entriesOf(kind);
    let converted = 0;
    for (const entry of entries) {
      const form = entry.representation.bind(entry);
      entry.representation = (name, make) => {
        converted += 1;
        return form(name, make);
      };
    }
    const { pieces, total } = objectPieces(formsNow(kind), {}, entries);
    const taken: number[] = [];
    for (const _piece of pieces) taken.push(converted);
    expect([total, taken]).toEqual([undefined, [0, 0, 1, 1, 2, 2, 3, 3]]);
  });
});

test("a list of objects of all sizes has each of them once, in pieces that are large but not the whole list", async () => {
  const kind = gadget("v1");
  const path = "/apis/toys.example.com/v1/namespaces/mixed/gadgets";
  const sizes = [10, 30_000, 10, 20_000, 14_000, 90_000, 10, 70_000, 64_000, 10];
  for (const [at, size] of sizes.entries())
    await ask(server.fetch, "POST", path, { metadata: { name: `g${at}` }, spec: { notes: { n: "x".repeat(size) } } });
  const { entries } = await server.registry.list(kind, { namespace: "mixed" });
  for (let count = 0; count <= entries.length; count++) {
    const some = entries.slice(0, count);
    const { pieces, total } = objectPieces(formsNow(kind), { resourceVersion: "7" }, some);
    const made = [...pieces];
    const text = Buffer.concat(made).toString();
    expect(text.length).toBe(total);
    const list = { apiVersion: kind.apiVersion, kind: kind.listKind, metadata: { resourceVersion: "7" } };
    const items = some.map(({ bytes, itemOffset }) => `{${bytes.subarray(itemOffset)}`);
    expect(text).toBe(`${JSON.stringify(list).slice(0, -1)},"items":[${items.join(",")}]}`);
    for (const piece of made) expect(piece.length).toBeLessThan(100_000);
    expect(made.length).toBeLessThanOrEqual(6);
  }
});

describe("a list of large objects", () => {
  const notes = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, "text"]));
  const path = "/apis/toys.example.com/v1/namespaces/large/gadgets";
  beforeAll(async () => {
    for (const name of ["a", "b"]) await ask(server.fetch, "POST", path, { metadata: { name }, spec: { notes } });
  });

  const pauses = (pieces: Iterable<Buffer>) => [...pieces].filter((piece) => piece === pause).length;

  test("yields to other work around each of them, and within each one that is printed as YAML", async () => {
    const kind = gadget("v1");
    const { entries } = await server.registry.list(kind, { namespace: "large" });
    const source = objectList(formsNow(kind), {});
    for (const entry of entries) finish(entry.load());
    expect([pauses(jsonPieces(source, entries)), pauses(prettyPieces(source, entries))]).toEqual([4, 4]);
    expect(pauses(yamlPieces(source, entries))).toBeGreaterThan(20);
  });

  test("yields while objects are read and converted", async () => {
    const { entries } = await server.registry.list(gadget("v1"), { namespace: "large" });
    const again = () => entries.map((entry) => (entry as StoredEntry).at(entry.revision));
    const source = objectList(formsNow(gadget("v1")), {});
    expect(pauses(jsonPieces(source, again()))).toBeGreaterThan(20);
    expect(pauses(objectPieces(formsNow(gadget("v1beta1")), {}, again()).pieces)).toBeGreaterThan(20);
  });

  test("is the same list when it is sent in time slices", async () => {
    const whole = JSON.parse(await (await server.fetch(path)).text());
    let slice = 0;
    let isOver = false;
    const count = () => {
      slice++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = await (await server.fetch(path, { headers: { accept: "application/yaml" } })).text();
    isOver = true;
    expect(text).toBe(encodeYaml(whole));
    expect(slice).toBeGreaterThan(5);
  });
});

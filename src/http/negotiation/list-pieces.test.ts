import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Entry } from "../../registry/contract.ts";
import type { TestServer } from "../server.fixture.ts";
import { ask, openTestServer } from "../server.fixture.ts";
import { objectPieces } from "./list-pieces.ts";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  const gadgets = "/apis/toys.example.com/v1/namespaces/a/gadgets";
  for (const name of ["one", "two", "three"]) await ask(server.fetch, "POST", gadgets, { metadata: { name } });
});
afterAll(() => server.close());

const gadget = (version: string): BoundKind => server.catalog.byKind("toys.example.com", version, "Gadget")!;
const entriesOf = async (kind: BoundKind): Promise<readonly Entry[]> =>
  (await server.registry.list(kind, { namespace: "" })).entries;

describe("a list of objects", () => {
  test("in the stored version knows its length beforehand", async () => {
    const kind = gadget("v1");
    const { pieces, total } = objectPieces(kind, {}, await entriesOf(kind));
    expect(Buffer.concat([...pieces]).length).toBe(total);
  });

  test("in another version converts each object when its turn comes", async () => {
    const kind = gadget("v1beta1");
    const entries = await entriesOf(kind);
    let converted = 0;
    for (const entry of entries) {
      const form = entry.form.bind(entry);
      entry.form = (name, make) => {
        converted += 1;
        return form(name, make);
      };
    }
    const { pieces, total } = objectPieces(kind, {}, entries);
    const taken: number[] = [];
    for (const _piece of pieces) taken.push(converted);
    expect([total, taken]).toEqual([undefined, [0, 0, 1, 1, 2, 2, 3, 3]]);
  });
});

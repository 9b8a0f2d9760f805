/** Long lists: rows are printed while later chunks are still to be read. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type RunOptions, type Session } from "../session.suite.ts";

let session: Session;

beforeAll(async () => {
  session = await openSession();
});
afterAll(() => session[Symbol.asyncDispose]());

const rowsPerChunk = 500;
const chunks = 20;

/** A server that answers as if it had 10,000 objects. `requested` is called for each chunk. */
function longList(requested: (at: number) => void): NonNullable<RunOptions["fetch"]> {
  return async (path, init) => {
    const url = new URL(path, "https://server");
    if (!url.pathname.endsWith("/configmaps")) return session.server.fetch(path, init);
    if (url.searchParams.has("watch")) return new Response("");
    const at = Number(url.searchParams.get("continue") ?? "0");
    expect(url.searchParams.get("limit")).toBe(String(rowsPerChunk));
    requested(at);
    const metadata = { resourceVersion: "9", ...(at + 1 < chunks ? { continue: String(at + 1) } : {}) };
    const objects = Array.from({ length: rowsPerChunk }, (_, row) => ({
      metadata: { name: `c-${at * rowsPerChunk + row}` },
    }));
    const isTable = new Headers(init?.headers).get("accept")?.includes("as=Table");
    const answer = isTable
      ? {
          kind: "Table",
          metadata,
          columnDefinitions: [{ name: "Name" }],
          rows: objects.map((object) => ({ cells: [object.metadata.name], object })),
        }
      : { kind: "ConfigMapList", apiVersion: "v1", metadata, items: objects };
    return Response.json(answer);
  };
}

describe("a list of 10,000 objects", () => {
  for (const line of ["get cm", "get cm -o name", "get cm -w"])
    test(`${line} prints every chunk before it requests the next`, async () => {
      let printed = 0;
      const seen: number[] = [];
      const { out, code } = await session.run(line, {
        fetch: longList(() => seen.push(printed)),
        onOut: (text) => {
          const [last] = text.slice(-100).match(/(?<=c-)\d+(?=\D*$)/) ?? [];
          if (last !== undefined) printed = Number(last) + 1;
        },
      });
      expect(code).toBe(0);
      expect(seen).toEqual(Array.from({ length: chunks }, (_, at) => at * rowsPerChunk));
      expect(out.match(/c-\d+/g)?.length).toBe(chunks * rowsPerChunk);
    });
});

/** Gates that a server obeys when they are switched off. */

import { describe, expect, test } from "vitest";
import { createServer } from "./library.ts";

async function withGates(gates: Record<string, boolean>, use: (fetch: typeof globalThis.fetch) => Promise<void>) {
  const server = await createServer({ vocabulary: "kubernetes", featureGates: gates });
  try {
    await use((path, init) => server.fetch(String(path), init));
  } finally {
    await server.close();
  }
}

const json = { "content-type": "application/json" };

/** The parts of a list or a status that tests look at. */
interface Answer {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly items?: readonly unknown[];
  readonly message?: string;
}

const read = async (response: Response) => (await response.json()) as Answer; // the server's own answer

async function fill(fetch: typeof globalThis.fetch): Promise<void> {
  for (const name of ["a", "b", "c"])
    await fetch("/api/v1/namespaces/default/configmaps", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
    });
}

describe("a gate that is switched off", () => {
  test("RemainingItemCount: a chunk says that more follow, but not how many", () =>
    withGates({ RemainingItemCount: false }, async (fetch) => {
      await fill(fetch);
      const { metadata } = await read(await fetch("/api/v1/namespaces/default/configmaps?limit=1"));
      expect(metadata?.["continue"]).toMatch(/./);
      expect(metadata).not.toHaveProperty("remainingItemCount");
    }));

  test("APIListChunking: limit and continue are ignored, and the list is whole", () =>
    withGates({ APIListChunking: false }, async (fetch) => {
      await fill(fetch);
      for (const query of ["limit=1", "limit=1&continue=nonsense"]) {
        const answer = await fetch(`/api/v1/namespaces/default/configmaps?${query}`);
        expect(answer.status).toBe(200);
        const { metadata, items } = await read(answer);
        expect(items?.length).toBeGreaterThanOrEqual(3);
        expect(metadata).not.toHaveProperty("continue");
      }
    }));

  test("WarningHeaders: a deprecated version is answered without a warning", async () => {
    const path = "/apis/policy/v1beta1/poddisruptionbudgets";
    await withGates({}, async (fetch) => expect((await fetch(path)).headers.get("warning")).toContain("deprecated"));
    await withGates({ WarningHeaders: false }, async (fetch) => {
      const answer = await fetch(path);
      expect([answer.status, answer.headers.get("warning")]).toEqual([200, null]);
    });
  });

  test("ServerSideApply: an apply is 415, and nothing is tracked", () =>
    withGates({ ServerSideApply: false }, async (fetch) => {
      await fill(fetch);
      const answer = await fetch("/api/v1/namespaces/default/configmaps/a?fieldManager=me", {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
      });
      expect(answer.status).toBe(415);
      const { message } = await read(answer);
      expect(message).not.toContain("apply-patch");
    }));
});

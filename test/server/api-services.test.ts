import { describe, expect, test } from "vitest";
import { createServer } from "../../src/main/library.ts";

const body = (version: string, more: Record<string, unknown> = {}) => ({
  metadata: { name: `${version}.far.example.com` },
  spec: {
    group: "far.example.com",
    version,
    groupPriorityMinimum: 100,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { namespace: "nope", name: "gone" },
    ...more,
  },
});
const path = "/apis/apiregistration.orch.io/v1/apiservices";

async function open() {
  const server = await createServer();
  const post = async (object: unknown) => {
    const headers = { "content-type": "application/json" };
    const answer = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(object) });
    expect(answer.status).toBe(201);
  };
  const ask = async <T = Record<string, unknown>>(of: string) => {
    const answer = await server.fetch(of);
    return { status: answer.status, body: (await answer.json().catch(() => undefined)) as T };
  };
  return { server, post, ask };
}

describe("groups of aggregated servers", () => {
  test("are unavailable rather than unknown, until their API service is deleted", async () => {
    const { server, post, ask } = await open();
    await using _ = server;
    await post(body("v1"));
    for (const below of ["", "/things", "/namespaces/a/things/x"]) {
      const answer = await server.fetch(`/apis/far.example.com/v1${below}`);
      expect([answer.status, await answer.text()], below).toEqual([503, "service unavailable\n"]);
      expect(answer.headers.get("content-type"), below).toBe("text/plain; charset=utf-8");
    }
    expect((await ask("/apis/far.example.com/v2")).status).toBe(404);
    await server.fetch(`${path}/v1.far.example.com`, { method: "DELETE" });
    expect((await ask("/apis/far.example.com/v1")).status).toBe(404);
  });

  test("are listed with their versions by priority, after the server's own", async () => {
    const { server, post, ask } = await open();
    await using _ = server;
    await post(body("v1beta1", { versionPriority: 5 }));
    await post(body("v1alpha1", { versionPriority: 20 }));
    await post(body("v1", { versionPriority: 5 }));
    const { groups } = (await ask("/apis")).body as { groups: { name: string; versions: { version: string }[] }[] };
    const last = groups.at(-1);
    expect(last?.name).toBe("far.example.com");
    expect(last?.versions.map(({ version }) => version)).toEqual(["v1alpha1", "v1", "v1beta1"]);
    expect((await ask("/apis/far.example.com")).body["preferredVersion"]).toMatchObject({ version: "v1alpha1" });
  });

  test("a deleted API service of the server's own is missing in discovery until it is created again", async () => {
    const { server, post, ask } = await open();
    await using _ = server;
    interface Group {
      name: string;
      versions: { version: string }[];
      preferredVersion: { version: string };
    }
    const group = async (name: string) =>
      ((await ask("/apis")).body as { groups: Group[] }).groups.find((one) => one.name === name);
    const versionsOf = (found: Group | undefined) => found?.versions.map(({ version }) => version);
    const { status, metadata: _metadata, ...kept } = (await ask(`${path}/v1.batch`)).body as Record<string, object>;
    expect(status).toBeDefined();
    await server.fetch(`${path}/v1.batch`, { method: "DELETE" });
    const left = await group("batch");
    expect([versionsOf(left), left?.preferredVersion.version]).toEqual([["v1beta1"], "v1beta1"]);
    expect(versionsOf((await ask<Group>("/apis/batch")).body)).toEqual(["v1beta1"]);
    expect((await ask("/apis/batch/v1")).status).toBe(200);
    expect((await ask("/apis/batch/v1/jobs")).status).toBe(200);

    await server.fetch(`${path}/v1beta1.batch`, { method: "DELETE" });
    expect(await group("batch")).toBeUndefined();
    expect(versionsOf((await ask<Group>("/apis/batch")).body)).toEqual(["v1", "v1beta1"]);

    await post({ ...kept, metadata: { name: "v1.batch" } });
    expect(versionsOf(await group("batch"))).toEqual(["v1"]);
  });

  test("cannot replace the server's own groups", async () => {
    const { server, ask } = await open();
    await using _ = server;
    const answer = await server.fetch(`${path}/v1.apps`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({
        metadata: { labels: null },
        spec: { insecureSkipTLSVerify: true, service: { namespace: "nope", name: "gone" } },
      }),
    });
    expect(answer.status).toBe(200);
    expect((await ask("/apis/apps/v1/deployments")).status).toBe(200);
  });
});

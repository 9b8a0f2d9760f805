import { expect, test } from "vitest";
import { createServer } from "../library.ts";

test("a pod that waits for the default account of its namespace does not wait for virtual time", async () => {
  await using server = await createServer({ controllers: false, disableAdmissionPlugins: [], clock: "virtual" });
  const create = (resource: string, body: object) =>
    server.fetch(`/api/v1/namespaces/default/${resource}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const refused = await create("pods", pod);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("default/default")]);
  const waiting = create("pods", pod);
  expect((await create("serviceaccounts", { metadata: { name: "default" } })).status).toBe(201);
  expect((await waiting).status).toBe(201);
});

/** Renewals of the lease of the server: one in ten minutes. */
const idleWritesMax = 6n;

for (const emulatedVersion of ["1.21", "1.35"] as const)
  test(`an hour of virtual time in which nothing happens is hardly written about, at level ${emulatedVersion}`, async () => {
    await using server = await createServer({ emulatedVersion, clock: "virtual" });
    await server.settled();
    const version = async () => {
      const list = (await (await server.fetch("/api/v1/namespaces")).json()) as {
        metadata: { resourceVersion: string };
      };
      return BigInt(list.metadata.resourceVersion);
    };
    const before = await version();
    await server.clock.advance("1h");
    expect((await version()) - before).toBeLessThanOrEqual(idleWritesMax);
    if (emulatedVersion === "1.21") return;
    const [lease] = (
      (await (await server.fetch("/apis/coordination.orch.io/v1/namespaces/orch-system/leases")).json()) as {
        items: { spec: { renewTime: string; leaseDurationSeconds: number } }[];
      }
    ).items;
    expect(server.clock.now() - Date.parse(lease?.spec.renewTime ?? "")).toBeLessThan(3_600_000);
  });

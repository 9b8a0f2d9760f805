/** What a workspace refuses on its way: said clearly, audited and counted with its name, and with nothing of the process or its machine. */

import { createServer as listen } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const patch = (body: object): RequestInit => ({
  method: "PATCH",
  headers: { "content-type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});
const tenancy = "/apis/tenancy.orch.io/v1alpha1/workspaces";
const maps = "/api/v1/namespaces/default/configmaps";
const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message];

let server: OrchServer;
let shop: Awaited<ReturnType<OrchServer["workspace"]>>;
beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", controllers: false });
  shop = await server.workspace("shop");
});
afterAll(() => server.close());

describe("a request that the workspace does not get", () => {
  test("says why: it does not exist, or is suspended", async () => {
    expect(await refusal(await server.fetch(`/clusters/none${maps}`))).toEqual([
      404,
      expect.stringContaining('"none" not found'),
    ]);
    await server.workspace("still");
    await server.fetch(`${tenancy}/still`, patch({ spec: { suspended: true } }));
    await server.until("Workspace", "still", (one) => (one["status"] as { phase?: string }).phase === "Suspended");
    const answer = await server.fetch(`/clusters/still${maps}`);
    expect(await refusal(answer)).toEqual([503, expect.stringContaining('the workspace "still" is suspended')]);
    const metrics = await (await server.fetch("/metrics")).text();
    expect(metrics).toContain('orch_workspace_refused_requests_total{workspace="still",code="503"} 1');
    expect(metrics).toContain('orch_workspace_refused_requests_total{workspace="",code="404"}');
  });

  test.each([
    ["shop", 409, "already exists"],
    ["root", 422, "is reserved"],
    ["system-x", 422, "is reserved"],
    ["a".repeat(64), 422, "at most 63"],
    ["Shop", 422, "lower case"],
  ])("cannot be made with the name %s", async (name, status, words) => {
    expect(await refusal(await server.fetch(tenancy, post({ metadata: { name } })))).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  });

  test("has too many beside it: 429, and the others are served", async () => {
    const busy = await server.workspace("busy");
    await server.fetch(`${tenancy}/busy`, patch({ spec: { limits: { requestsInFlight: 1 } } }));
    await server.until(
      "Workspace",
      "busy",
      (one) => (one["spec"] as { limits?: { requestsInFlight?: number } }).limits?.requestsInFlight === 1,
    );
    const fault = server.faults.add({ match: { verb: "create" }, do: { latencyMs: 600_000 } });
    const leave = new AbortController();
    const slow = busy.fetch(`${maps}?fieldManager=x`, {
      ...post({ metadata: { name: "slow" } }),
      signal: leave.signal,
    });
    await expect.poll(async () => (await busy.fetch(maps)).status).toBe(429);
    const refused = await busy.fetch(maps);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await shop.fetch(maps)).status).toBe(200);
    leave.abort();
    await expect(slow).rejects.toThrow();
    fault.remove();
    await expect.poll(async () => (await busy.fetch(maps)).status).toBe(200);
    expect(await (await server.fetch("/metrics")).text()).toContain('{workspace="busy",code="429"}');
  });
});

test("the metrics of a workspace say nothing about the process and its other servers", async () => {
  const text = await (await shop.fetch("/metrics")).text();
  expect(text).toContain("apiserver_request_total");
  expect(text).not.toMatch(/^process_|eventloop|^nodejs_|go_memstats|workspace_refused/m);
});

describe("a webhook of a workspace", () => {
  test("is not on this machine, where those of the root may be", async () => {
    let calls = 0;
    const listener = listen((_, answer) => {
      calls++;
      answer.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as AddressInfo;
    const hook = (url: string) => ({
      apiVersion: "admissionregistration.orch.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "near" },
      webhooks: [
        {
          name: "near.example.com",
          clientConfig: { url },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          failurePolicy: "Fail",
        },
      ],
    });
    const path = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"]) {
      expect((await shop.fetch(path, post(hook(`https://${host}:${port}/`)))).status).toBe(201);
      await expect
        .poll(async () => refusal(await shop.fetch(maps, post({ metadata: { generateName: "x-" } }))))
        .toEqual([500, expect.stringMatching(/address not allowed|workspace-local-targets/)]);
      await shop.fetch(`${path}/near`, { method: "DELETE" });
      await expect
        .poll(async () => (await shop.fetch(maps, post({ metadata: { generateName: "x-" } }))).status)
        .toBe(201);
    }
    expect(calls).toBe(0);
    listener.close();
  });
});

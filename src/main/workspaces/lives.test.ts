/** What a workspace begins with, what it may use, and when it sleeps. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrchServer } from "../library/options.ts";
import { createServer } from "../library.ts";

const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const patch = (body: object): RequestInit => ({
  method: "PATCH",
  headers: { "content-type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});
const map = (name: string, data: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});
const maps = "/api/v1/namespaces/default/configmaps";
const apiVersion = "tenancy.orch.io/v1alpha1";
const at = "/apis/tenancy.orch.io/v1alpha1";
const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message];
const phase = (wanted: string) => (object: object) =>
  (object as { status?: { phase?: string } }).status?.phase === wanted;

const definition = {
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

let server: OrchServer;
beforeAll(async () => {
  server = await createServer({ workspaces: true, controllers: false });
});
afterAll(() => server.close());

describe("a type of workspaces", () => {
  const toys = "/apis/example.com/v1/namespaces/default/toys";

  test("gives its workspaces objects, which each changes for itself", async () => {
    const toy = { apiVersion: "example.com/v1", kind: "Toy", metadata: { name: "train", namespace: "default" } };
    const spec = { objects: [map("defaults", { a: "1" }), definition, toy] };
    await server.fetch(
      `${at}/workspacetypes`,
      post({ apiVersion, kind: "WorkspaceType", metadata: { name: "shop" }, spec }),
    );
    const [one, two] = [
      await server.workspace("type-one", { type: "shop" }),
      await server.workspace("type-two", { type: "shop" }),
    ];
    expect((await one.fetch(`${toys}/train`)).status).toBe(200);
    await one.fetch(`${maps}/defaults`, patch({ data: { a: "2" } }));
    await one.fetch(`${toys}/train`, { method: "DELETE" });
    expect(await (await one.fetch(`${maps}/defaults`)).json()).toMatchObject({ data: { a: "2" } });
    expect(await (await two.fetch(`${maps}/defaults`)).json()).toMatchObject({ data: { a: "1" } });
    expect((await one.fetch(`${toys}/train`)).status).toBe(404);
    expect((await two.fetch(`${toys}/train`)).status).toBe(200);
    expect((await two.fetch(toys, post({ ...toy, metadata: { name: "ball" } }))).status).toBe(201);
    expect((await server.fetch(toys)).status).toBe(404);
  });

  test("may begin with what another workspace holds, which is not shared from then on", async () => {
    const model = await server.workspace("model");
    await model.fetch(maps, post(map("first")));
    await server.fetch(
      `${at}/workspacetypes`,
      post({ apiVersion, kind: "WorkspaceType", metadata: { name: "like" }, spec: { from: "model" } }),
    );
    const copy = await server.workspace("copy", { type: "like" });
    expect((await copy.fetch(`${maps}/first`)).status).toBe(200);
    await copy.fetch(maps, post(map("second")));
    expect((await model.fetch(`${maps}/second`)).status).toBe(404);
    await model.fetch(`${maps}/first`, { method: "DELETE" });
    expect((await copy.fetch(`${maps}/first`)).status).toBe(200);
  });

  test("that has an object which is refused makes no workspace, and says why until it is changed", async () => {
    const spec = {
      objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not A Name", namespace: "default" } }],
    };
    await server.fetch(
      `${at}/workspacetypes`,
      post({ apiVersion, kind: "WorkspaceType", metadata: { name: "bad" }, spec }),
    );
    await server.fetch(`${at}/workspaces`, post({ metadata: { name: "unmade" }, spec: { type: "bad" } }));
    const told = async () => refusal(await server.fetch(`/clusters/unmade${maps}`));
    await expect.poll(told).toEqual([503, expect.stringMatching(/"unmade" cannot be made: [\s\S]*Not A Name/)]);
    const { status } = (await (await server.fetch(`${at}/workspaces/unmade`)).json()) as {
      status: { message: string };
    };
    expect(status.message).toContain("Not A Name");
    await expect(server.workspace("unmade")).rejects.toThrow(/"unmade" cannot be made: [\s\S]*Not A Name/);
    await server.fetch(`${at}/workspacetypes/bad`, patch({ spec: { objects: [map("good")] } }));
    await server.until("Workspace", "unmade", phase("Ready"), { timeoutMs: 60_000 });
    const made = (await (await server.fetch(`${at}/workspaces/unmade`)).json()) as { status: { message?: string } };
    expect(made.status.message).toBeUndefined();
  });

  test("with objects and from is refused", async () => {
    const spec = { from: "model", objects: [map("x")] };
    const type = { apiVersion, kind: "WorkspaceType", metadata: { name: "both" }, spec };
    expect((await server.fetch(`${at}/workspacetypes`, post(type))).status).toBe(422);
  });
});

describe("a workspace", () => {
  test("stores no more than its limits allow, and says so", async () => {
    const small = await server.workspace("small");
    await small.fetch(maps, post(map("m1")));
    const limit = (limits: object) => server.fetch(`${at}/workspaces/small`, patch({ spec: { limits } }));
    await limit({ objects: 1 });
    const refused = await small.fetch(maps, post(map("m2")));
    expect(await refusal(refused)).toEqual([403, expect.stringContaining("may not store more than 1 objects")]);
    await limit({ objects: 1_000, definitions: 0 });
    expect((await small.fetch(maps, post(map("m2")))).status).toBe(201);
    const defined = await small.fetch("/apis/apiextensions.orch.io/v1/customresourcedefinitions", post(definition));
    expect(await refusal(defined)).toEqual([403, expect.stringContaining("0 definitions")]);
    await limit({ objects: null, bytes: "1" });
    const big = await small.fetch(`${maps}/m2`, patch({ data: { a: "1" } }));
    expect(await refusal(big)).toEqual([403, expect.stringContaining("1 bytes")]);
    const grown = { data: { a: "x".repeat(10_000) } };
    await limit({ bytes: null });
    expect((await small.fetch(`${maps}/m2`, patch(grown))).status).toBe(200);
    await limit({ bytes: "1" });
    expect((await small.fetch(`${maps}/m2`, patch({ data: { a: "x" } }))).status).toBe(200);
    const reviews = "/apis/authorization.orch.io/v1/selfsubjectaccessreviews";
    const review = {
      apiVersion: "authorization.orch.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    };
    expect((await small.fetch(reviews, post(review))).status).toBe(201);
  });

  test("that is full takes no bytes by way of a status, and can be emptied", async () => {
    const full = await server.workspace("full");
    const nodes = "/api/v1/nodes";
    const spaces = "/api/v1/namespaces";
    expect((await full.fetch(nodes, post({ metadata: { name: "n" } }))).status).toBe(201);
    expect((await full.fetch(spaces, post({ metadata: { name: "s" } }))).status).toBe(201);
    await server.fetch(`${at}/workspaces/full`, patch({ spec: { limits: { bytes: "1" } } }));
    await server.until("Workspace", "full", (one) => (one["spec"] as { limits?: object }).limits !== undefined);
    const conditions = [{ type: "Ready", status: "True", message: "x".repeat(20_000) }];
    const refusals = [
      await full.fetch(`${nodes}/n/status`, patch({ status: { conditions } })),
      await full.fetch(`${nodes}/n/status?fieldManager=m`, {
        ...patch({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { conditions } }),
        headers: { "content-type": "application/apply-patch+yaml" },
      }),
      await full.fetch(`${spaces}/s/status`, patch({ status: { conditions } })),
    ];
    for (const answer of refusals)
      expect((await refusal(answer)).slice(0, 2)).toEqual([403, expect.stringContaining("1 bytes")]);
    expect((await full.fetch(`${spaces}/s`, { method: "DELETE" })).status).toBe(200);
    const told = { status: { conditions: [{ ...conditions[0], message: "emptied" }] } };
    expect((await full.fetch(`${spaces}/s/status`, patch(told))).status).toBe(200);
    expect((await full.fetch(`${spaces}/s/status`, patch({ status: { conditions } }))).status).toBe(403);
    expect((await full.fetch(`${nodes}/n`, { method: "DELETE" })).status).toBe(200);
  });

  test("that is suspended keeps its objects, and refuses requests with a reason", async () => {
    const still = await server.workspace("still");
    await still.fetch(maps, post(map("kept")));
    await server.fetch(`${at}/workspaces/still`, patch({ spec: { suspended: true } }));
    await server.until("Workspace", "still", phase("Suspended"));
    expect(await refusal(await still.fetch(maps))).toEqual([
      503,
      expect.stringContaining('the workspace "still" is suspended'),
    ]);
    await server.fetch(`${at}/workspaces/still`, patch({ spec: { suspended: false } }));
    await server.until("Workspace", "still", phase("Ready"));
    expect((await still.fetch(`${maps}/kept`)).status).toBe(200);
  });

  test("cannot change its type", async () => {
    await server.workspace("firm");
    expect((await server.fetch(`${at}/workspaces/firm`, patch({ spec: { type: "shop" } }))).status).toBe(422);
  });
});

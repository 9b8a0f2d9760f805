/** `/clusters/*`: what foreign controllers list and watch of all workspaces at once, and who may. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

type Fetch = OrchServer["fetch"];
const json = { "content-type": "application/json" };
const post = (body: object): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });
const patch = (body: object): RequestInit => ({
  method: "PATCH",
  headers: { "content-type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});
const rbac = "rbac.authorization.orch.io";
const tenancy = "/apis/tenancy.orch.io/v1alpha1";
const maps = "/api/v1/namespaces/default/configmaps";
const all = "/clusters/*/api/v1/configmaps";
const map = (name: string, more: object = {}) => ({ metadata: { name, ...more }, data: { a: "1" } });
const toys = "/apis/example.com/v1/namespaces/default/toys";
const toy = (name: string) => ({ apiVersion: "example.com/v1", kind: "Toy", metadata: { name, namespace: "default" } });
const definition = (more: object = {}) => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "toys.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "toys", kind: "Toy", ...more },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}
interface Listed {
  readonly items: readonly Item[];
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
}
const place = ({ metadata }: Item) => `${metadata.annotations["kcp.io/cluster"]}/${metadata.name}`;
const own = (items: readonly Item[]) =>
  items.map(place).filter((one) => !one.endsWith("kube-root-ca.crt") && !one.endsWith("orch-root-ca.crt"));
const list = async (fetch: Fetch, path: string): Promise<Listed> => {
  const answer = await fetch(path);
  const listed = (await answer.json()) as Listed & { readonly message?: string };
  expect([path, answer.status, listed.message]).toEqual([path, 200, undefined]);
  return listed;
};
const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message];

interface Event {
  readonly type: string;
  readonly object: Item;
}
/** The next events of a watch. */
function eventsOf(answer: Response) {
  expect(answer.status).toBe(200);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async next(): Promise<Event | undefined> {
      while (!text.includes("\n")) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
      const [line = "", ...rest] = text.split("\n");
      text = rest.join("\n");
      return JSON.parse(line) as Event;
    },
    close: () => reader.cancel(),
  };
}

let server: OrchServer;
let shop: Awaited<ReturnType<OrchServer["workspace"]>>;
let bank: typeof shop;
beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", controllers: false });
  const spec = { objects: [definition(), toy("given")] };
  await server.fetch(`${tenancy}/workspacetypes`, post({ metadata: { name: "team" }, spec }));
  shop = await server.workspace("shop");
  bank = await server.workspace("bank", { type: "team" });
  await shop.fetch(maps, post(map("prices", { labels: { of: "shop" } })));
  await bank.fetch(maps, post(map("accounts")));
  await bank.fetch(maps, post(map("prices")));
});
afterAll(() => server.close());

describe("a list of all workspaces", () => {
  test("has their objects, each with the workspace it is of and its own resourceVersion", async () => {
    const { items } = await list(server.fetch, all);
    expect(own(items)).toEqual(["bank/accounts", "bank/prices", "shop/prices"]);
    const found = (await (await shop.fetch(`${maps}/prices`)).json()) as Item;
    expect(items.find((one) => place(one) === "shop/prices")?.metadata.resourceVersion).toBe(
      found.metadata.resourceVersion,
    );
    expect(found.metadata.annotations).toBeUndefined();
  });

  test("is selected by labels, names and namespaces", async () => {
    expect(own((await list(server.fetch, `${all}?labelSelector=of%3Dshop`)).items)).toEqual(["shop/prices"]);
    expect(own((await list(server.fetch, `${all}?fieldSelector=metadata.name%3Dprices`)).items)).toEqual([
      "bank/prices",
      "shop/prices",
    ]);
    const path = "/clusters/*/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Daccounts";
    expect(own((await list(server.fetch, path)).items)).toEqual(["bank/accounts"]);
    expect(own((await list(server.fetch, "/clusters/*/api/v1/namespaces/none/configmaps")).items)).toEqual([]);
  });

  test("comes in pages of one revision, whatever is written meanwhile", async () => {
    const found: string[] = [];
    const first = await list(server.fetch, `${all}?limit=2`);
    await bank.fetch(maps, post(map("later")));
    let page = first;
    for (;;) {
      found.push(...own(page.items));
      expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      if (!page.metadata.continue) break;
      page = await list(server.fetch, `${all}?limit=2&continue=${page.metadata.continue}`);
    }
    expect(found).toEqual(["bank/accounts", "bank/prices", "shop/prices"]);
    await bank.fetch(`${maps}/later`, { method: "DELETE" });
    const { metadata } = await list(bank.fetch, `${maps}?limit=1`);
    if (metadata.continue)
      expect((await server.fetch(`${all}?limit=1&continue=${metadata.continue}`)).status).toBe(400);
  });

  test("has what is in a workspace that is suspended, and does not open it", async () => {
    const still = await server.workspace("still");
    await still.fetch(maps, post(map("kept")));
    await server.fetch(`${tenancy}/workspaces/still`, patch({ spec: { suspended: true } }));
    await server.until("Workspace", "still", (one) => (one["status"] as { phase?: string }).phase === "Suspended");
    expect(own((await list(server.fetch, all)).items)).toContain("still/kept");
    await server.fetch(`${tenancy}/workspaces/still`, { method: "DELETE" });
    await server.untilGone("Workspace", "still");
    expect(own((await list(server.fetch, all)).items)).not.toContain("still/kept");
  });

  test("names the workspace itself, whatever an object says", async () => {
    await shop.fetch(maps, post(map("liar", { annotations: { "kcp.io/cluster": "bank", mine: "1" } })));
    const { items } = await list(server.fetch, all);
    const liar = items.find(({ metadata }) => metadata.name === "liar");
    expect(liar?.metadata.annotations).toEqual({ "kcp.io/cluster": "shop", mine: "1" });
    await shop.fetch(`${maps}/liar`, { method: "DELETE" });
  });

  test("is also a Table, and of cluster-wide kinds that all begin with", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.orch.io";
    const table = (await (await server.fetch(all, { headers: { accept } })).json()) as { kind: string };
    expect(table.kind).toBe("Table");
    const { items } = await list(server.fetch, "/clusters/*/api/v1/namespaces");
    expect(items.map(place)).toEqual(expect.arrayContaining(["bank/default", "shop/default"]));
  });
});

describe("the kinds of a type", () => {
  test("are listed over the workspaces of the type", async () => {
    const path = "/clusters/*:team/apis/example.com/v1/toys";
    expect(own((await list(server.fetch, path)).items)).toEqual(["bank/given"]);
    expect((await server.fetch("/clusters/*/apis/example.com/v1/toys")).status).toBe(404);
    expect((await server.fetch(path.replace("*", "%2A"))).status).toBe(200);
    expect(own((await list(server.fetch, "/clusters/*:team/api/v1/configmaps")).items)).toEqual([
      "bank/accounts",
      "bank/prices",
    ]);
    expect(await refusal(await server.fetch("/clusters/*:none/api/v1/configmaps"))).toEqual([
      404,
      expect.stringContaining('"none" not found'),
    ]);
  });

  test("leave out a workspace that has defined the kind for itself", async () => {
    const odd = await server.workspace("odd", { type: "team" });
    await odd.fetch(toys, post(toy("extra")));
    const path = "/clusters/*:team/apis/example.com/v1/toys";
    const watch = eventsOf(await server.fetch(`${path}?watch=1`));
    const begun = [await watch.next(), await watch.next(), await watch.next()];
    expect(begun.map((event) => place(event!.object)).sort()).toEqual(["bank/given", "odd/extra", "odd/given"]);
    const name = "/apis/apiextensions.orch.io/v1/customresourcedefinitions/toys.example.com";
    expect((await odd.fetch(name, patch({ spec: { names: { shortNames: ["ty"] } } }))).status).toBe(200);
    const gone = [await watch.next(), await watch.next()];
    expect(gone.map((event) => [event!.type, place(event!.object)])).toEqual([
      ["DELETED", "odd/extra"],
      ["DELETED", "odd/given"],
    ]);
    expect(own((await list(server.fetch, path)).items)).toEqual(["bank/given"]);
    await watch.close();
    await server.fetch(`${tenancy}/workspaces/odd`, { method: "DELETE" });
    await server.untilGone("Workspace", "odd");
  });
});

describe("a watch of all workspaces", () => {
  test("sees what is written in each, and continues where a list ended", async () => {
    const { metadata } = await list(server.fetch, all);
    const watch = eventsOf(await server.fetch(`${all}?watch=1&resourceVersion=${metadata.resourceVersion}`));
    await shop.fetch(maps, post(map("one")));
    await bank.fetch(maps, post(map("one")));
    await shop.fetch(`${maps}/one`, patch({ data: { a: "2" } }));
    await shop.fetch(`${maps}/one`, { method: "DELETE" });
    const seen = [await watch.next(), await watch.next(), await watch.next(), await watch.next()];
    expect(seen.map((event) => [event!.type, place(event!.object)])).toEqual([
      ["ADDED", "shop/one"],
      ["ADDED", "bank/one"],
      ["MODIFIED", "shop/one"],
      ["DELETED", "shop/one"],
    ]);
    await watch.close();
    const again = eventsOf(
      await server.fetch(`${all}?watch=1&resourceVersion=${seen[1]!.object.metadata.resourceVersion}`),
    );
    expect((await again.next())?.type).toBe("MODIFIED");
    await again.close();
    await bank.fetch(`${maps}/one`, { method: "DELETE" });
  });

  test("sees a workspace come and go with all that it holds, and has bookmarks", async () => {
    const path = "/clusters/*/api/v1/namespaces";
    const { metadata } = await list(server.fetch, path);
    const watch = eventsOf(
      await server.fetch(`${path}?watch=1&allowWatchBookmarks=1&resourceVersion=${metadata.resourceVersion}`),
    );
    const brief = await server.workspace("brief");
    const found = (await (await brief.fetch("/api/v1/namespaces/default")).json()) as Item;
    const came: Event[] = [];
    for (let event = await watch.next(); event!.type !== "BOOKMARK"; event = await watch.next()) came.push(event!);
    expect(came.map(({ type, object }) => [type, place(object)])).toContainEqual(["ADDED", "brief/default"]);
    const shown = came.find(({ object }) => object.metadata.name === "default")!;
    expect(shown.object.metadata.resourceVersion).toBe(found.metadata.resourceVersion);
    await server.fetch(`${tenancy}/workspaces/brief`, { method: "DELETE" });
    const left: string[] = [];
    while (left.length < came.length) {
      const event = await watch.next();
      if (event!.type === "DELETED") left.push(place(event!.object));
    }
    expect(left).toContain("brief/default");
    await watch.close();
  });

  test("ends with 410 when its resourceVersion is too old", async () => {
    const watch = eventsOf(await server.fetch(`${all}?watch=1&resourceVersion=1`));
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
    await watch.close();
  });
});

describe("what is not a list or a watch", () => {
  test.each([
    ["POST", "/clusters/*/api/v1/namespaces/default/configmaps"],
    ["PUT", "/clusters/*/api/v1/namespaces/default/configmaps/prices"],
    ["PATCH", "/clusters/*/api/v1/namespaces/default/configmaps/prices"],
    ["DELETE", "/clusters/*/api/v1/namespaces/default/configmaps/prices"],
    ["DELETE", "/clusters/*/api/v1/namespaces/default/configmaps"],
    ["GET", "/clusters/*/api/v1/namespaces/default/configmaps/prices"],
  ])("is refused: %s %s", async (method, path) => {
    const init = method === "GET" || method === "DELETE" ? { method } : { ...post(map("x")), method };
    expect((await server.fetch(path, init)).status).toBe(405);
  });

  test("is not in discovery, and nothing of the server is there", async () => {
    const { resources } = (await (await server.fetch("/clusters/*/api/v1")).json()) as {
      resources: { name: string; verbs: string[] }[];
    };
    expect(resources.find(({ name }) => name === "configmaps")?.verbs).toEqual(["list", "watch"]);
    expect(resources.filter(({ name }) => name.includes("/"))).toEqual([]);
    for (const path of ["metrics", "openapi/v2", "backup", "apis/tenancy.orch.io/v1alpha1/workspaces", "clusters/shop"])
      expect([path, (await server.fetch(`/clusters/*/${path}`)).status]).toEqual([path, 404]);
  });
});

describe("who may", () => {
  async function grant(user: string, rules: readonly object[]): Promise<void> {
    const name = `${user}-role`;
    const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
    const subjects = [{ kind: "User", apiGroup: rbac, name: user }];
    await server.fetch(`/apis/${rbac}/v1/clusterroles`, post({ metadata: { name }, rules }));
    await server.fetch(`/apis/${rbac}/v1/clusterrolebindings`, post({ metadata: { name }, roleRef, subjects }));
  }
  const content = (verbs: readonly string[], more: object = {}) => ({
    apiGroups: ["tenancy.orch.io"],
    resources: ["workspaces/content"],
    verbs,
    ...more,
  });
  const reads = (...resources: string[]) => ({ apiGroups: [""], resources, verbs: ["list", "watch"] });

  test("needs both rights at the root", async () => {
    await grant("both", [content(["list", "watch"]), reads("configmaps")]);
    const both = server.fetchAs({ name: "both" });
    expect(own((await list(both, all)).items)).toContain("shop/prices");
    expect((await both("/clusters/*/api/v1/secrets")).status).toBe(403);
    expect((await both(maps.replace("/api", "/clusters/shop/api"))).status).toBe(403);
    expect((await both(maps, post(map("x")))).status).toBe(403);
  });

  test.each([
    ["nobody", []],
    ["reads-root", [reads("*")]],
    ["enters-all", [content(["access"]), reads("*")]],
    ["names-one", [content(["list", "watch"], { resourceNames: ["shop"] }), reads("*")]],
  ])("is not %s, who gets what any unknown path gets", async (user, rules) => {
    await grant(user, rules);
    const fetch = server.fetchAs({ name: user });
    const unknown = await refusal(await fetch("/clusters/No-Name/api/v1/configmaps"));
    for (const path of [all, "/clusters/*:team/api/v1/configmaps", "/clusters/*:none/api", `${all}?watch=1`]) {
      const [status, message] = await refusal(await fetch(path));
      expect([status, String(message).replace(/path ".*"/, "path")]).toEqual([
        unknown[0],
        String(unknown[1]).replace(/path ".*"/, "path"),
      ]);
    }
  });

  test("does not get it by impersonating, nor with a token of a workspace", async () => {
    await grant("poser", [
      content(["list"]),
      reads("configmaps"),
      { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["weak"] },
    ]);
    const poser = server.fetchAs({ name: "poser" });
    expect((await poser(all, { headers: { "Impersonate-User": "weak" } })).status).toBe(403);
    expect((await poser(all, { headers: { "Impersonate-User": "both" } })).status).toBe(403);
    const account = "/api/v1/namespaces/default/serviceaccounts";
    await shop.fetch(account, post({ metadata: { name: "robot" } }));
    await shop.fetch(
      `/apis/${rbac}/v1/clusterrolebindings`,
      post({
        metadata: { name: "robot" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      }),
    );
    const spec = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
    const asked = await shop.fetch(`${account}/robot/token`, post(spec));
    const { status } = (await asked.json()) as { status: { token: string } };
    const headers = { authorization: `Bearer ${status.token}` };
    expect([401, 403]).toContain((await server.handler()(new Request(`http://host${all}`, { headers }))).status);
  });

  test("loses a watch with the right", async () => {
    await grant("brief", [content(["list", "watch"]), reads("configmaps")]);
    const watch = eventsOf(await server.fetchAs({ name: "brief" })(`${all}?watch=1`));
    await watch.next();
    await server.fetch(`/apis/${rbac}/v1/clusterrolebindings/brief-role`, { method: "DELETE" });
    while ((await watch.next()) !== undefined);
  });
});

/** Attempts to see through the history what the rules of now hide. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../../src/main/library.ts";

const json = { "content-type": "application/json" };
const rbac = "/apis/rbac.authorization.orch.io/v1";
const changes = "/apis/history.orch.io/v1alpha1";
const begin = "2026-01-01T00:00:00Z";

let server: OrchServer;
/** A word of each object that is in no other one. */
const words = {
  open: "zebra",
  hidden: "quokka",
  secret: Buffer.from("narwhal").toString("base64"),
  otherMap: "axolotl",
  otherSecret: Buffer.from("pangolin").toString("base64"),
  ghost: "capybara",
  cluster: "ocelot",
} as const;
type Word = keyof typeof words;

/** Which objects a user may get today. All of them may list changes everywhere. */
const users: Readonly<Record<string, readonly Word[]>> = {
  nobody: [],
  named: ["open"],
  maps: ["open", "hidden", "ghost"],
  lister: [],
  elsewhere: ["otherMap", "otherSecret"],
};
const revisions = {} as Record<Word, string>;

async function write(method: string, path: string, body?: object): Promise<string> {
  const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : json;
  const answer = await server.fetch(path, { method, headers: type, ...(body && { body: JSON.stringify(body) }) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return ((await answer.json()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

async function grant(user: string, namespace: string, rule: object): Promise<void> {
  const [kind, folder] = namespace === "" ? ["ClusterRole", rbac] : ["Role", `${rbac}/namespaces/${namespace}`];
  const [roles, bindings] = namespace === "" ? ["clusterroles", "clusterrolebindings"] : ["roles", "rolebindings"];
  const name = `${user}-${Math.floor(performance.now() * 1_000)}`;
  await write("POST", `${folder}/${roles}`, { metadata: { name }, rules: [rule] });
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: user }];
  const roleRef = { apiGroup: "rbac.authorization.orch.io", kind, name };
  await write("POST", `${folder}/${bindings}`, { metadata: { name }, subjects, roleRef });
}

const pathOf: Readonly<Record<Word, string>> = {
  open: "/api/v1/namespaces/a/configmaps/open",
  hidden: "/api/v1/namespaces/a/configmaps/hidden",
  secret: "/api/v1/namespaces/a/secrets/secret",
  otherMap: "/api/v1/namespaces/b/configmaps/other",
  otherSecret: "/api/v1/namespaces/b/secrets/other",
  ghost: "/api/v1/namespaces/a/configmaps/ghost",
  cluster: `${rbac}/clusterroles/ocelot`,
};

beforeAll(async () => {
  server = await createServer({ history: "48h", authorization: "RBAC", clock: { virtual: begin }, controllers: false });
  for (const name of ["a", "b"]) await write("POST", "/api/v1/namespaces", { metadata: { name } });
  for (const word of Object.keys(words) as Word[]) {
    const path = pathOf[word];
    const at = path.lastIndexOf("/");
    const metadata = { name: path.slice(at + 1), annotations: word === "cluster" ? { word: words[word] } : {} };
    await write("POST", path.slice(0, at), { metadata, ...(word !== "cluster" && { data: { word: words[word] } }) });
    revisions[word] = await write("PATCH", path, { metadata: { labels: { changed: "yes" } } });
  }
  // The name is taken again by an object that says nothing.
  await write("DELETE", pathOf.ghost);
  await write("POST", "/api/v1/namespaces/a/configmaps", { metadata: { name: "ghost" } });
  for (const word of ["hidden", "secret"] as const) await write("DELETE", pathOf[word]);
  const maps = { apiGroups: [""], resources: ["configmaps"] };
  for (const user of Object.keys(users))
    await grant(user, "", { apiGroups: ["history.orch.io"], resources: ["changes"], verbs: ["get", "list"] });
  await grant("named", "a", { ...maps, resourceNames: ["open"], verbs: ["get"] });
  await grant("maps", "a", { ...maps, verbs: ["get", "list"] });
  await grant("lister", "", { apiGroups: ["*"], resources: ["*"], verbs: ["list", "watch"], resourceNames: ["none"] });
  await grant("elsewhere", "b", { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: ["get", "list"] });
  await server.clock.advance("1h");
});
afterAll(() => server.close());

const select = (text: string) => `?fieldSelector=${encodeURIComponent(text)}`;
const then = "atTime=2026-01-01T00:00:10Z";

/** What is asked for, and which words an admin finds there. */
const attempts: readonly { readonly asks: string; readonly path: () => string }[] = [
  { asks: "all changes", path: () => `${changes}/changes` },
  { asks: "the changes of a namespace", path: () => `${changes}/namespaces/a/changes` },
  { asks: "the changes of another namespace", path: () => `${changes}/namespaces/b/changes` },
  { asks: "changes by a user", path: () => `${changes}/changes${select("user=admin")}` },
  { asks: "changes of secrets", path: () => `${changes}/changes${select("object.kind=Secret")}` },
  { asks: "deletes", path: () => `${changes}/changes${select("operation=delete")}` },
  {
    asks: "one object by its key",
    path: () => `${changes}/namespaces/a/changes${select("object.group=,object.resource=secrets,object.name=secret")}`,
  },
  {
    asks: "a name that was taken again",
    path: () =>
      `${changes}/namespaces/a/changes${select("object.group=,object.resource=configmaps,object.name=ghost")}`,
  },
  { asks: "a change by its number", path: () => `${changes}/namespaces/a/changes/${revisions.secret}` },
  {
    asks: "a change of a cluster-wide object",
    path: () => `${changes}/changes${select(`metadata.name=${revisions.cluster}`)}`,
  },
  { asks: "changes as a table", path: () => `${changes}/changes?table=1` },
  { asks: "a secret as it was", path: () => `${pathOf.secret}?${then}` },
  {
    asks: "a secret at a revision",
    path: () => `${pathOf.otherSecret}?resourceVersion=${revisions.otherSecret}&resourceVersionMatch=Exact`,
  },
  { asks: "a list of secrets as it was", path: () => `/api/v1/namespaces/b/secrets?${then}` },
  {
    asks: "a list of all secrets at a revision",
    path: () => `/api/v1/secrets?resourceVersion=${revisions.cluster}&resourceVersionMatch=Exact`,
  },
  { asks: "config maps of all namespaces as they were", path: () => `/api/v1/configmaps?${then}` },
];

const found = (text: string): string[] => (Object.keys(words) as Word[]).filter((word) => text.includes(words[word]));

describe.each(Object.entries(users))("%s", (name, may) => {
  for (const { asks, path } of attempts)
    test(`asks for ${asks}, and sees nothing beyond ${may.join(", ") || "nothing"}`, async () => {
      const answer = await server.fetchAs({ name })(path());
      expect(found(await answer.text()).filter((word) => !may.includes(word as Word))).toEqual([]);
    });
});

test("the admin finds there what is hidden from others", async () => {
  const seen = new Set<string>();
  for (const { path } of attempts) for (const word of found(await (await server.fetch(path())).text())) seen.add(word);
  expect([...seen].sort()).toEqual(Object.keys(words).sort());
});

test("whoever may get an object sees its changes, and nothing of others", async () => {
  const answer = await server.fetchAs({ name: "maps" })(`${changes}/namespaces/a/changes`);
  expect(found(await answer.text())).toEqual(["open", "hidden", "ghost"]);
  const named = await server.fetchAs({ name: "named" })(`${changes}/changes`);
  expect(found(await named.text())).toEqual(["open"]);
});

test("a user who may not list changes sees none, and a change names who was impersonated by whom", async () => {
  expect((await server.fetchAs({ name: "stranger" })(`${changes}/changes`)).status).toBe(403);
  const headers = { ...json, "impersonate-user": "jane", "impersonate-group": "system:masters" };
  const body = JSON.stringify({ metadata: { name: "hers" } });
  expect((await server.fetch("/api/v1/namespaces/a/configmaps", { method: "POST", headers, body })).status).toBe(201);
  const found = await (await server.fetch(`${changes}/namespaces/a/changes${select("object.name=hers")}`)).json();
  expect((found as { items: object[] }).items).toMatchObject([{ user: "jane", impersonator: "admin", verb: "create" }]);
});

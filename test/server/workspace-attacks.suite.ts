/** Two tenants of one server: mallory administers the shop and has no right anywhere else, and the bank has what mallory is after. */

import { expect } from "vitest";
import type { ServerWorkspace } from "../../src/main/library/options.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";

export type Fetch = OrchServer["fetch"];
export const json = { "content-type": "application/json" };
export const sent = (method: string, body: object, type = "application/json"): RequestInit => ({
  method,
  headers: { "content-type": type },
  body: JSON.stringify(body),
});
export const post = (body: object): RequestInit => sent("POST", body);
export const merge = (body: object): RequestInit => sent("PATCH", body, "application/merge-patch+json");
export const apply = (body: object): RequestInit => sent("PATCH", body, "application/apply-patch+yaml");
const rbac = "rbac.authorization.orch.io";
export const roles = `/apis/${rbac}/v1/clusterroles`;
export const bindings = `/apis/${rbac}/v1/clusterrolebindings`;
export const core = "/api/v1/namespaces/default";
export const [maps, secrets, accounts] = [`${core}/configmaps`, `${core}/secrets`, `${core}/serviceaccounts`] as const;
export const definitions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
export const tenancy = "/apis/tenancy.orch.io/v1alpha1";

/** In everything that only the bank has. */
export const mark = "vault";
export const definition = (group: string, kind: string, version = "v1") => ({
  apiVersion: "apiextensions.orch.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: `${kind.toLowerCase()}s`, kind },
    versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});

export interface Tenants {
  readonly server: OrchServer;
  readonly shop: ServerWorkspace;
  readonly bank: ServerWorkspace;
  readonly mallory: Fetch;
  /** With the credentials that a request has itself. */
  anyone(path: string, init?: RequestInit): Promise<Response>;
  /** Of mallory, in the shop. */
  readonly inside: Fetch;
}

export async function openTenants(options: Parameters<typeof createServer>[0] = {}): Promise<Tenants> {
  const server = await createServer({
    workspaces: true,
    authorization: "RBAC",
    history: "1h",
    emulatedVersion: "1.35",
    ...options,
  });
  const [shop, bank] = [await server.workspace("shop"), await server.workspace("bank")];
  const mallory = server.fetchAs({ name: "mallory" });
  const handler = server.handler();
  await grant(server.fetch, "mallory", "enter-shop", content(["access"], "shop"));
  await grant(shop.fetch, "mallory", "cluster-admin");
  await send(bank.fetch, definitions, definition("bank.example.com", "Vault"));
  await send(bank.fetch, maps, { metadata: { name: `${mark}-plan` }, data: { where: mark } });
  await send(bank.fetch, secrets, { metadata: { name: `${mark}-code` }, stringData: { code: mark } });
  return {
    server,
    shop,
    bank,
    mallory,
    anyone: (path, init) => handler(new Request(`http://host${path}`, init)),
    inside: (path, init) => mallory(`/clusters/shop${path as string}`, init),
  };
}

/** The answer, in which nothing of the bank may be. */
export async function ask(fetch: Fetch, path: string, init?: RequestInit) {
  const answer = await fetch(path, init);
  const text = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  // What mallory has sent, as the name of a path or of an owner, is no news.
  const told = text.replaceAll(path, "").replace(/"ownerReferences":\[[^\]]*\]/g, "");
  expect([path, /vault(?!s)/.test(told)]).toEqual([path, false]);
  return { status: answer.status, text, headers: answer.headers };
}
export const statusOf = async (fetch: Fetch, path: string, init?: RequestInit): Promise<number> =>
  (await ask(fetch, path, init)).status;
export const read = async <T>(fetch: Fetch, path: string, init?: RequestInit): Promise<T> =>
  (await (await fetch(path, init)).json()) as T;
export async function send(fetch: Fetch, path: string, body: object): Promise<void> {
  const answer = await fetch(path, post(body));
  expect([path, answer.status, answer.status === 201 ? "" : await answer.text()]).toEqual([path, 201, ""]);
}
export async function grant(fetch: Fetch, user: string, name: string, rules?: readonly object[]): Promise<void> {
  if (rules) await send(fetch, roles, { metadata: { name }, rules });
  const subjects = [{ kind: "User", apiGroup: rbac, name: user }];
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
  await send(fetch, bindings, { metadata: { name: `${user.replaceAll(":", "-")}-${name}` }, roleRef, subjects });
}
export const content = (verbs: readonly string[], ...resourceNames: readonly string[]) => [
  {
    apiGroups: ["tenancy.orch.io"],
    resources: ["workspaces/content"],
    verbs,
    ...(resourceNames[0] && { resourceNames }),
  },
];
const tokenRequest = post({ spec: {} });
export async function tokenOf(fetch: Fetch, name: string): Promise<string> {
  await fetch(accounts, post({ metadata: { name } }));
  return (await read<{ status: { token: string } }>(fetch, `${accounts}/${name}/token`, tokenRequest)).status.token;
}
export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
/** All that the bank holds, as its administrator reads it. */
export async function stateOfBank(bank: ServerWorkspace): Promise<string> {
  const paths = ["/api/v1/configmaps", "/api/v1/secrets", "/api/v1/serviceaccounts", "/api/v1/namespaces", definitions];
  const answers = [...paths, roles, bindings, "/apis"].map(async (path) => (await bank.fetch(path)).text());
  return (await Promise.all(answers)).join("\n").replace(/"resourceVersion":"\d+"\},"items/g, "");
}
/** Resolves when the answer ends. */
export const end = (answer: Response): Promise<string> => answer.body!.pipeTo(new WritableStream()).then(() => "ended");

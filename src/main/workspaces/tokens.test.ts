import { afterAll, beforeAll, expect, test } from "vitest";
import type { Credentials } from "../../authn/contract.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { createServer, type OrchServer } from "../library.ts";
import { createClaimedWorkspace } from "./tokens.ts";

let server: OrchServer;
let token: string;
let uid: string;
beforeAll(async () => {
  server = await createServer({ workspaces: true, authorization: "RBAC", controllers: false });
  const shop = await server.workspace("shop");
  const post = (body: object) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await shop.fetch(accounts, post({ metadata: { name: "robot" } }));
  const asked = await shop.fetch(`${accounts}/robot/token`, post({ spec: {} }));
  token = ((await asked.json()) as { status: { token: string } }).status.token;
  const found = await server.fetch("/apis/tenancy.orch.io/v1alpha1/workspaces/shop");
  uid = ((await found.json()) as { metadata: { uid: string } }).metadata.uid;
});
afterAll(() => server.close());

function sent(headers: Readonly<Record<string, string>>): Credentials {
  return {
    header: (name) => headers[name],
    headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    headerNames: () => Object.keys(headers),
    certificate: undefined,
    connection: undefined,
    remoteAddress: "",
  };
}
const claimed = createClaimedWorkspace(vocabularyOf("orch"));
const protocol = (text: string) =>
  `base64url.bearer.authorization.orch.io.${Buffer.from(text).toString("base64url")}, v5.channel.orch.io`;

test("a token of a workspace names it, in a header and in the protocols of a WebSocket", () => {
  expect(claimed(sent({ authorization: `Bearer ${token}` }))).toBe(uid);
  expect(claimed(sent({ upgrade: "websocket", "sec-websocket-protocol": protocol(token) }))).toBe(uid);
});

test("other credentials name none", () => {
  expect(claimed(sent({}))).toBeUndefined();
  expect(claimed(sent({ authorization: "Bearer none" }))).toBeUndefined();
  expect(claimed(sent({ upgrade: "websocket", "sec-websocket-protocol": protocol("none") }))).toBeUndefined();
  expect(
    claimed(sent({ upgrade: "websocket", "sec-websocket-protocol": protocol(token).split(",")[0]! })),
  ).toBeUndefined();
});

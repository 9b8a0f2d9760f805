import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createServer } from "../main/library.ts";
import { ConfigMap, connect, isForbidden, SelfSubjectAccessReview, StatusError } from "./orch-client.ts";

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`a client of a server in the process acts as its user: rights, faults and journal, as in ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, authorization: "RBAC", journal: true });
    const eve = await connect({ server, as: "eve" });
    const refused = await eve
      .of(ConfigMap)
      .get("a")
      .catch((error: unknown) => error);
    expect(isForbidden(refused) && refused.message).toContain('User "eve" cannot get resource "configmaps"');
    const master = await connect({ server, as: "operator", asGroups: ["with, a comma", "system:masters"] });
    await master.of(ConfigMap).create({ metadata: { name: "a" } });
    const storm = server.faults.add({ match: { user: "operator", verb: "get" }, do: { status: 409 } });
    const failed = await master
      .of(ConfigMap)
      .get("a")
      .catch((error: unknown) => error);
    expect([failed instanceof StatusError && failed.code, storm.hits]).toEqual([409, 1]);
    await (await connect({ server })).of(ConfigMap).get("a");
    expect(storm.hits).toBe(1);
    const seen = server.journal.requests({ resource: "configmaps" }).map(({ user, verb, code }) => [user, verb, code]);
    expect(seen).toEqual([
      ["eve", "get", 403],
      ["operator", "create", 201],
      ["operator", "get", 409],
      ["admin", "get", 200],
    ]);
  });

test("an account that is acted as has its groups, also in requests with headers of their own and in watches", async () => {
  await using server = await createServer({ authorization: "RBAC", journal: true });
  const account = await connect({ server, as: "system:serviceaccount:default:robot", log: silentLog });
  const review = { spec: { nonResourceAttributes: { path: "/version", verb: "get" } } };
  const { status } = await account.of(SelfSubjectAccessReview).create({ metadata: {}, ...review });
  expect(status?.allowed).toBe(true);
  const given: RequestInit[] = [
    {},
    { headers: { accept: "application/json" } },
    { headers: new Headers({ accept: "application/json" }) },
    { headers: [["accept", "application/json"]] },
  ];
  for (const init of given) expect((await account.fetch("/api/v1/secrets", init)).status).toBe(403);
  const informers = account.informers();
  const refused = new Promise((resolve) => informers.of(ConfigMap).on({ error: resolve }));
  expect(isForbidden(await refused)).toBe(true);
  await informers.close();
});

test("what a server in the process cannot honour is refused", async () => {
  await using server = await createServer({ controllers: false });
  const says = (options: object) => connect({ server, ...options }).then(String, (error: Error) => error.message);
  const refused = {
    username: "x",
    kubeconfig: "config",
    context: "c",
    user: "u",
    clientCertificate: "tls.crt",
    insecureSkipTlsVerify: true,
    tlsServerName: "name",
  };
  for (const [name, value] of Object.entries(refused))
    expect(await says({ [name]: value })).toMatch(`"${name}" has no effect on a server in this process`);
  expect(await says({ user: "x" })).toMatch(
    'use "as" and "asGroups" to act as a user, "token" to be one, or pass the URL',
  );
  expect(await says({ asGroups: ["g"] })).toBe('"asGroups" needs "as", the user whose groups they are');
  expect(await says({ token: undefined, as: "eve", namespace: "shop" })).toBe("[object Object]");
});

test("a token is that user or nobody, also while acting as another", async () => {
  const tokens = { good: { name: "robot", groups: ["system:masters"] }, weak: { name: "eve" } };
  await using server = await createServer({ controllers: false, authorization: "RBAC", tokens });
  const vocabulary = "orch";
  const says = async (options: object) => {
    const client = await connect({ server, vocabulary, ...options });
    return client
      .of(ConfigMap)
      .find("a")
      .then(
        () => "found nothing",
        (error: Error) => error.message,
      );
  };
  expect(await says({ token: "good" })).toBe("found nothing");
  expect(await says({ token: "wrong" })).toBe("Unauthorized");
  expect(await says({ token: "weak" })).toContain('User "eve" cannot get resource "configmaps"');
  expect(await says({ token: "good", as: "adam" })).toContain('User "adam" cannot get resource "configmaps"');
  expect(await says({ token: "weak", as: "adam" })).toContain('User "eve" cannot impersonate resource "users"');
  expect(await says({ token: "two\nlines" }).catch((error: Error) => error.message)).toContain("is not a token");
});

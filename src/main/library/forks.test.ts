import { request } from "node:https";
import { describe, expect, test } from "vitest";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { createServer, type OrchServer } from "../library.ts";
import { createForks, forksMax } from "./forks.ts";

interface ShownFork {
  readonly name: string;
  readonly server: string;
  readonly configuration: string;
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const post = (server: OrchServer, path: string, body?: unknown) =>
  server.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** A request over HTTPS with the certificates of a fork. */
function ask(fork: ShownFork, path: string, method = "GET", body?: unknown): Promise<{ code: number; text: string }> {
  const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = fork;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${fork.server}${path}`,
      { method, ca, cert, key, agent: false, headers: { "content-type": "application/json" } },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on("end", () => resolve({ code: answer.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

for (const vocabulary of ["orch", "kubernetes"] as const)
  test(`a fork has its own port, configuration and objects, with the names of ${vocabulary}`, async () => {
    await using server = await createServer({ vocabulary, controllers: false, forks: true });
    await post(server, maps, { metadata: { name: "base" } });
    const made = await post(server, "/forks", { name: "t1" });
    expect(made.status).toBe(201);
    const fork = (await made.json()) as ShownFork;
    expect(JSON.parse(fork.configuration)).toMatchObject({ clusters: [{ cluster: { server: fork.server } }] });
    expect((await ask(fork, maps, "POST", { metadata: { name: "own" } })).code).toBe(201);
    expect((await ask(fork, `${maps}/base`)).code).toBe(200);
    expect((await server.fetch(`${maps}/own`)).status).toBe(404);
    expect(await (await server.fetch("/forks")).json()).toEqual({ forks: [{ name: "t1", server: fork.server }] });
    expect(await (await server.fetch("/forks/t1")).json()).toEqual(fork);
    expect((await server.fetch("/forks/t1", { method: "DELETE" })).status).toBe(200);
    await expect(ask(fork, maps)).rejects.toThrow("ECONNREFUSED");
    expect((await server.fetch("/forks/t1")).status).toBe(404);
  });

test("the certificates and tokens of a fork are worth nothing at its server", async () => {
  await using server = await createServer({ controllers: false, forks: true, authorization: "RBAC" });
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await post(server, accounts, { metadata: { name: "robot" } });
  const tokenFor = async (send: (path: string, body: object) => Promise<{ status?: { token?: string } }>) =>
    (await send(`${accounts}/robot/token`, { spec: {} })).status?.token ?? "";
  const before = await tokenFor(async (path, body) => JSON.parse(await (await post(server, path, body)).text()));
  const fork = (await (await post(server, "/forks")).json()) as ShownFork;
  const inFork = await tokenFor(async (path, body) => JSON.parse((await ask(fork, path, "POST", body)).text));
  const own = await server.clientConfig();
  const review = async (send: (path: string, body: object) => Promise<string>, token: string) =>
    JSON.parse(await send("/apis/authentication.orch.io/v1/tokenreviews", { spec: { token } })).status?.authenticated;
  const atServer = async (path: string, body: object) => (await post(server, path, body)).text();
  const atFork = async (path: string, body: object) => (await ask(fork, path, "POST", body)).text;
  expect(await review(atServer, before)).toBe(true);
  expect(await review(atServer, inFork)).not.toBe(true);
  // The tokens that the copied state has still work in the copy.
  expect([await review(atFork, inFork), await review(atFork, before)]).toEqual([true, true]);
  expect(fork.certificateAuthority).not.toBe(own.authority);
  expect(fork.clientCertificate).not.toBe(own.certificate);
  const stranger = { ...fork, server: own.server, certificateAuthority: own.authority };
  expect((await ask(stranger, "/api/v1/secrets")).code).toBe(401);
  await expect(ask({ ...fork, server: own.server }, "/api/v1/secrets")).rejects.toThrow(/certificate/);
});

describe("/forks", () => {
  test("refuses what cannot be", async () => {
    await using server = await createServer({ controllers: false, forks: true });
    const code = async (body: unknown) => (await post(server, "/forks", body)).status;
    expect(await code({ name: "UPPER" })).toBe(400);
    expect(await code({ name: 7 })).toBe(400);
    expect(await code("text")).toBe(400);
    expect((await server.fetch("/forks", { method: "POST", body: "{" })).status).toBe(400);
    expect(await code({ name: "x".repeat(5_000) })).toBe(413);
    expect(await code({ name: "a" })).toBe(201);
    expect(await code({ name: "a" })).toBe(409);
    expect((await server.fetch("/forks", { method: "PUT" })).status).toBe(405);
    expect((await server.fetch("/forks/a", { method: "PUT" })).status).toBe(405);
    expect((await server.fetch("/forks/none", { method: "DELETE" })).status).toBe(404);
  });

  test("is served only where it was asked for, and not by forks", async () => {
    await using plain = await createServer({ controllers: false });
    expect((await plain.fetch("/forks")).status).toBe(404);
    await using server = await createServer({ controllers: false, forks: true });
    const fork = (await (await post(server, "/forks")).json()) as ShownFork;
    expect(fork.name).toBe("fork-1");
    expect((await ask(fork, "/forks")).code).toBe(404);
  });

  test("needs the right to the path where roles decide", async () => {
    await using server = await createServer({ controllers: false, forks: true, authorization: "RBAC" });
    const eve = server.fetchAs({ name: "eve" });
    expect((await eve("/forks", { method: "POST" })).status).toBe(403);
  });

  test("has a limit", async () => {
    const config = { server: "https://127.0.0.1:1", text: "", authority: "", certificate: "", key: "" };
    const fork = { clientConfig: async () => config, close: async () => {} };
    const { routes, close } = createForks(() => ({ fork: async () => fork }));
    const fetch = createMemoryFetch((exchange) => routes[0]?.handle(exchange));
    const make = async () => (await fetch("/forks", { method: "POST" })).status;
    for (let at = 0; at < forksMax; at++) expect(await make()).toBe(201);
    await expect(make()).rejects.toMatchObject({ code: 429 });
    await close();
    expect(await make()).toBe(201);
  });

  test("forks end with their server", async () => {
    const server = await createServer({ controllers: false, forks: true });
    const fork = (await (await post(server, "/forks")).json()) as ShownFork;
    expect((await ask(fork, maps)).code).toBe(200);
    await server.close();
    // A connection that was kept alive may end before the client notices that the port is closed.
    await expect(ask(fork, maps)).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
  });
});

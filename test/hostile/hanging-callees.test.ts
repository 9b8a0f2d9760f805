/**
 * Issuers of tokens and conversion webhooks that accept connections and never answer: who needs them waits for as long as a limit says, and
 * nobody else does. `LONG_TESTS=1` waits for the limit of conversions; otherwise the clients say that they do not wait that long.
 */

import { Agent, request } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { issuerTimeoutMs } from "../../src/authn/oidc-provider.ts";
import { conversionTimeoutMsMax } from "../../src/extensions/definitions/conversion.ts";
import { adminToken, type Target, turnMsMax, useTarget } from "./target.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const limit = 180_000;
const waiters = 100;
/** How much later than the limit an answer may come on a busy machine. */
const lateMs = 30_000;

/** Accepts connections, and is silent. */
class Silent {
  readonly sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on("error", () => {});
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens on a port
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const tokenOf = (issuer: string, n: number) =>
  `${encoded({ alg: "RS256", kid: "k" })}.${encoded({ iss: issuer, aud: "orch", n, exp: 9e9 })}.${encoded({ n })}`;

/** Many requests at once, each on a connection of its own: the statuses of the answers, and when the last came. */
async function sendAll(target: Target, path: string, tokenAt: (at: number) => string) {
  const agent = new Agent({ keepAlive: true, maxSockets: waiters, rejectUnauthorized: false });
  const began = performance.now();
  const send = (at: number) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokenAt(at)}` };
      const call = request({ host: "127.0.0.1", port: target.port, path, headers, agent }, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      });
      call.once("error", reject);
      call.end();
    });
  const statuses = await Promise.all(Array.from({ length: waiters }, (_, at) => send(at)));
  agent.destroy();
  return { statuses: new Set(statuses), ms: performance.now() - began };
}

describe("an issuer that never answers", () => {
  const silent = new Silent();
  let issuer = "";
  const target = useTarget({
    async flags() {
      issuer = await silent.listen();
      return [`--oidc-issuer-url=${issuer}`, "--oidc-client-id=orch"];
    },
  });
  afterAll(() => silent.close());

  test("N35 keeps only those waiting who bring its tokens, and is asked once", { timeout: limit }, async () => {
    const { result, longestTurnMs } = await target.cost(() =>
      target.beside(() => sendAll(target, "/api/v1/namespaces/default", (at) => tokenOf(issuer, at))),
    );
    expect(result.statuses).toEqual(new Set([401]));
    expect(result.ms).toBeLessThan(issuerTimeoutMs + lateMs);
    expect(silent.sockets.size).toBe(1);
    expect(longestTurnMs).toBeLessThan(turnMsMax);
  });
});

describe("a conversion webhook that never answers", () => {
  const silent = new Silent();
  const target = useTarget();
  const things = (version: string) => `/apis/example.com/${version}/namespaces/default/things`;
  async function define(): Promise<void> {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } },
    });
    const clientConfig = { url: `${await silent.listen()}/` };
    const definition = {
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [version("v1", true), version("v2", false)],
        conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
      },
    };
    await target.post("/apis/apiextensions.orch.io/v1/customresourcedefinitions", definition);
    const object = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } };
    await expect.poll(async () => (await target.post(things("v1"), object)).status).toBe(201);
  }
  afterAll(() => silent.close());

  test("N35 keeps only those waiting who read the other version", { timeout: limit }, async () => {
    await define();
    const { result, longestTurnMs } = await target.cost(() =>
      target.beside(async () => {
        const reading = sendAll(target, `${things("v2")}/a${isLong ? "" : "?timeout=3s"}`, () => adminToken);
        expect((await target.request(`${things("v1")}/a`)).status).toBe(200);
        return reading;
      }),
    );
    // Some may find that the server is busy with the others.
    const allowed = [isLong ? 500 : 504, 429];
    expect([...result.statuses].filter((status) => !allowed.includes(status))).toEqual([]);
    expect(result.statuses).toContain(allowed[0]);
    expect(result.ms).toBeLessThan(conversionTimeoutMsMax + lateMs);
    expect(longestTurnMs).toBeLessThan(turnMsMax);
    // An object that cannot be converted can be deleted.
    expect((await target.request(`${things("v1")}/a`, { method: "DELETE" })).status).toBe(200);
  });
});

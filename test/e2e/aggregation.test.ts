import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { httpsCall } from "../../src/base/https-call.ts";
import { silentLog } from "../../src/base/log.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { issueAuthority, issueClient, issueServing } from "../../src/main/pki/issue.ts";
import { type ApiServer, openApiServer } from "../../src/main/programs/apiserver.ts";

const group = "crops.example.com";
const registration = "/apis/apiregistration.orch.io/v1/apiservices";
const definition = {
  metadata: { name: `apples.${group}` },
  spec: {
    group,
    names: { plural: "apples", singular: "apple", kind: "Apple", listKind: "AppleList" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } },
      },
    ],
  },
};

describe("an aggregated server", () => {
  let folder = "";
  let front: ApiServer;
  let back: ApiServer;
  let ca = "";
  const at = (name: string) => join(folder, name);

  const open = (...args: string[]) =>
    openApiServer({
      flags: parseFlags(apiserverFlags, [
        "--store=memory",
        "--bind-address=127.0.0.1",
        "--secure-port=0",
        `--client-ca-file=${at("ca.crt")}`,
        `--token-auth-file=${at("tokens.csv")}`,
        "--authorization-mode=RBAC",
        "--disable-admission-plugins=ServiceAccount",
        ...args,
      ]).values,
      clock: systemClock,
      log: silentLog,
    });
  const ask = async (server: ApiServer, method: "GET" | "POST", path: string, token: string, body?: object) => {
    const answer = await httpsCall({
      url: `${server.url}${path}`,
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      tls: { ca },
      timeoutMs: 20_000,
      answerBytesMax: 30_000_000,
    });
    const value = answer.contentType === "application/json" ? JSON.parse(answer.body) : answer.body;
    return { status: answer.status, value };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-aggregation-"));
    const authority = issueAuthority("authority", systemClock);
    const proxyAuthority = issueAuthority("proxy-authority", systemClock);
    ca = authority.certificate;
    const proxy = issueClient(proxyAuthority, { commonName: "front", organizations: [] }, systemClock);
    const serving = issueServing(
      authority,
      { commonName: "server", hosts: ["localhost", "127.0.0.1", "crops.default.svc"] },
      systemClock,
    );
    const files = {
      "ca.crt": authority.certificate,
      "proxy-ca.crt": proxyAuthority.certificate,
      "proxy.crt": proxy.certificate,
      "proxy.key": proxy.key,
      "serving.crt": serving.certificate,
      "serving.key": serving.key,
      "tokens.csv": 'root,root,1,"system:masters"\nann-token,ann,2,"farm"\n',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text, { mode: 0o600 });
    const tls = [`--tls-cert-file=${at("serving.crt")}`, `--tls-private-key-file=${at("serving.key")}`];
    back = await open(
      ...tls,
      `--requestheader-client-ca-file=${at("proxy-ca.crt")}`,
      "--requestheader-allowed-names=front",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    );
    front = await open(
      ...tls,
      `--proxy-client-cert-file=${at("proxy.crt")}`,
      `--proxy-client-key-file=${at("proxy.key")}`,
    );

    const extensions = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
    expect((await ask(back, "POST", extensions, "root", definition)).status).toBe(201);
    // Only the back knows what ann may do there: the front lets her pass, the back decides.
    const rbac = "/apis/rbac.authorization.orch.io/v1";
    const role = {
      metadata: { name: "apples" },
      rules: [{ apiGroups: [group], resources: ["apples"], verbs: ["list", "watch", "create"] }],
    };
    const binding = {
      metadata: { name: "apples" },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "apples" },
      subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "Group", name: "farm" }],
    };
    const all = { ...role, rules: [{ apiGroups: [group], resources: ["*"], verbs: ["*"] }] };
    for (const [server, rules] of [
      [back, role],
      [front, all],
    ] as const) {
      expect((await ask(server, "POST", `${rbac}/clusterroles`, "root", rules)).status).toBe(201);
      expect((await ask(server, "POST", `${rbac}/clusterrolebindings`, "root", binding)).status).toBe(201);
    }
    const service = { metadata: { name: "crops" }, spec: { type: "ExternalName", externalName: "localhost" } };
    expect((await ask(front, "POST", "/api/v1/namespaces/default/services", "root", service)).status).toBe(201);
    const apiService = {
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: "v1",
        groupPriorityMinimum: 1_000,
        versionPriority: 15,
        caBundle: Buffer.from(ca).toString("base64"),
        service: { namespace: "default", name: "crops", port: Number(new URL(back.url).port) },
      },
    };
    expect((await ask(front, "POST", registration, "root", apiService)).status).toBe(201);
  });
  afterAll(async () => {
    await front?.stop();
    await back?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const apples = `/apis/${group}/v1/namespaces/default/apples`;

  test("becomes available once it has answered, is listed in discovery, and lists its own resources", async () => {
    const available = async () => {
      const { value } = await ask(front, "GET", `${registration}/v1.${group}`, "root");
      return value.status?.conditions?.find((one: { type: string }) => one.type === "Available");
    };
    await expect.poll(available, { interval: 50 }).toMatchObject({ status: "True", reason: "Passed" });
    const groups = (await ask(front, "GET", "/apis", "root")).value.groups.map(({ name }: { name: string }) => name);
    expect(groups).toContain(group);
    const { value } = await ask(front, "GET", `/apis/${group}/v1`, "root");
    expect(value.resources.map(({ name }: { name: string }) => name)).toContain("apples");
  });

  test("handles writes and reads of authorized users, and gets their names", async () => {
    const made = await ask(front, "POST", apples, "ann-token", {
      apiVersion: `${group}/v1`,
      kind: "Apple",
      metadata: { name: "one" },
    });
    expect(made).toMatchObject({ status: 201, value: { kind: "Apple" } });
    expect((await ask(back, "GET", apples, "root")).value.items).toHaveLength(1);
    const { status, value } = await ask(front, "GET", `${apples}/one`, "ann-token");
    expect([status, value.reason]).toEqual([403, "Forbidden"]); // by the back: the front allows her everything
    expect(value.message).toContain('User "ann" cannot get');
  });

  test("streams watches as they happen", async () => {
    const { request } = await import("node:https");
    const events = await new Promise<string>((resolve, reject) => {
      const call = request(
        `${front.url}${apples}?watch=1`,
        { ca, headers: { authorization: "Bearer ann-token" } },
        (answer) => {
          let text = "";
          answer.on("data", (chunk: Buffer) => {
            text += chunk.toString();
            if (text.includes('"two"')) {
              call.destroy();
              resolve(text);
            } else if (text.includes('"one"')) {
              void ask(back, "POST", apples, "root", {
                apiVersion: `${group}/v1`,
                kind: "Apple",
                metadata: { name: "two" },
              });
            }
          });
          answer.on("error", () => {});
        },
      );
      call.on("error", reject);
      call.end();
    });
    expect(events).toMatch(/"ADDED"[\s\S]*"one"[\s\S]*"ADDED"[\s\S]*"two"/);
  });

  test("streams watches over WebSockets as well", async () => {
    const { hostname, port } = new URL(front.url);
    const { connect } = await import("node:tls");
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca, servername: "localhost" }, () => {
        const asked = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
        const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
        const head = `GET ${apples}?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ann-token\r\n`;
        socket.write(`${head}${[...asked, key].join("\r\n")}\r\n\r\n`);
      });
      let all = "";
      socket.on("data", (chunk: Buffer) => {
        all += chunk.toString("latin1");
        if (!all.includes('"ADDED"')) return;
        socket.destroy();
        resolve(all);
      });
      socket.on("error", reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 101 /);
    expect(text.toLowerCase()).toContain("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=");
  });

  test("has its schema in the documents of the front server", async () => {
    const definition = async (path: string) => JSON.stringify((await ask(front, "GET", path, "root")).value);
    await expect
      .poll(() => definition("/openapi/v2"), { interval: 200 })
      .toContain(`${apples.replace("default", "{namespace}")}`);
    const text = await definition("/openapi/v2");
    const { definitions } = JSON.parse(JSON.parse(text)); // it is served as plain text, as in v1.21
    const kinds = Object.values<Record<string, { kind: string }[]>>(definitions).flatMap(
      (one) => one["x-orch-group-version-kind"] ?? [],
    );
    expect(kinds.map(({ kind }) => kind)).toContain("Apple");
    // What both servers have in common is there once.
    expect(Object.keys(definitions).filter((name) => /ObjectMeta_v2$/.test(name))).toEqual([]);
    await expect.poll(() => definition("/openapi/v3"), { interval: 200 }).toContain(`/openapi/v3/apis/${group}/v1`);
    const third = await ask(front, "GET", `/openapi/v3/apis/${group}/v1`, "root");
    expect([third.status, JSON.stringify(third.value).includes("Apple")]).toEqual([200, true]);
  });

  test("ignores user headers that a client of the front server sends", async () => {
    const answer = await httpsCall({
      url: `${front.url}${apples}/one`,
      method: "GET",
      headers: { authorization: "Bearer ann-token", "x-remote-user": "root", "x-remote-group": "system:masters" },
      tls: { ca },
      timeoutMs: 20_000,
      answerBytesMax: 1_000_000,
    });
    expect(answer.status).toBe(403);
  });

  test("that has stopped is reported as unavailable, and its group stays listed", async () => {
    await back.stop();
    const { status, value } = await ask(front, "GET", apples, "root");
    expect(status).toBe(503);
    expect(value).toContain("error trying to reach service");
  });
});

/** What was planted in requests must not turn up in logs, metrics, events or answers to others; and lines stay lines. */

import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { accessFlags, accountKeys, signToken } from "./access.ts";
import { adminToken, aliceToken, pause, useTarget } from "./target.ts";

const planted = (name: string) => `canary-${name}-${randomBytes(9).toString("hex")}`;
const canaries = {
  static: planted("static"),
  bearer: planted("bearer"),
  basic: planted("basic"),
  cookie: planted("cookie"),
  query: planted("query"),
  secretData: planted("secret-data"),
  stringData: planted("string-data"),
  patch: planted("patch"),
  applied: planted("applied"),
  badJson: planted("bad-json"),
  badYaml: planted("bad-yaml"),
  review: planted("review"),
  bootstrap: randomBytes(8).toString("hex"),
  impersonated: planted("impersonated"),
  annotation: planted("annotation"),
  websocket: planted("websocket"),
  proxied: planted("proxied"),
  deleted: planted("deleted"),
  protobuf: planted("protobuf"),
};

const target = useTarget({
  tokens: [`${canaries.static},keeper,9,"tenants"`],
  flags: async (folder) => {
    await writeFile(join(folder, "unused"), "");
    return [...(await accessFlags(folder)), "--v=10"];
  },
});
const core = "/api/v1/namespaces/default";
let accountToken = "";
let forgedToken = "";

async function metrics(): Promise<string> {
  return (await target.request("/metrics")).text;
}

beforeAll(async () => {
  await target.post(`${core}/serviceaccounts`, { metadata: { name: "robot" } });
  accountToken = (await target.post(`${core}/serviceaccounts/robot/token`, { spec: {} })).body.status.token;
  forgedToken = signToken({ alg: "RS256" }, { iss: "https://orch.test", sub: "x" }, accountKeys.privateKey);
});

describe("C30 secrets in logs", () => {
  test("C30 secrets in logs: no planted secret appears at the highest verbosity", async () => {
    const { request, post } = { request: target.request.bind(target), post: target.post.bind(target) };
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    await request("/api/v1/namespaces", { token: canaries.static });
    await request("/api/v1/namespaces", { token: `${canaries.static}x` });
    await request("/api/v1/namespaces", { token: canaries.bearer });
    await request("/api/v1/namespaces", {
      token: "",
      headers: { authorization: `Basic ${base64(`u:${canaries.basic}`)}` },
    });
    await request("/api/v1/namespaces", {
      token: "",
      headers: { authorization: [`Bearer ${canaries.bearer}`, `Bearer ${canaries.static}`] },
    });
    await request("/api/v1/namespaces", { headers: { cookie: `session=${canaries.cookie}` } });
    await request("/api/v1/namespaces", { token: accountToken });
    await request("/api/v1/namespaces", { token: forgedToken });
    await request("/api/v1/namespaces", {
      token: "",
      headers: {
        "sec-websocket-protocol": `base64url.bearer.authorization.orch.io.${Buffer.from(canaries.websocket).toString("base64url")}`,
      },
    });
    await request("/api/v1/namespaces", {
      token: aliceToken,
      headers: { "x-remote-user": canaries.proxied, "x-remote-extra-token": canaries.proxied },
    });
    await request(`${core}/pods/p/exec?command=login&command=${canaries.query}`, { method: "POST" });
    await request(`${core}/pods/p/proxy/?token=${canaries.query}`);
    await request(`${core}/secrets?access_token=${canaries.query}`, { token: aliceToken });
    await post(`${core}/secrets`, {
      metadata: { name: "s" },
      data: { a: base64(canaries.secretData) },
      stringData: { b: canaries.stringData },
    });
    await post(`${core}/secrets`, { metadata: { name: "s" }, stringData: { b: canaries.stringData } });
    await post(`${core}/secrets`, {
      metadata: { name: "S!" },
      stringData: { b: canaries.stringData },
      type: "x".repeat(300),
    });
    await post(`${core}/secrets`, { metadata: { name: "t" }, data: { a: canaries.secretData } });
    await post(`${core}/secrets`, { metadata: { name: "t" }, data: { "bad key": base64(canaries.secretData) } });
    await request(`${core}/secrets/s`, {
      method: "PATCH",
      type: "application/merge-patch+json",
      bytes: JSON.stringify({
        stringData: { c: canaries.patch },
        metadata: { annotations: { "last-applied": canaries.annotation } },
      }),
    });
    await request(`${core}/secrets/s`, {
      method: "PATCH",
      type: "application/json-patch+json",
      bytes: JSON.stringify([{ op: "test", path: "/data/a", value: canaries.patch }]),
    });
    await request(`${core}/secrets/s?fieldManager=m&force=true`, {
      method: "PATCH",
      type: "application/apply-patch+yaml",
      bytes: `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {d: ${canaries.applied}}\n`,
    });
    await request(`${core}/secrets`, { method: "POST", bytes: `{"stringData":{"a":"${canaries.badJson}"` });
    await request(`${core}/secrets`, {
      method: "POST",
      type: "application/yaml",
      bytes: `stringData:\n  a: ${canaries.badYaml}\n b: {{`,
    });
    await request(`${core}/secrets`, {
      method: "POST",
      type: "application/vnd.orch.protobuf",
      bytes: Buffer.from(`k8s\0${canaries.protobuf}`),
    });
    await post("/apis/authentication.orch.io/v1/tokenreviews", { spec: { token: canaries.review } });
    await post("/apis/authentication.orch.io/v1/tokenreviews", { spec: { token: canaries.static } });
    const id = "abcdef";
    await post("/api/v1/namespaces/orch-system/secrets", {
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.orch.io/token",
      stringData: { "token-id": id, "token-secret": canaries.bootstrap, "usage-bootstrap-authentication": "true" },
    });
    await request("/api/v1/namespaces", { token: `${id}.${canaries.bootstrap}` });
    await request("/api/v1/namespaces", {
      token: `${id}.${canaries.bootstrap.slice(0, -1)}${canaries.bootstrap.endsWith("0") ? "1" : "0"}`,
    });
    await request("/api/v1/namespaces", {
      headers: { "impersonate-user": "bob", "impersonate-extra-token": canaries.impersonated },
    });
    await request(`${core}/secrets/s`, { method: "DELETE", body: { preconditions: { uid: canaries.deleted } } });
    await request(`${core}/secrets/s`, { method: "DELETE" });
    await pause(300);

    const events = (await request("/api/v1/events")).text;
    const places = { log: target.log(), metrics: await metrics(), events };
    const found: string[] = [];
    const secrets = {
      ...canaries,
      account: accountToken,
      signature: accountToken.split(".")[2] ?? "",
      forged: forgedToken.split(".")[2] ?? "",
      admin: adminToken,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      for (const form of [
        secret,
        base64(secret).replace(/=+$/, ""),
        Buffer.from(secret).toString("base64url"),
        encodeURIComponent(secret),
      ]) {
        for (const [place, text] of Object.entries(places)) if (text.includes(form)) found.push(`${name} in ${place}`);
      }
    }
    expect(found).toEqual([]);
    expect(target.log().length).toBeGreaterThan(0);
  });
});

describe("N29 log injection", () => {
  test("N29 log injection: every line is one record without control characters", async () => {
    const evil = [
      "\\u001b[31mred",
      "a%0d%0ab",
      "a\u2028b",
      '{"level":"error","msg":"fake"}',
      "%1b[2J",
      "%e2%80%a8",
      '"},{"x":"',
    ];
    for (const text of evil) {
      const escaped = encodeURIComponent(text);
      await target.request(`/api/v1/namespaces/${escaped}/pods`);
      await target.request(`/api/v1/namespaces/default/configmaps/${text.includes("%") ? text : escaped}`);
      await target.request(`/api/v1/namespaces?labelSelector=${escaped}`);
      await target.request("/api/v1/namespaces", {
        headers: { "user-agent": Buffer.from(text.replaceAll("\u2028", "")).toString("latin1"), "audit-id": "x y" },
      });
      await target.request("/api/v1/namespaces", { headers: { "impersonate-user": text.replaceAll("\u2028", "") } });
      await target.post(`${core}/configmaps`, { metadata: { name: text } });
      await target.post(`${core}/configmaps?fieldManager=${escaped}`, { metadata: { name: "n" } });
      await target.request("/api/v1/namespaces", { token: text.replaceAll("\u2028", "") });
      await target.request(`/api/v1/namespaces/default/pods?resourceVersion=${escaped}`);
    }
    await pause(200);
    const lines = target
      .log()
      .split("\n")
      .filter((line) => line !== "");
    for (const line of lines) {
      expect(() => JSON.parse(line)).not.toThrow();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    }
    expect(lines.filter((line) => JSON.parse(line).msg === "fake")).toEqual([]);
  });
});

describe("C25 labels of metrics", () => {
  test("C25 labels of metrics: requests that are all different add few series", async () => {
    const series = async () =>
      (await metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
    await target.request("/api/v1/namespaces/default/configmaps");
    let known = 0;
    for (let at = 0; at < 300; at += 20) {
      // By then every verb, code and kind of path has been there.
      if (at === 100) known = await series();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const n = `${at + i}x`;
          const headers = {
            "user-agent": `agent-${n}`,
            accept: `application/json, x/${n}`,
            "impersonate-user": `user-${n}`,
          };
          const kinds = [
            `/api/v1/namespaces/ns-${n}/configmaps`,
            `/api/v1/${n}`,
            `/apis/g${n}/v1/things`,
            `/p${n}`,
            `/healthz/${n}`,
            `/apis/apps/v${n}/deployments`,
            `/api/v1/namespaces/default/pods/p/${n}`,
          ];
          const methods = ["GET", "POST", "PUT", "DELETE"];
          return target.request(kinds[i % kinds.length] ?? "/", {
            method: methods[i % 4] ?? "GET",
            headers,
            ...(i % 4 === 1 ? { bytes: "{}", type: `x/${n}` } : {}),
          });
        }),
      );
      await target.raw(`METHOD${at} /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      await target.raw(
        `PROPFIND /x${at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nConnection: close\r\n\r\n`,
      );
    }
    expect((await series()) - known).toBeLessThanOrEqual(60);
    const text = await metrics();
    for (const part of ["agent-", "user-", "ns-100x", "g100x", "v100x", "METHOD"]) expect(text).not.toContain(part);
  });
});

describe("answers to refused requests", () => {
  test("refusals are Status objects without a stack or a path of the machine", async () => {
    const tries = [
      await target.request("/api/v1/namespaces/default/configmaps", { method: "POST", bytes: "{" }),
      await target.request("/api/v1/namespaces/none/configmaps/x"),
      await target.request("/api/v1/namespaces", { token: "wrong" }),
      await target.request("/api/v1/namespaces", { token: "" }),
      await target.request("/api/v1/namespaces/default", {
        method: "PATCH",
        type: "application/json-patch+json",
        bytes: '[{"op":"remove","path":"/x"}]',
      }),
      await target.request("/api/v1/namespaces/default/configmaps?continue=x"),
      await target.request("/api/v1/namespaces/%zz"),
    ];
    for (const { status, body, text } of tries) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: status });
      expect(text).not.toMatch(/\bat .*:[0-9]+:[0-9]+|node_modules|\/dist\/|\.ts\b/);
    }
  });
});

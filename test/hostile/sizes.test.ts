/** Bodies and objects that are too large, or that have too much in too few bytes. */

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { partsMax } from "../../src/machinery/json/json-gate.ts";
import { useTarget } from "./target.ts";

const target = useTarget();
const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const bodyBytesMax = 3 * 1024 * 1024;

const send = (bytes: string | Buffer, type = "application/json") =>
  target.request(configMaps, { method: "POST", bytes, type });

describe("N07 huge bodies", () => {
  const head = (...lines: string[]) =>
    [
      "POST /api/v1/namespaces/default/configmaps HTTP/1.1",
      "Host: x",
      "Authorization: Bearer admin-token-of-the-suite",
      "Content-Type: application/json",
      ...lines,
      "",
      "",
    ].join("\r\n");

  test("N07 huge bodies: a length of 4 GB is refused without waiting for a byte of it", async () => {
    const { statuses, closed } = await target.raw(head("Content-Length: 4294967296"), { quietMs: 10_000 });
    expect([statuses, closed]).toEqual([[413], true]);
  });

  test("N07 huge bodies: a client that is still sending gets the refusal", async () => {
    const body = "x".repeat(2 * bodyBytesMax);
    for (let tries = 0; tries < 5; tries++) expect((await send(body)).status).toBe(413);
  });

  test("N07 huge bodies: endless chunks are cut off soon after the limit", async () => {
    const socket = await target.connect();
    let answer = "";
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    const gone = new Promise((done) => socket.once("close", done));
    socket.write(head("Transfer-Encoding: chunked"));
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    let sent = 0;
    while (!socket.destroyed && sent < 64 * 1024 * 1024) {
      sent += 65_536;
      if (!socket.write(chunk)) await Promise.race([new Promise((done) => socket.once("drain", done)), gone]);
    }
    await gone;
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    expect(answer === "" || answer.startsWith("HTTP/1.1 413")).toBe(true);
  });

  test("N07 huge bodies: compressed ones are refused", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, " "));
    for (const encoding of ["gzip", "deflate", "br", "gzip, gzip", "GZIP"]) {
      const headers = { "content-encoding": encoding };
      expect((await target.request(configMaps, { method: "POST", bytes: bomb, headers })).status).toBe(415);
      const patch = { method: "PATCH", type: "application/merge-patch+json", bytes: bomb, headers };
      expect((await target.request(`${configMaps}/some`, patch)).status).toBe(415);
      const transactions = "/apis/batch.orch.io/v1alpha1/transactions";
      expect((await target.request(transactions, { method: "POST", bytes: bomb, headers })).status).toBe(415);
    }
  });

  test("N07 huge bodies: many large ones at once keep the server within its memory bounds", async () => {
    const body = Buffer.from(`{"metadata":{"name":"many"},"x":"${"y".repeat(bodyBytesMax - 100)}"}`);
    const before = await target.rssBytes();
    const answers = await target.beside(() =>
      Promise.all(Array.from({ length: 40 }, () => send(body).catch(() => undefined))),
    );
    for (const answer of answers) expect([201, 409, 413, 422, 429, undefined]).toContain(answer?.status);
    expect((await target.rssBytes()) - before).toBeLessThan(600 * 1024 * 1024);
  });
});

describe("N08 parsing and printing block the loop", () => {
  test("N08 parsing blocks the loop: large bodies of many small values do not block other requests", async () => {
    const values = Array.from({ length: 30_000 }, (_, at) => `"key-${at}":"v"`).join(",");
    const body = `{"metadata":{"name":"slow"},"data":{${values}}}`;
    const answers = await target.beside(async () => {
      const all = [];
      for (let at = 0; at < 4; at++) all.push(await send(body));
      return all;
    });
    for (const { status } of answers) expect(status === 201 || (status >= 400 && status < 500)).toBe(true);
  });
});

describe("N09 stored size", () => {
  const mebibyte = 1024 * 1024;
  const cases = [
    { what: "a ConfigMap of 1 MiB and a byte", status: 422, body: { data: { a: "x".repeat(mebibyte + 1) } } },
    {
      what: "annotations of 256 KiB and a byte",
      status: 422,
      body: { metadata: { annotations: { a: "x".repeat(256 * 1024) } } },
    },
    { what: "a label value of 64 characters", status: 422, body: { metadata: { labels: { a: "x".repeat(64) } } } },
    { what: "a label key of 64 characters", status: 422, body: { metadata: { labels: { ["x".repeat(64)]: "a" } } } },
    { what: "a key of 254 characters", status: 422, body: { data: { ["x".repeat(254)]: "a" } } },
  ];
  for (const { what, status, body } of cases) {
    test(`N09 stored size: ${what} is invalid`, async () => {
      const answer = await target.post(configMaps, { ...body, metadata: { name: "large", ...body.metadata } });
      expect(answer.status).toBe(status);
    });
  }

  test("N09 stored size: a name of 254 characters is invalid", async () => {
    expect((await target.post(configMaps, { metadata: { name: "x".repeat(254) } })).status).toBe(422);
    expect((await target.post(configMaps, { metadata: { generateName: "x".repeat(10_000) } })).status).toBe(422);
  });

  test("N09 stored size: a Secret of 1 MiB and a byte is invalid", async () => {
    const body = { metadata: { name: "large" }, data: { a: Buffer.alloc(mebibyte + 1).toString("base64") } };
    expect((await target.post("/api/v1/namespaces/default/secrets", body)).status).toBe(422);
  });

  test("N09 stored size: an object over the 1.5 MiB that a store accepts is refused, and the stored one is unchanged", async () => {
    const body = { metadata: { name: "large" }, template: podTemplate("x".repeat(1.6 * mebibyte)) };
    const answer = await target.post("/api/v1/namespaces/default/podtemplates", body);
    expect([413, 422]).toContain(answer.status);
    expect((await target.request("/api/v1/namespaces/default/podtemplates/large")).status).toBe(404);
  });

  function podTemplate(text: string) {
    return { spec: { containers: [{ name: "c", image: "i", args: [text] }] } };
  }
});

describe("N24 hash and key floods", () => {
  test("N24 key floods: 300,000 keys like integers are refused or stored, without blocking others", async () => {
    const flood = (prefix: string) =>
      Array.from({ length: 300_000 }, (_, at) => `"${prefix}${at}":1`)
        .join(",")
        .slice(0, bodyBytesMax - 200);
    for (const prefix of ["", "k"]) {
      const cut = flood(prefix);
      const members = cut.slice(0, cut.lastIndexOf(","));
      const answer = await target.beside(() => send(`{"metadata":{"name":"flood"},"x":{${members}}}`));
      expect([201, 400, 409, 413]).toContain(answer.status);
    }
  });
});

describe("N24 long lists", () => {
  const lists = [
    {
      what: "owners",
      path: configMaps,
      body: {
        metadata: {
          name: "l",
          ownerReferences: many((at) => ({ apiVersion: "v1", kind: "K", name: `n${at}`, uid: `u${at}` })),
        },
      },
    },
    { what: "empty containers", path: pods, body: { metadata: { name: "l" }, spec: { containers: many(() => ({})) } } },
    {
      what: "tolerations",
      path: "/apis/node.orch.io/v1/runtimeclasses",
      body: {
        metadata: { name: "l" },
        handler: "h",
        scheduling: { tolerations: many((at) => ({ key: `k${at}`, operator: "Exists" })) },
      },
    },
    {
      what: "variables",
      path: pods,
      body: {
        metadata: { name: "l" },
        spec: { containers: [{ name: "c", image: "i", env: many((at) => ({ name: `E${at}` })) }] },
      },
    },
    { what: "finalizers", path: configMaps, body: { metadata: { name: "l", finalizers: many((at) => `a/b${at}`) } } },
  ];
  for (const { what, path, body } of lists) {
    test(`N24 long lists: 20,000 ${what} are refused or accepted in linear time, with a short answer`, async () => {
      const answer = await target.beside(() => target.post(`${path}?dryRun=All`, body));
      expect([201, 413, 422]).toContain(answer.status);
      if (answer.status !== 201) expect(answer.text.length).toBeLessThan(1_000_000);
    });
  }

  function many<T>(item: (at: number) => T): T[] {
    return Array.from({ length: 20_000 }, (_, at) => item(at));
  }
});

describe("N24 parts", () => {
  const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";

  test("N24 parts: an object with the maximum number can still be changed and deleted once it has managed fields", async () => {
    const data = `{"a":[${"[],".repeat(partsMax - 20)}[]]}`;
    const made = await target.request(revisions, {
      method: "POST",
      bytes: `{"metadata":{"name":"parts"},"revision":1,"data":${data}}`,
    });
    expect(made.status).toBe(201);
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`, "x"]));
    const changed = await target.request(`${revisions}/parts`, {
      method: "PATCH",
      body: { metadata: { labels } },
      type: "application/merge-patch+json",
    });
    expect([changed.status, changed.body.metadata.labels]).toEqual([200, labels]);
    expect((await target.request(`${revisions}/parts`, { method: "DELETE" })).status).toBe(200);
  });

  test("N24 parts: one more is too large, in JSON, in YAML that is JSON, and in an apply", async () => {
    const bytes = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":[${"[],".repeat(partsMax)}[]]}}`;
    const apply = { method: "PATCH", bytes, type: "application/apply-patch+yaml" };
    const answers = [
      await send(bytes),
      await send(bytes, "application/yaml"),
      await target.request(`${configMaps}/x?fieldManager=m`, apply),
    ];
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
  });
});

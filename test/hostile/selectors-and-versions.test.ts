/** Selectors, resource versions, limits and continue tokens that ask for more than they may. */

import { beforeAll, describe, expect, test } from "vitest";
import { aliceToken, createChance, useTarget } from "./target.ts";

const target = useTarget();
const configMaps = "/api/v1/namespaces/default/configmaps";
const rbac = "/apis/rbac.authorization.orch.io/v1";
const encode = encodeURIComponent;
const count = 60;

beforeAll(async () => {
  for (let at = 0; at < count; at++) {
    const labels = { number: `${at}`, ...(at === 0 ? { constructor: "yes" } : {}) };
    await target.post(configMaps, { metadata: { name: `c-${String(at).padStart(3, "0")}`, labels } });
  }
  await target.post("/api/v1/namespaces/default/secrets", {
    metadata: { name: "mine" },
    stringData: { a: "own-secret" },
  });
  await target.post("/api/v1/namespaces/default/secrets", {
    metadata: { name: "theirs" },
    stringData: { a: "foreign" },
  });
  await target.post("/api/v1/namespaces", { metadata: { name: "other" } });
  await target.post("/api/v1/namespaces/other/secrets", { metadata: { name: "mine" }, stringData: { a: "foreign" } });
  const rules = [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get", "list", "watch"] }];
  await target.post(`${rbac}/namespaces/default/roles`, { metadata: { name: "one" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "one" };
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "alice" }];
  await target.post(`${rbac}/namespaces/default/rolebindings`, { metadata: { name: "one" }, roleRef, subjects });
});

describe("N03 inherited properties in selectors and queries", () => {
  for (const name of ["toString", "valueOf", "hasOwnProperty", "isPrototypeOf"]) {
    test(`N03 inherited properties: no object has a label ${name}`, async () => {
      const select = async (selector: string) =>
        (await target.request(`${configMaps}?labelSelector=${encode(selector)}`)).body.items.length;
      expect(await select(name)).toBe(0);
      expect(await select(`${name}=x`)).toBe(0);
      expect(await select(`${name} in (a,b)`)).toBe(0);
      expect(await select(`!${name},number`)).toBe(count);
      expect(await select(`${name}!=x,number`)).toBe(count);
    });

    test(`N03 inherited properties: ${name} is neither a field to select by nor an option`, async () => {
      expect((await target.request(`${configMaps}?fieldSelector=${name}%3Dx`)).status).toBe(400);
      expect((await target.request(`${configMaps}?${name}=1&__proto__=2&constructor[prototype][x]=3`)).status).toBe(
        200,
      );
    });
  }

  test("N03 inherited properties: a label with such a name is found", async () => {
    const { body } = await target.request(`${configMaps}?labelSelector=constructor`);
    expect(body.items).toHaveLength(1);
    expect((await target.request(`${configMaps}?labelSelector=__proto__`)).status).toBe(400);
    expect((await target.request(`${configMaps}?fieldSelector=__proto__%3Dx`)).status).toBe(400);
  });
});

describe("N04 number and version confusion", () => {
  const versions = [
    "0x10",
    " 1",
    "1 ",
    "1e3",
    "-1",
    "1.0",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999",
    "NaN",
    "null",
    "١",
    "1_000",
    "+1",
    "constructor",
  ];
  for (const version of versions) {
    test(`N04 number and version confusion: resourceVersion ${JSON.stringify(version)} is refused`, async () => {
      const given = `resourceVersion=${encode(version)}`;
      for (const path of [
        `${configMaps}?${given}`,
        `${configMaps}?watch=1&timeoutSeconds=1&${given}`,
        `${configMaps}?${given}&resourceVersionMatch=Exact`,
        `${configMaps}?${given}&resourceVersionMatch=NotOlderThan&limit=1`,
      ]) {
        const { status, body } = await target.request(path);
        expect([path, status >= 400 && status < 500]).toEqual([path, true]);
        expect(body.kind).toBe("Status");
      }
      const read = await target.request(`${configMaps}/c-000?${given}`);
      expect(read.status).toBeLessThan(500);
      const put = { metadata: { name: "c-000", resourceVersion: version } };
      const update = await target.request(`${configMaps}/c-000`, { method: "PUT", body: put });
      expect([400, 409, 422]).toContain(update.status);
      const options = { preconditions: { resourceVersion: version } };
      expect((await target.request(`${configMaps}/c-000`, { method: "DELETE", body: options })).status).toBe(409);
    });
  }

  const limits = [
    "1e9",
    "NaN",
    "0x10",
    "1.5",
    "",
    " 1",
    "9223372036854775808",
    "99999999999999999999",
    "true",
    "__proto__",
    "١",
  ];
  for (const value of limits) {
    test(`N04 number and version confusion: ${JSON.stringify(value)} is neither a limit nor a timeout`, async () => {
      for (const name of ["limit", "timeoutSeconds"]) {
        const { status, body } = await target.request(`${configMaps}?${name}=${encode(value)}`);
        expect([name, status, body.reason]).toEqual([name, 400, "BadRequest"]);
      }
      const grace = await target.request(`${configMaps}/none?gracePeriodSeconds=${encode(value)}`, {
        method: "DELETE",
      });
      expect([400, 404]).toContain(grace.status);
    });
  }

  test("N04 number and version confusion: numbers of delete options are whole", async () => {
    for (const value of ["1e2", "1.5", '"5"', "9223372036854775808", "1e400", "[1]", "true"]) {
      const bytes = `{"gracePeriodSeconds":${value}}`;
      const { status } = await target.request(`${configMaps}/c-001`, { method: "DELETE", bytes });
      expect([value, status]).toEqual([value, 400]);
    }
    expect((await target.request(`${configMaps}/c-001`)).status).toBe(200);
  });

  test("N04 number and version confusion: negative and enormous limits cost nothing", async () => {
    for (const value of ["-1", "-9223372036854775808", "9223372036854775807", "2147483648"]) {
      expect((await target.request(`${configMaps}?limit=${value}`)).body.items.length).toBeGreaterThanOrEqual(count);
    }
    const watch = `${configMaps}?watch=1&timeoutSeconds=9223372036854775807&resourceVersion=0`;
    const socket = await target.connect();
    socket.write(`GET ${watch} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\n\r\n`);
    const first = await new Promise((done) => socket.once("data", (chunk) => done(String(chunk))));
    expect(first).toContain("HTTP/1.1 200");
    socket.destroy();
  });
});

describe("N12 selectors", () => {
  const terms = (n: number) => Array.from({ length: n }, (_, at) => `k${at}`).join(",");
  const selectors = [
    { what: "15 KB", text: `a in (${"x,".repeat(7_000)}x)` },
    { what: "6,000 terms", text: Array(6_000).fill("a").join(",") },
    { what: "2,000 terms", text: terms(2_000) },
    { what: "an open list", text: `a in (${"b".repeat(10_000)}` },
    { what: "15,000 exclamation marks", text: "!".repeat(15_000) },
    { what: "15,000 brackets", text: "(".repeat(15_000) },
    { what: "15,000 spaces", text: `a${" ".repeat(15_000)}=` },
    { what: "a key of 10,000 characters", text: `${"a".repeat(10_000)}=x` },
    { what: "a value of 10,000 characters", text: `a=${"x".repeat(10_000)}` },
    { what: "10,000 backslashes in a field selector", text: "\\".repeat(10_000), field: true },
    { what: "10,000 equals signs in a field selector", text: "=".repeat(10_000), field: true },
  ];
  for (const { what, text, field } of selectors) {
    test(`N12 selectors: ${what} is answered at once`, async () => {
      const name = field ? "fieldSelector" : "labelSelector";
      const lists = () =>
        target.raw(
          `GET ${configMaps}?${name}=${text.replaceAll(" ", "+").replaceAll("\\", "%5C").slice(0, 60_000)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\nConnection: close\r\n\r\n`,
        );
      const { statuses } = await target.beside(lists);
      expect([200, 400, 414, 431]).toContain(statuses[0]);
    });
  }

  test("N12 selectors: large ones in bodies of objects and of collections are bounded", async () => {
    const values = Array.from({ length: 100_000 }, (_, at) => `v${at}`);
    const matchExpressions = [{ key: "a", operator: "In", values }];
    const body = { metadata: { name: "p" }, spec: { podSelector: { matchExpressions } } };
    const policies = "/apis/networking.orch.io/v1/namespaces/default/networkpolicies";
    const answer = await target.beside(() => target.post(policies, body));
    expect([201, 413, 422]).toContain(answer.status);
    const options = `{"kind":"DeleteOptions","x":"${"y".repeat(1_000_000)}"}`;
    const deleted = await target.request(`${configMaps}?labelSelector=no%3Dsuch`, { method: "DELETE", bytes: options });
    expect([200, 400]).toContain(deleted.status);
    expect((await target.request(configMaps)).body.items.length).toBeGreaterThanOrEqual(count);
  });

  test("N12 selectors: an invalid query does not widen the deletion of a collection", async () => {
    for (const query of [
      "labelSelector=a%3D%zz",
      "labelSelector=%ff",
      "fieldSelector=%",
      "labelSelector=a%3D1&%zz=1",
    ]) {
      const { statuses } = await target.raw(
        `DELETE ${configMaps}?${query} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token-of-the-suite\r\nConnection: close\r\n\r\n`,
      );
      expect([query, statuses]).toEqual([query, [400]]);
    }
    for (const selector of ["a=(", "=", "a in", "a=b=c", "a==b,"]) {
      const { status } = await target.request(`${configMaps}?labelSelector=${encode(selector)}`, { method: "DELETE" });
      expect([selector, status === 400 || status === 200]).toEqual([selector, true]);
    }
    expect((await target.request(configMaps)).body.items.length).toBeGreaterThanOrEqual(count);
  });
});

describe("N23 continue tokens and limits", () => {
  const page = async (path: string, query = "") => target.request(`${path}?limit=10${query}`);

  test("N23 continue tokens: a changed bit is detected in every byte", async () => {
    const token: string = (await page(configMaps)).body.metadata.continue;
    const bytes = Buffer.from(token, "base64url");
    for (let at = 0; at < bytes.length * 8; at += 9) {
      const changed = Buffer.from(bytes);
      changed[at >> 3]! ^= 1 << (at & 7);
      const { status } = await page(configMaps, `&continue=${changed.toString("base64url")}`);
      expect([at, status]).toEqual([at, 400]);
    }
    for (const odd of [
      `${token}=`,
      `${token}A`,
      token.slice(0, -1),
      `${token}%00`,
      ` ${token}`.replace(" ", "%20"),
      "x",
      "e30",
      "A".repeat(10_000),
    ]) {
      expect([odd, (await page(configMaps, `&continue=${odd}`)).status]).toEqual([odd, 400]);
    }
  });

  test("N23 continue tokens: one of another resource or namespace is refused", async () => {
    const token: string = (await page(configMaps)).body.metadata.continue;
    for (const path of [
      "/api/v1/namespaces/default/secrets",
      "/api/v1/namespaces/other/configmaps",
      "/api/v1/configmaps",
      "/api/v1/namespaces/default/pods",
    ]) {
      expect([path, (await page(path, `&continue=${token}`)).status]).toEqual([path, 400]);
    }
    expect((await page(configMaps, `&continue=${token}`)).status).toBe(200);
    expect((await target.request(`${configMaps}?limit=10&continue=${token}`, { token: aliceToken })).status).toBe(403);
    expect((await page(configMaps, `&continue=${token}&resourceVersion=1`)).status).toBe(400);
  });

  test("N23 continue tokens: one object a page reaches the end, without duplicates", async () => {
    const names: string[] = [];
    let token = "";
    do {
      const { body } = await target.request(`${configMaps}?limit=1&labelSelector=number&continue=${token}`);
      names.push(...body.items.map((item: { metadata: { name: string } }) => item.metadata.name));
      token = body.metadata.continue ?? "";
    } while (token !== "");
    expect(new Set(names).size).toBe(count);
    expect(names).toHaveLength(count);
  });

  test("N23 continue tokens: 300 open cursors take no memory", async () => {
    const before = await target.rssBytes();
    for (let at = 0; at < 15; at++) await Promise.all(Array.from({ length: 20 }, () => page(configMaps)));
    expect((await target.rssBytes()) - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe("C37 the right on one name", () => {
  const secrets = "/api/v1/namespaces/default/secrets";
  const ask = (path: string) => target.request(path, { token: aliceToken });

  test("C37 the right on one name: it selects that object only", async () => {
    const list = await ask(`${secrets}?fieldSelector=metadata.name%3Dmine`);
    expect([list.status, list.body.items.length]).toEqual([200, 1]);
    expect(list.text).not.toContain(Buffer.from("foreign").toString("base64"));
    expect((await ask(`${secrets}/mine`)).status).toBe(200);
  });

  const foreign = [
    "",
    "?fieldSelector=metadata.name!%3Dtheirs",
    "?fieldSelector=metadata.name%3Dtheirs",
    "?fieldSelector=metadata.namespace%3Ddefault",
    "?fieldSelector=metadata.name%3Dmine,metadata.name%3Dtheirs",
    "?labelSelector=metadata.name%3Dmine",
    "?fieldSelector=",
    "?fieldSelector=metadata.name%3D",
    "?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dtheirs&fieldSelector=",
    "?watch=1&timeoutSeconds=1",
    "?fieldSelector=%25",
    "?fieldSelector=metadata.name!%3Dmine",
    "?fieldSelector=type%3DOpaque",
    "?fieldSelector=;metadata.name%3Dmine",
  ];
  for (const query of foreign) {
    test(`C37 the right on one name: ${query || "no selector"} shows nothing of others`, async () => {
      for (const more of ["", "&watch=1&timeoutSeconds=1&resourceVersion=0"]) {
        const answer = await ask(`${secrets}${query}${query === "" ? more.replace("&", "?") : more}`);
        expect(answer.status).toBeLessThan(500);
        expect(answer.text).not.toContain(Buffer.from("foreign").toString("base64"));
      }
    });
  }

  test("C37 the right on one name: it does not cover paths of watches and of all namespaces", async () => {
    for (const path of [
      "/api/v1/watch/namespaces/default/secrets?timeoutSeconds=1",
      "/api/v1/watch/namespaces/default/secrets/theirs?timeoutSeconds=1",
      "/api/v1/secrets?fieldSelector=metadata.name%3Dmine",
      "/api/v1/namespaces/other/secrets/mine",
      "/api/v1/namespaces/other/secrets?fieldSelector=metadata.name%3Dmine",
    ]) {
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
    }
    const watched = await ask("/api/v1/watch/namespaces/default/secrets/mine?timeoutSeconds=1&resourceVersion=0");
    expect(watched.text).not.toContain(Buffer.from("foreign").toString("base64"));
  });

  test("C37 the right on one name: 100 random selectors show nothing of others", async () => {
    const parts = [
      "metadata.name",
      "metadata.namespace",
      "=",
      "==",
      "!=",
      "mine",
      "theirs",
      ",",
      "\\",
      " ",
      "%",
      "type",
      "Opaque",
      "&fieldSelector=",
      "&watch=1&timeoutSeconds=1",
      "&resourceVersion=0",
      "&limit=1",
    ];
    const chance = createChance(37);
    const queries = Array.from({ length: 100 }, () =>
      Array.from({ length: 1 + chance(8) }, () => parts[chance(parts.length)]!)
        .map((part) => (part.startsWith("&") ? part : encode(part)))
        .join(""),
    );
    for (let at = 0; at < queries.length; at += 20) {
      await Promise.all(
        queries.slice(at, at + 20).map(async (query) => {
          const answer = await ask(`${secrets}?timeoutSeconds=1&fieldSelector=${query}`);
          expect(answer.status).toBeLessThan(500);
          expect([query, answer.text.includes(Buffer.from("foreign").toString("base64"))]).toEqual([query, false]);
        }),
      );
    }
  });
});

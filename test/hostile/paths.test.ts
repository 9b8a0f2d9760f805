/** Targets that mean one thing to one reader and another to the next, and doors that must not be there. */

import { describe, expect, test } from "vitest";
import { adminToken, aliceToken, createChance, pause, useTarget } from "./target.ts";

const target = useTarget();
const rbac = "/apis/rbac.authorization.orch.io/v1";

/** The bytes of a request whose target is sent unchanged. */
const line = (targetText: string, method = "GET", more: readonly string[] = []) =>
  [
    `${method} ${targetText} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${adminToken}`,
    "Connection: close",
    ...more,
    "",
    "",
  ].join("\r\n");

const rawStatus = async (targetText: string, method = "GET") => (await target.raw(line(targetText, method))).statuses;

describe("C09 scope of the path", () => {
  test("C09 scope of the path: a cluster-wide kind is not served under a namespace to any user", async () => {
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    await target.post(`${rbac}/namespaces/default/roles`, { metadata: { name: "all" }, rules });
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "all" };
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "alice" }];
    const bound = { metadata: { name: "all" }, roleRef, subjects };
    expect((await target.post(`${rbac}/namespaces/default/rolebindings`, bound)).status).toBe(201);
    const mine = "/api/v1/namespaces/default/configmaps";
    expect((await target.request(mine, { token: aliceToken })).status).toBe(200);

    for (const base of [
      "/api/v1/namespaces/default/nodes",
      `${rbac}/namespaces/default/clusterroles`,
      "/api/v1/namespaces/default/namespaces",
    ]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const body = method === "GET" ? undefined : { metadata: { name: "x" } };
        for (const path of [base, `${base}?watch=true&timeoutSeconds=1`]) {
          const { status } = await target.request(path, { method, body, token: aliceToken });
          expect([method, path, status]).toEqual([method, path, 404]);
        }
      }
      for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
        const body = method === "GET" ? undefined : { metadata: { name: "cluster-admin" } };
        const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
        const { status } = await target.request(`${base}/cluster-admin`, { method, body, type, token: aliceToken });
        expect([method, base, status]).toEqual([method, base, 404]);
      }
    }
  });

  test("C09 scope of the path: an object in a namespace is not reached without it", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const body = method === "GET" ? undefined : { metadata: { name: "some" } };
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const { status } = await target.request("/api/v1/configmaps/some", { method, body, type });
      expect([method, status]).toEqual([method, 404]);
    }
    expect([404, 405]).toContain((await target.post("/api/v1/configmaps", { metadata: { name: "x" } })).status);
  });
});

describe("C10 traversal in paths", () => {
  const dots = [
    "..",
    ".",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "..%2f",
    "%2e%2e%2f",
    "..%5c",
    "..%00",
    "%c0%ae%c0%ae",
    "..;",
    "%252e%252e",
  ];
  for (const dot of dots) {
    test(`C10 traversal: ${dot} as a namespace or a name widens nothing`, async () => {
      const paths = [
        `/api/v1/namespaces/${dot}/pods`,
        `/api/v1/namespaces/${dot}/secrets?limit=11`,
        `/api/v1/namespaces/default/configmaps/${dot}`,
        `/api/v1/namespaces/default/configmaps/${dot}/${dot}/secrets`,
        `/apis/${dot}/v1/deployments`,
      ];
      for (const path of paths) {
        const { statuses, text } = await target.raw(line(path));
        expect(statuses).toHaveLength(1);
        // A name that is only odd ("%252e" once decoded) finds an empty namespace.
        if (statuses[0] === 200) expect(text).toContain('"items":[]');
        else expect([400, 404]).toContain(statuses[0]);
      }
    });
  }

  test("C10 traversal: names that would leave their prefix are invalid", async () => {
    for (const name of [".", "..", "a/b", "a%b", "../x", "a\u0000b", "a\nb", "A", "-a", ""]) {
      const { status } = await target.post("/api/v1/namespaces/default/configmaps", { metadata: { name } });
      expect([name, status]).toEqual([name, 422]);
      const role = await target.post(`${rbac}/clusterroles`, { metadata: { name }, rules: [] });
      // Roles may have any name that is one segment of a path.
      const free = ["a\u0000b", "a\nb", "A", "-a"].includes(name);
      expect(role.status === 422 || (free && role.status === 201)).toBe(true);
    }
  });

  test("C10 traversal: a continue token made by hand is refused", async () => {
    const start = { v: "meta.orch.io/v1", rv: -1, start: "/core/secrets\u0000" };
    for (const form of ["base64", "base64url"] as const) {
      const token = encodeURIComponent(Buffer.from(JSON.stringify(start)).toString(form));
      for (const kind of ["configmaps", "pods"]) {
        expect((await target.request(`/api/v1/namespaces/default/${kind}?limit=11&continue=${token}`)).status).toBe(
          400,
        );
      }
    }
  });
});

describe("N15 URL confusion", () => {
  const refused = [
    { why: "a doubled slash", path: "/api//v1/namespaces", status: [404] },
    { why: "a host in front", path: "//evil/api/v1/namespaces", status: [404] },
    { why: "a backslash", path: "/api\\v1\\namespaces", status: [400] },
    { why: "a fragment", path: "/api/v1/namespaces#x", status: [400] },
    { why: "a NUL", path: "/api/v1/namespaces/a%00b", status: [400] },
    { why: "an invalid escape", path: "/api/v1/namespaces/%zz", status: [400] },
    { why: "a truncated escape", path: "/api/v1/namespaces/%2", status: [400] },
    { why: "overlong UTF-8", path: "/api/v1/namespaces/%c0%af", status: [400] },
    { why: "half a surrogate", path: "/api/v1/namespaces/%ed%a0%80", status: [400] },
    { why: "an escaped slash", path: "/api/v1/namespaces/default%2fpods", status: [400, 404] },
    { why: "escaped dots", path: "/api/v1/namespaces/default/%2e%2e/orch-system/secrets", status: [400] },
    { why: "another case", path: "/API/V1/namespaces", status: [404] },
    { why: "matrix parameters", path: "/api/v1;x=1/namespaces", status: [404] },
    { why: "raw UTF-8", path: "/api/v1/namespaces/é", status: [400] },
    { why: "an absolute target", path: "https://evil.example/api/v1/namespaces", status: [400] },
    { why: "an asterisk", path: "*", status: [400, 404, 405] },
    { why: "a relative target", path: "api/v1/namespaces", status: [400] },
  ];
  for (const { why, path, status } of refused) {
    test(`N15 URL confusion: ${why} is not served as something else`, async () => {
      const { statuses } = await target.raw(line(path));
      expect(statuses).toHaveLength(1);
      expect(status).toContain(statuses[0]);
    });
  }

  test("N15 URL confusion: an escaped letter equals the letter for authorization and lookup", async () => {
    const path = "/api/v1/namespaces/orch-system/%63onfigmaps";
    expect((await target.request(path)).status).toBe(200);
    expect((await target.request(path, { token: aliceToken })).status).toBe(403);
    expect((await target.request("/api/v1/namespaces/orch-system/%73ecrets", { token: aliceToken })).status).toBe(403);
  });

  test("N15 URL confusion: 200 targets of unusual parts are refused or empty, never a failure and never a secret", async () => {
    await target.post("/api/v1/namespaces/orch-system/secrets", {
      metadata: { name: "planted" },
      stringData: { a: "b" },
    });
    const parts = [
      "..",
      ".",
      "",
      "%2f",
      "%2e",
      "%00",
      "%c0%af",
      ";x",
      "\\",
      "@",
      ":80",
      "api",
      "apis",
      "v1",
      "namespaces",
      "default",
      "orch-system",
      "secrets",
      "watch",
      "proxy",
      "status",
      "%7E",
      "é",
      "__proto__",
      "constructor",
    ];
    const chance = createChance(15);
    await target.beside(async () => {
      for (let at = 0; at < 200; at++) {
        const tail = Array.from({ length: 1 + chance(7) }, () => parts[chance(parts.length)]).join("/");
        const path = `/${["api/v1/", "apis/", ""][chance(3)]}${tail}${["", "?", "/", "?watch=0", "#"][chance(5)]}`;
        const request = line(path).replace(adminToken, aliceToken);
        const { statuses, text } = await target.raw(Buffer.from(request, "utf8"));
        expect([path, statuses.length]).toEqual([path, 1]);
        expect(statuses[0]).toBeLessThan(500);
        expect(text).not.toContain("planted");
      }
    });
  });

  test("N15 URL confusion: targets of 20 KB are refused, and 100 KB affects only its own connection", async () => {
    expect([400, 414, 431]).toContain((await rawStatus(`/api/v1/namespaces/${"a".repeat(20_000)}`))[0]);
    const { statuses } = await target.raw(line(`/api/v1/namespaces/${"a".repeat(100_000)}`));
    expect([400, 414, 431, undefined]).toContain(statuses[0]);
  });
});

describe("N03 inherited properties in paths", () => {
  const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "__defineGetter__", "prototype"];
  for (const name of names) {
    test(`N03 inherited properties: ${name} is not a resource, group, version, verb, subresource or namespace`, async () => {
      const paths = [
        `/${name}`,
        `/api/${name}`,
        `/api/v1/${name}`,
        `/apis/${name}`,
        `/apis/${name}/v1`,
        `/apis/apps/${name}`,
        `/apis/apps/v1/${name}`,
        `/api/v1/namespaces/${name}`,
        `/api/v1/namespaces/default/${name}`,
        `/api/v1/namespaces/default/configmaps/${name}`,
        `/api/v1/namespaces/default/configmaps/some/${name}`,
        `/api/v1/watch/${name}`,
        `/openapi/${name}`,
        `/healthz/${name}`,
        `/livez/${name}`,
        `/readyz/${name}`,
        `/version/${name}`,
        `/openapi/v3/apis/${name}`,
      ];
      for (const path of paths) expect([path, (await target.request(path)).status]).toEqual([path, 404]);
      const list = await target.request(`/api/v1/namespaces/${name}/configmaps`);
      expect([list.status, list.body.items]).toEqual([200, []]);
      expect((await rawStatus("/api/v1/namespaces/default", name.replaceAll("_", "-")))[0]).toBeLessThan(500);
    });
  }
});

describe("C12 parameters that become part of another address", () => {
  test("C12 parameters: a container name with slashes reaches nothing", async () => {
    const { status } = await target.request("/api/v1/namespaces/default/pods/p/log?container=..%2f..%2fns%2fq%2fc");
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });
});

describe("C31 other origins", () => {
  for (const origin of ["https://example.com.evil.com", "https://evilexample.com", "null", "https://127.0.0.1"]) {
    test(`C31 other origins: ${origin} gets no permission`, async () => {
      for (const method of ["GET", "OPTIONS"]) {
        const headers = {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization",
        };
        const answer = await target.request("/api/v1/namespaces", { method, headers });
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
        expect(answer.status).toBeLessThan(500);
      }
    });
  }
});

describe("C32 requests that a page can make a browser send", () => {
  for (const type of [
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "text/plain; application/json",
  ]) {
    test(`C32 browsers: a POST of ${type} is not an acceptable media type`, async () => {
      const bytes = '{"metadata":{"name":"csrf"}}';
      const { status } = await target.request("/api/v1/namespaces/default/configmaps", { method: "POST", bytes, type });
      expect(status).toBe(406);
    });
  }

  test("C32 browsers: another host name on loopback gives no rights", async () => {
    const headers = { host: "evil.example" };
    expect((await target.request("/api/v1/namespaces", { token: "", headers })).status).toBe(403);
    expect((await target.request("/api/v1/namespaces", { token: "wrong", headers })).status).toBe(401);
  });
});

describe("C35 debug endpoints", () => {
  for (const path of [
    "/debug/pprof",
    "/debug/pprof/heap",
    "/debug/flags/v",
    "/debug/requests",
    "/json/list",
    "/json/version",
    "/heapdump",
    "/.git/config",
    "/logs/",
    "/configz",
  ]) {
    test(`C35 debug endpoints: ${path} does not exist`, async () => {
      expect((await target.request(path)).status).toBe(404);
      expect([403, 404]).toContain((await target.request(path, { token: "" })).status);
      expect([404, 405]).toContain(
        (await target.request(path, { method: "PUT", bytes: "10", type: "text/plain" })).status,
      );
    });
  }

  test("C35 debug endpoints: the signal that opens Node's debugger opens nothing", async () => {
    target.signal("SIGUSR1");
    await pause(500);
    expect(target.log()).not.toMatch(/debugger/i);
  });
});

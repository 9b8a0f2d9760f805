import { describe, expect, test } from "vitest";
import { certificateFor, core, ownAddress, proxyFixture } from "./proxy.suite.ts";

const { proxying, backend, podOf } = proxyFixture();

describe("certificates of backends (A03 in docs/security-rows.md)", () => {
  test("a pod whose certificate is not trusted is 502, unless the pod accepts any certificate", async () => {
    const secure = await backend({ tls: certificateFor("other.example.com") });
    const strict = await podOf(secure, "https");
    const refused = await proxying().ask(`${strict}/`);
    expect([refused.status, secure.seen.length]).toEqual([502, 0]);
    const lenient = await podOf(secure, "https", { "proxy.orch.io/insecure-skip-tls-verify": "true" });
    expect((await proxying().ask(`${lenient}/`)).text).toBe("hello");
  });
});

describe("a service", () => {
  const service = (name: string, ports: object[]) =>
    proxying().post(`${core}/services`, { metadata: { name }, spec: { ports } });
  const endpoints = (name: string, ip: string, pod: string, ports: object[]) =>
    proxying().post(`${core}/endpoints`, {
      metadata: { name },
      subsets: [{ addresses: [{ ip, targetRef: { kind: "Pod", name: pod, namespace: "default" } }], ports }],
    });

  test.skipIf(ownAddress === undefined)("is reached at a ready endpoint, by the number or name of a port", async () => {
    const plain = await backend({ host: ownAddress! });
    await proxying().pod("behind", ownAddress!);
    await service("web", [{ name: "http", port: 80 }]);
    await endpoints("web", ownAddress!, "behind", [{ name: "http", port: plain.port }]);
    for (const name of ["web:80", "web:http", "http:web:80"]) {
      expect([name, (await proxying().ask(`${core}/services/${name}/proxy/deep?a`)).text]).toEqual([name, "hello"]);
    }
    expect(plain.seen.map(({ url }) => url)).toEqual(["/deep?a", "/deep?a", "/deep?a"]);
    const unnamed = await proxying().ask(`${core}/services/web/proxy/`);
    expect([unnamed.status, JSON.parse(unnamed.text).message]).toEqual([
      503,
      'no endpoints available for service "web"',
    ]);
    const missing = await proxying().ask(`${core}/services/web:81/proxy/`);
    expect(JSON.parse(missing.text).message).toBe('no service port 81 found for service "web"');
  });

  test.skipIf(ownAddress === undefined)(
    "is not reached at an address that does not belong to one of its pods (C16 in docs/security-rows.md)",
    async () => {
      const plain = await backend({ host: ownAddress! });
      await proxying().pod("elsewhere", "10.9.9.9");
      await service("forged", [{ port: 80 }]);
      await endpoints("forged", ownAddress!, "elsewhere", [{ port: plain.port }]);
      const answer = await proxying().ask(`${core}/services/forged/proxy/`);
      expect([answer.status, JSON.parse(answer.text).message]).toEqual([
        503,
        'no endpoints available for service "forged"',
      ]);
      expect(plain.connections()).toBe(0);
    },
  );
});

describe("a node", () => {
  const node = (name: string, addresses: object[], port?: number) =>
    proxying().post("/api/v1/nodes", {
      metadata: { name, annotations: { "proxy.orch.io/insecure-skip-tls-verify": "true" } },
      status: { addresses, ...(port === undefined ? {} : { daemonEndpoints: { orchletEndpoint: { Port: port } } }) },
    });

  test("is reached at its agent over https, and at another port on request", async () => {
    const agent = await backend({ tls: certificateFor("n1") });
    const plain = await backend({});
    await node("n1", [{ type: "InternalIP", address: "127.0.0.1" }], agent.port);
    for (const name of ["n1", `n1:${agent.port}`, `https:n1:${agent.port}`]) {
      expect([name, (await proxying().ask(`/api/v1/nodes/${name}/proxy/pods`)).text]).toEqual([name, "hello"]);
    }
    expect(agent.seen.map(({ url }) => url)).toEqual(["/pods", "/pods", "/pods"]);
    expect((await proxying().ask(`/api/v1/nodes/n1:${plain.port}/proxy/metrics`)).text).toBe("hello");
    expect((await proxying().ask("/api/v1/nodes/none/proxy/")).status).toBe(404);
    await node("n2", []);
    const unknown = await proxying().ask("/api/v1/nodes/n2/proxy/");
    expect([unknown.status, JSON.parse(unknown.text).message]).toEqual([
      503,
      "no preferred addresses found; known addresses: []",
    ]);
  });
});

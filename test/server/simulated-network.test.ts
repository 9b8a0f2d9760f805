import { Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openHookServer } from "../../src/base/hook-server.suite.ts";
import { goldenLevels } from "../../src/machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { isMadeUp } from "../../src/simulation/addresses.ts";

const headers = { "content-type": "application/json" };
const post = async (server: OrchServer, path: string, body: object) => {
  const answer = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
};
const read = async (server: OrchServer, path: string, init: object = {}) => {
  const answer = await server.fetch(path, init);
  return [answer.status, await answer.text()] as const;
};
const messageOf = (text: string) => (JSON.parse(text) as { message: string }).message;

const pods = "/api/v1/namespaces/shop/pods";
const labels = { app: "hook" };

/** A namespace with one pod, its Service `hook`, and a port that does what `ports` says. */
async function withPod(server: OrchServer, ports: object): Promise<void> {
  await post(server, "/api/v1/namespaces", { metadata: { name: "shop" } });
  const annotations = { "simulation.orch.io/ports": JSON.stringify(ports) };
  const container = { name: "c", image: "i", ports: [{ containerPort: 8443 }] };
  await post(server, pods, { metadata: { name: "hook-0", labels, annotations }, spec: { containers: [container] } });
  const spec = { selector: labels, ports: [{ port: 443, targetPort: 8443 }] };
  await post(server, "/api/v1/namespaces/shop/services", { metadata: { name: "hook" }, spec });
  // Services are found by their Endpoints or by their slices, whatever the level says.
  await expect
    .poll(async () => (await read(server, "/api/v1/namespaces/shop/endpoints/hook"))[1])
    .toMatch(/"addresses":\[\{"ip":"198\.18\./);
  await expect
    .poll(async () => (await read(server, "/apis/discovery.orch.io/v1/namespaces/shop/endpointslices"))[1])
    .toMatch(/"ready":true/);
}

const webhook = (caBundle: string) => ({
  metadata: { name: "h" },
  webhooks: [
    {
      name: "h.example.com",
      clientConfig: { service: { namespace: "shop", name: "hook", path: "/check" }, caBundle },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
});
const hooksPath = "/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations";

/** The addresses that this process connects to. */
function watchConnections(): string[] {
  const seen: string[] = [];
  const connect = Socket.prototype.connect;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...given: unknown[]) {
    const [first] = [given[0]].flat(2) as [{ host?: string } | undefined];
    seen.push(first?.host ?? "");
    return Reflect.apply(connect, this, given) as Socket;
  });
  return seen;
}
afterEach(() => vi.restoreAllMocks());

describe.each(goldenLevels)("at level %s", (emulatedVersion) => {
  const open = (more: object = {}) =>
    createServer({ emulatedVersion, nodes: 1, controllers: ["endpoint", "endpointslice"], ...more });

  test("requests to simulated pods and services are answered by their ports, and nothing is dialled", async () => {
    await using server = await open();
    await withPod(server, { 80: { http: "hello" }, 81: "refuse" });
    const seen = watchConnections();
    expect(await read(server, `${pods}/hook-0:80/proxy/x`)).toEqual([200, "hello"]);
    const body = { method: "POST", body: "some text" };
    expect(await read(server, `${pods}/hook-0/proxy/x?y=1`, body)).toEqual([200, "POST /x?y=1\nsome text"]);
    const service = "/api/v1/namespaces/shop/services/hook:443/proxy/z";
    expect(await read(server, service)).toEqual([200, "GET /z\n"]);
    const [refused, why] = await read(server, `${pods}/hook-0:81/proxy/`);
    expect([refused, messageOf(why)]).toEqual([503, expect.stringContaining("connection refused")]);
    const [tls, spoken] = await read(server, `${pods}/https:hook-0:8443/proxy/`);
    expect([tls, messageOf(spoken)]).toEqual([503, expect.stringContaining("nothing speaks TLS at 198.18.")]);
    const [node, elsewhere] = await read(server, "/api/v1/nodes/node-0:1234/proxy/");
    expect([node, messageOf(elsewhere)]).toEqual([503, expect.stringContaining("node-0 is a simulated node")]);
    expect(seen.filter(isMadeUp)).toEqual([]);
  });

  test("a webhook behind a simulated pod is refused in words that say what to do", async () => {
    await using server = await open();
    await withPod(server, {});
    const seen = watchConnections();
    await post(server, hooksPath, webhook(""));
    const refused = post(server, "/api/v1/namespaces/shop/configmaps", { metadata: { name: "a" } });
    await expect(refused).rejects.toThrow(
      /address of the simulated pod shop\/hook-0.*--simulated-port-targets=127.0.0.1:8443/,
    );
    expect(seen.filter(isMadeUp)).toEqual([]);
  });

  test("a webhook runs on the host if the pod forwards its port and the operator allows it", async () => {
    const hook = await openHookServer((_request, response, body) => {
      const { request } = JSON.parse(body) as { request: { uid: string } };
      const answer = { apiVersion: "admission.orch.io/v1", kind: "AdmissionReview" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...answer, response: { uid: request.uid, allowed: true } }));
    });
    try {
      const target = `127.0.0.1:${hook.port}`;
      await using server = await open({ simulation: { portTargets: [target] } });
      await withPod(server, { 8443: { forward: target } });
      await post(server, hooksPath, webhook(Buffer.from(hook.authority).toString("base64")));
      await post(server, "/api/v1/namespaces/shop/configmaps", { metadata: { name: "a" } });
      expect(hook.calls.map(({ path }) => path)).toEqual([expect.stringMatching(/^\/check\?timeout=/)]);
    } finally {
      await hook.close();
    }
  });

  test("a target that the operator does not list is refused", async () => {
    await using server = await open({ simulation: { portTargets: ["127.0.0.1:1"] } });
    await withPod(server, { 8443: { forward: "127.0.0.1:2" }, 8444: { forward: "192.0.2.1:80" } });
    const why = async (port: number) => messageOf((await read(server, `${pods}/hook-0:${port}/proxy/`))[1]);
    expect(await why(8443)).toContain("forwarding to 127.0.0.1:2 needs --simulated-port-targets=127.0.0.1:2");
    expect(await why(8444)).toContain('"192.0.2.1:80" is not a loopback address with a port');
  });
});

test("a server without simulated nodes does not connect to their addresses either", async () => {
  await using server = await createServer({ proxyLocalTargets: "allow" });
  const seen = watchConnections();
  await post(server, "/api/v1/nodes", {
    metadata: { name: "n" },
    status: { addresses: [{ type: "InternalIP", address: "198.18.0.1" }] },
  });
  const [code, text] = await read(server, "/api/v1/nodes/n:1234/proxy/");
  expect([code, messageOf(text)]).toEqual([503, expect.stringContaining("only simulated pods and nodes have")]);
  expect(seen.filter(isMadeUp)).toEqual([]);
});

test("targets must be on this machine", async () => {
  await expect(createServer({ nodes: 1, simulation: { portTargets: ["192.0.2.1:80"] } })).rejects.toThrow(
    '"192.0.2.1:80" must be a loopback address and a port',
  );
});

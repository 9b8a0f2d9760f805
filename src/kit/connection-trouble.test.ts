/** What lies between a client and its server: proxies, certificates that are not trusted, answers that do not come, connections that break. */

import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect as connectTo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import { type Client, ConfigMap, connect, type Kubeconfig } from "./orch-client.ts";

let server: OrchServer;
let kubeconfig: Kubeconfig;
let url: string;
beforeAll(async () => {
  server = await createServer({ controllers: false });
  ({ kubeconfig } = await server.clientConfig());
  url = JSON.stringify(kubeconfig).match(/https:[^"]*/)?.[0] ?? "";
});
afterAll(() => server.close());

const withCluster = (more: object): Kubeconfig => ({
  ...kubeconfig,
  clusters: (kubeconfig.clusters ?? []).map(({ name, cluster }) => ({ name, cluster: { ...cluster, ...more } })),
});

/** A proxy that notes what it is asked for, and refuses everything if `refuses`. */
async function proxy(refuses = false) {
  const asked: string[] = [];
  const listener = createHttpServer();
  listener.on("connect", (request: IncomingMessage, socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    if (refuses) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const [host = "", port] = (request.url ?? "").split(":");
    const onward = connectTo(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on("error", () => [onward, socket].forEach((each) => void each.destroy()));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const close = () => {
    listener.closeAllConnections();
    listener.close();
  };
  return { asked, port, [Symbol.dispose]: close };
}

test("a configuration may name a proxy, through which the server is reached and its certificate is checked", async () => {
  using between = await proxy();
  const client = await connect({
    kubeconfig: withCluster({ "proxy-url": `http://ann:secret@127.0.0.1:${between.port}` }),
  });
  await client.of(ConfigMap).create({ metadata: { name: "proxied" } });
  expect((await client.of(ConfigMap).get("proxied")).metadata.name).toBe("proxied");
  expect(new Set(between.asked)).toEqual(new Set([`${new URL(url).host} Basic ${btoa("ann:secret")}`]));
  client.close();
  using strict = await proxy(true);
  await expect(
    connect({ kubeconfig: withCluster({ "proxy-url": `http://127.0.0.1:${strict.port}` }) }),
  ).rejects.toThrow(
    `the proxy http://127.0.0.1:${strict.port} answered 403 when it was asked to connect to ${new URL(url).host}`,
  );
  await expect(connect({ kubeconfig: withCluster({ "proxy-url": "socks5://a:1" }) })).rejects.toThrow(
    'proxy-url has the scheme "socks5:", which is not supported',
  );
});

test("a certificate that is not trusted is told with the server and the way out", async () => {
  await expect(connect({ server: url, kubeconfig: { clusters: [], users: [], contexts: [] } })).rejects.toThrow(
    new RegExp(`^the certificate of ${url} is signed by .*: give its authority as "certificateAuthority"`),
  );
  await expect(connect({ kubeconfig: withCluster({ "tls-server-name": "other.example" }) })).rejects.toThrow(
    `the certificate of ${url} is for other names: connect to one of its names`,
  );
});

/** A server that passes requests on, unless `trouble` takes them. */
async function between(trouble: (request: IncomingMessage) => boolean): Promise<{ url: string } & Disposable> {
  const listener = createHttpServer((request, response) => {
    if (trouble(request)) return;
    void server.fetch(request.url ?? "/").then(async (answer) => {
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const close = () => {
    listener.closeAllConnections();
    listener.close();
  };
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, [Symbol.dispose]: close };
}

test("an answer that does not come in time is an error that names the request; a watch has no such limit", async () => {
  let isSilent = false;
  using slow = await between(() => isSilent);
  const client: Client = await connect({ server: slow.url, requestTimeoutMs: 200 });
  isSilent = true;
  await expect(client.of(ConfigMap).get("a")).rejects.toThrow(
    "GET /api/v1/namespaces/default/configmaps/a was not answered within 200 ms",
  );
  await expect(connect({ server: slow.url, requestTimeoutMs: 0 })).rejects.toThrow("requestTimeoutMs must be a number");
});

test("a read whose connection was reset is sent again, and a write is not", async () => {
  const left: Record<string, number> = { GET: 0, POST: 0 };
  using shaky = await between((request) => {
    const { method = "" } = request;
    if ((left[method] ?? 0) <= 0) return false;
    left[method] = (left[method] ?? 0) - 1;
    request.socket.destroy();
    return true;
  });
  const client = await connect({ server: shaky.url, vocabulary: "orch" });
  left["GET"] = 1;
  expect((await client.of(ConfigMap).list().all()).items.length).toBeGreaterThan(0);
  expect(left["GET"]).toBe(0);
  left["POST"] = 1;
  await expect(client.of(ConfigMap).create({ metadata: { name: "b" } })).rejects.toThrow(/socket hang up|ECONNRESET/);
});

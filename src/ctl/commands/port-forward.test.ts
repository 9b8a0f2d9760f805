import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { type NodeServer, openNodeServer, refuseStream } from "../streams/node-server.suite.ts";
import { forwardedPorts } from "../streams/ports.ts";
import { runRemoteCtl } from "../streams/remote-session.suite.ts";

let node: NodeServer;
let echo: Server;
let port: number;
beforeAll(async () => {
  node = await openNodeServer();
  echo = createServer((socket) => void socket.on("error", () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  port = (echo.address() as AddressInfo).port;
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  echo.close();
});

/** Sends a text to a local port, and resolves with what comes back until as much has come. */
async function sendTo(local: number, sent: string): Promise<string> {
  const socket = connect(local, "127.0.0.1");
  socket.write(sent);
  let got = "";
  for await (const chunk of socket) {
    got += String(chunk);
    if (got.length >= sent.length) break;
  }
  return got;
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("connections to a local port", () => {
  test("end in the pod, several at once, and an error of one does not end the others", async () => {
    await node.pod("a");
    const stop = new AbortController();
    const shown: { out: string } = { out: "" };
    const going = runRemoteCtl(`port-forward a :${port} :1`, {
      config: node.config,
      signal: stop.signal,
      onOut: (out) => {
        shown.out = out;
      },
    });
    while (!shown.out.includes("-> 1\n")) await delay(5);
    const [, local = 0] = (/127\.0\.0\.1:(\d+) -> \d{2}/.exec(shown.out) ?? []).map(Number);
    const [, broken = 0] = (/127\.0\.0\.1:(\d+) -> 1\n/.exec(shown.out) ?? []).map(Number);
    expect(shown.out).toContain(`Forwarding from 127.0.0.1:${local} -> ${port}\n`);
    const large = "x".repeat(500_000);
    expect(await text(connect(broken, "127.0.0.1"))).toBe("");
    const answers = await Promise.all([sendTo(local, "one"), sendTo(local, large), sendTo(local, "three")]);
    expect(answers.map((one) => one.length)).toEqual([3, large.length, 5]);
    expect(shown.out).toContain(`Handling connection for ${local}\n`);
    stop.abort();
    const { code, err } = await going;
    expect(code).toBe(0);
    expect(err).toMatch(new RegExp(`^an error occurred forwarding ${broken} -> 1: error forwarding port 1: `));
    expect(node.asked.at(-1)?.url.search).toBe(`?ports=${port}`);
  });

  test("end when the pod is deleted", async () => {
    await node.pod("b");
    const going = runRemoteCtl(`port-forward pod/b --address=127.0.0.1 :${port}`, {
      config: node.config,
      onOut: (out) => {
        if (!out.endsWith(`-> ${port}\n`)) return;
        void node.objects.fetch("/api/v1/namespaces/default/pods/b?gracePeriodSeconds=0", { method: "DELETE" });
      },
    });
    expect(await going).toMatchObject({ code: 1, err: "error: lost connection to pod\n" });
  });
});

describe("a port that cannot be forwarded", () => {
  test("is reported before anything listens", async () => {
    await node.pod("c");
    await node.pod("pending", { phase: "Pending" });
    for (const [line, message] of [
      ["port-forward c", "TYPE/NAME and list of ports are required for port-forward"],
      ["port-forward c 1:2:3", "invalid port format '1:2:3'"],
      ["port-forward c 1:0", "remote port must be > 0"],
      ["port-forward c 70000", "error parsing remote port '70000'"],
      ["port-forward c http", "Pod 'c' does not have a named port 'http'"],
      ["port-forward c --address=somewhere 1", "somewhere is not a valid IP"],
      ["port-forward pending 80", "unable to forward port because pod is not running. Current status=Pending"],
    ])
      expect([line, await runRemoteCtl(line!, { config: node.config })]).toEqual([
        line,
        expect.objectContaining({ code: 1, err: expect.stringContaining(message!) }),
      ]);
  });

  test("may be in use by another program", async () => {
    const { code, err } = await runRemoteCtl(`port-forward c --address=127.0.0.1 ${port}:80`, { config: node.config });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/Unable to listen on port \d+: .*EADDRINUSE.*\n.*unable to listen on any/),
    ]);
  });

  test("may be refused by the server", async () => {
    node.behaviour = {
      onUpgrade(_, socket) {
        refuseStream(socket, 403, "Forbidden", "not \u001b[2J today");
        return true;
      },
    };
    const stop = new AbortController();
    const going = runRemoteCtl("port-forward c --address=127.0.0.1 :80", {
      config: node.config,
      signal: stop.signal,
      onOut: (out) => {
        const local = /:(\d+) -> 80\n$/.exec(out)?.[1];
        if (local !== undefined)
          connect(Number(local), "127.0.0.1").on("close", () => setImmediate(() => stop.abort()));
      },
    });
    const { err } = await going;
    node.behaviour = {};
    expect(err).toMatch(/^an error occurred forwarding \d+ -> 80: not \^\[\[2J today\n$/);
  });
});

describe("ports", () => {
  const pod: Json = {
    metadata: { name: "p" },
    spec: {
      containers: [
        {
          name: "c",
          ports: [
            { name: "web", containerPort: 8080 },
            { name: "dns", containerPort: 53, protocol: "UDP" },
          ],
        },
      ],
    },
  };
  const service = (spec: Json): Json => ({ metadata: { name: "s" }, spec });
  const ports = [
    { name: "http", port: 80, targetPort: "web" },
    { name: "other", port: 81, targetPort: 9000 },
    { name: "same", port: 82 },
  ];
  test("of a pod may have names", () => {
    const of = (word: string) => forwardedPorts([word], "Pod", pod, pod)[0];
    expect(of("80")).toEqual({ local: 80, remote: 80 });
    expect(of("8000:80")).toEqual({ local: 8000, remote: 80 });
    expect(of(":80")).toEqual({ local: 0, remote: 80 });
    expect(of("1234:web")).toEqual({ local: 1234, remote: 8080 });
    expect(of("web")).toEqual({ local: 8080, remote: 8080 });
    expect(() => of("dns")).toThrow("UDP protocol is not supported for dns");
  });
  test("of a service are those of its pods", () => {
    const of = (word: string, more: Json = {}) =>
      forwardedPorts([word], "Service", service({ ports, ...more }), pod)[0];
    expect(of("80")).toEqual({ local: 80, remote: 8080 });
    expect(of("http")).toEqual({ local: 80, remote: 8080 });
    expect(of(":other")).toEqual({ local: 0, remote: 9000 });
    expect(of("5000:82")).toEqual({ local: 5000, remote: 82 });
    expect(of("81", { clusterIP: "None" })).toEqual({ local: 81, remote: 81 });
    expect(() => of("90")).toThrow("Service s does not have a service port 90");
    expect(() => of("none")).toThrow("Service 's' does not have a named port 'none'");
  });
});

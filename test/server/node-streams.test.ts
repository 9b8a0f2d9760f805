import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  dataFrame,
  frameTypes,
  headBytes,
  lastFlag,
  readSpdyHead,
  synStreamFrame,
} from "../../src/client/streams/spdy-frames.ts";
import { WebSocketConnection } from "../../src/client/streams/websocket.ts";
import { runRemoteCtl, TestTerminal } from "../../src/ctl/streams/remote-session.suite.ts";
import type { ApiObject } from "../../src/machinery/schema/kind.ts";
import { goldenLevels } from "../../src/machinery/schema/levels.ts";
import { createServer, type OrchServer } from "../../src/main/library.ts";
import { tunnelOf } from "../../src/simulation/agent/spdy-tunnel.ts";

let server: OrchServer;
let home: string;
const config = () => join(home, "config");
const pods = "/api/v1/namespaces/default/pods";

async function createPod(on: OrchServer, name: string, annotations: Record<string, string> = {}): Promise<void> {
  const named = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`simulation.orch.io/${key}`, value]),
  );
  const body = { metadata: { name, annotations: named }, spec: { containers: [{ name: "main", image: "i" }] } };
  const headers = { "content-type": "application/json" };
  const made = await on.fetch(pods, { method: "POST", headers, body: JSON.stringify(body) });
  if (!made.ok) throw new Error(await made.text());
}

interface PodView extends ApiObject {
  readonly status?: { readonly phase?: string; readonly containerStatuses?: readonly { restartCount: number }[] };
}
const podView = async (on: OrchServer, name: string) => (await (await on.fetch(`${pods}/${name}`)).json()) as PodView;
const isRunning = (name: string) => server.until("pods", name, (pod: PodView) => pod.status?.phase === "Running");

describe.each(goldenLevels)("at level %s", (emulatedVersion) => {
  beforeAll(async () => {
    server = await createServer({ emulatedVersion, nodes: 1, vocabulary: "kubernetes" });
    home = mkdtempSync(join(tmpdir(), "orch-streams-"));
    writeFileSync(config(), (await server.clientConfig()).text, { mode: 0o600 });
    await createPod(server, "a", { logs: "first\nsecond\nthird\n" });
    await createPod(server, "told", {
      exec: JSON.stringify({ "pg_isready -q": { stderr: "not yet\n", exitCode: 2 }, uptime: "up 3 days\n" }),
      ports: JSON.stringify({ 80: { http: "hello" }, 81: "refuse", 82: { send: "welcome\n" } }),
    });
    await isRunning("a");
    await isRunning("told");
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (line: readonly string[], more: Partial<Parameters<typeof runRemoteCtl>[1]> = {}) =>
    runRemoteCtl(line, { config: config(), cwd: home, ...more });
  const told = async (line: readonly string[], more: Partial<Parameters<typeof runRemoteCtl>[1]> = {}) => {
    const { code, out, err } = await run(line, more);
    return { code, out: String(out), err };
  };

  describe("the log of a simulated pod", () => {
    test("is read without a connection: the agent is in the process of the server", async () => {
      // Other work of this process may connect meanwhile; a log that needs a connection needs one each time.
      const connections = async () => {
        let opened = 0;
        const count = () => {
          opened++;
        };
        subscribe("net.client.socket", count);
        const answer = await server.fetch(`${pods}/a/log`);
        expect(await answer.text()).toBe("first\nsecond\nthird\n");
        unsubscribe("net.client.socket", count);
        return opened;
      };
      await expect.poll(connections).toBe(0);
    });

    test("has the lines of its annotation, as many as were asked for", async () => {
      expect(await told(["logs", "a"])).toEqual({ code: 0, out: "first\nsecond\nthird\n", err: "" });
      expect((await told(["logs", "a", "--tail=1"])).out).toBe("third\n");
      expect((await told(["logs", "a", "--limit-bytes=8"])).out).toBe("first\nse");
      expect((await told(["logs", "a", "--timestamps", "--tail=1"])).out).toMatch(/^\d{4}-\S+Z third\n$/);
      expect(await told(["logs", "a", "--previous"])).toMatchObject({
        code: 1,
        err: expect.stringContaining('previous terminated container "main" in pod "a" not found'),
      });
    });

    test("grows while it is followed, and ends with the pod, all by the clock of the server", async () => {
      await using virtual = await createServer({ emulatedVersion, nodes: 1, clock: "virtual" });
      await virtual.clock.advance("1s");
      await createPod(virtual, "tick", { logs: "tick\ntock", "log-every": "1s" });
      await virtual.clock.advance("4s");
      expect((await podView(virtual, "tick")).status?.phase).toBe("Running");
      const whole = await (await virtual.fetch(`${pods}/tick/log`)).text();
      expect(whole).toMatch(/^(tick\ntock\n)+(tick\n)?$/);
      const response = await virtual.fetch(`${pods}/tick/log?follow=true&tailLines=0`);
      let grown = "";
      const reading = (async () => {
        for await (const chunk of response.body ?? []) grown += Buffer.from(chunk).toString();
      })();
      await virtual.clock.advance("10s");
      await expect.poll(() => grown.split("\n").length - 1).toBeGreaterThanOrEqual(9);
      await virtual.fetch(`${pods}/tick?gracePeriodSeconds=0`, { method: "DELETE" });
      await virtual.clock.advance("2s");
      await reading;
      expect((await virtual.fetch(`${pods}/tick/log`)).status).toBe(404);
    });

    test("of the run before is shown after a crash, and a container that waits has none", async () => {
      await using virtual = await createServer({ emulatedVersion, nodes: 1, clock: "virtual" });
      await virtual.clock.advance("1s");
      await createPod(virtual, "crash", { logs: "one", "log-every": "1s", "crash-after": "3s" });
      await createPod(virtual, "slow", { "start-after": "1h" });
      await virtual.clock.advance("5s");
      expect((await podView(virtual, "crash")).status?.containerStatuses?.[0]?.restartCount).toBe(1);
      expect(await (await virtual.fetch(`${pods}/crash/log?previous=true`)).text()).toBe("one\none\none\none\n");
      const waiting = await virtual.fetch(`${pods}/slow/log`);
      expect([waiting.status, ((await waiting.json()) as { message: string }).message]).toEqual([
        400,
        'container "main" in pod "slow" is waiting to start: ContainerCreating',
      ]);
    });
  });

  describe("a command in a simulated container", () => {
    test("answers as its pod declares", async () => {
      expect((await told(["exec", "told", "--", "uptime"])).out).toBe("up 3 days\n");
      expect(await told(["exec", "told", "--", "pg_isready", "-q"])).toEqual({
        code: 2,
        out: "",
        err: "not yet\ncommand terminated with exit code 2\n",
      });
    });

    test("that nobody declares echoes its words and its input, and a shell is typed to, over SPDY and WebSocket", async () => {
      expect((await told(["exec", "a", "--", "lsof", "-l"])).out).toBe("lsof -l\n");
      const input = Buffer.alloc(300_000, "0123456789");
      const { code, out } = await run(["exec", "-i", "a", "--", "cat"], { input });
      expect([code, out.equals(input)]).toEqual([0, true]);
      const terminal = new TestTerminal();
      terminal.keys.writeBytes(Buffer.from("hello\r\u0004"));
      const shell = await told(["exec", "-it", "a", "--", "sh"], { terminal, input: terminal.keys });
      expect([shell.code, shell.out]).toEqual([127, expect.stringContaining("hello\r\n/ # ")]);
      expect(shell.err).toContain("sh: hello: not found");
    });

    test("is refused by a container that does not run", async () => {
      await createPod(server, "slow", { "start-after": "1h" });
      await expect.poll(async () => (await podView(server, "slow")).status?.phase).toBe("Pending");
      await expect
        .poll(async () => (await told(["exec", "slow", "--", "true"])).err)
        .toContain('container "main" of pod "slow" is not running');
    });
  });

  test("cp copies a folder into a simulated container and back", async () => {
    writeFileSync(join(home, "data.txt"), "some data\n");
    expect(await told(["cp", "data.txt", "a:/tmp/data.txt"])).toMatchObject({ code: 0 });
    expect((await told(["exec", "a", "--", "cat", "/tmp/data.txt"])).out).toBe("some data\n");
    expect(await told(["cp", "a:/tmp/data.txt", "back.txt"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, "back.txt"), "utf8")).toBe("some data\n");
    expect((await told(["cp", "a:/none", "none"])).err).toContain("/none: Cannot stat");
  });

  test("port-forward reaches ports of a simulated pod, which echo unless they are declared", async () => {
    const stop = new AbortController();
    let shown = "";
    const forwarding = told(["port-forward", "told", ":80", ":82", ":9000"], {
      signal: stop.signal,
      onOut: (text) => {
        shown = text;
      },
    });
    const portOf = async (remote: number) => {
      const pattern = new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${remote}\\n`);
      await expect.poll(() => pattern.exec(shown)?.[1]).toBeDefined();
      return Number(pattern.exec(shown)?.[1]);
    };
    const ask = async (remote: number, sent: string, until: RegExp) => {
      const socket = connect(await portOf(remote), "127.0.0.1");
      socket.write(sent);
      let got = "";
      for await (const chunk of socket) {
        got += String(chunk);
        if (until.test(got)) break;
      }
      socket.destroy();
      return got;
    };
    expect(await ask(80, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", /hello$/)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await ask(82, "", /welcome/)).toBe("welcome\n");
    expect(await ask(9000, "ping", /ping/)).toBe("ping");
    stop.abort();
    await forwarding;
  });

  test("port-forward works as SPDY in a WebSocket, as kubectl since 1.30 does it", async () => {
    const access = await server.clientConfig();
    const { hostname, port } = new URL(access.server);
    const call = request({
      host: hostname,
      port,
      path: `${pods}/told/portforward`,
      ca: access.authority,
      cert: access.certificate,
      key: access.key,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
        "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io",
      },
    });
    const tunnel = await new Promise<Duplex>((resolve, reject) => {
      call.once("upgrade", ({ headers }, socket, head) => {
        expect(headers["sec-websocket-protocol"]).toBe("SPDY/3.1+portforward.k8s.io");
        resolve(tunnelOf(new WebSocketConnection({ socket, head, random: randomBytes })));
      });
      call.once("response", ({ statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      call.once("error", reject).end();
    });
    const headers = { requestid: "0", port: "9000" };
    tunnel.write(synStreamFrame(1, { ...headers, streamtype: "error" }, { isFirst: true }));
    tunnel.write(synStreamFrame(3, { ...headers, streamtype: "data" }, { isFirst: false }));
    const sent = Buffer.alloc(100_000, "0123456789");
    for (let at = 0; at < sent.length; at += 30_000) tunnel.write(dataFrame(3, sent.subarray(at, at + 30_000), false));
    tunnel.write(dataFrame(3, Buffer.alloc(0), true));
    const got: Buffer[] = [];
    let rest = Buffer.alloc(0);
    let isOver = false;
    for await (const chunk of tunnel as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const head = rest.length < headBytes ? undefined : readSpdyHead(rest);
        if (head === undefined || rest.length < headBytes + head.length) break;
        const payload = rest.subarray(headBytes, headBytes + head.length);
        if (head.type === frameTypes.data && head.streamId === 3) got.push(Buffer.from(payload));
        isOver ||= head.type === frameTypes.data && head.streamId === 3 && (head.flags & lastFlag) !== 0;
        rest = rest.subarray(headBytes + head.length);
      }
      if (isOver) break;
    }
    tunnel.destroy();
    expect(Buffer.concat(got).equals(sent)).toBe(true);
  });
});

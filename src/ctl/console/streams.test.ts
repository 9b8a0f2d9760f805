import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocketConnection } from "../../client/streams/websocket.ts";
import { openSession, type Session } from "../session.suite.ts";
import { type NodeServer, openNodeServer } from "../streams/node-server.suite.ts";
import { forwardsMax } from "./forwards.ts";
import { shellsMax, shellWordsMax } from "./shells.ts";

let node: NodeServer;
let session: Session;
let echo: Server;
const stop = new AbortController();
const running: Promise<unknown>[] = [];

interface Opened {
  readonly port: number;
  readonly secret: string;
}

function open(line: string): Promise<Opened> {
  const consoleFolder = join(session.folder, "page");
  return new Promise((resolve) => {
    const onOut = (out: string) => {
      const [, port, secret] = /^http:\/\/127\.0\.0\.1:(\d+)\/#secret=([\w-]{32})\n$/.exec(out) ?? [];
      if (secret !== undefined) resolve({ port: Number(port), secret });
    };
    const env = { KUBECONFIG: node.config, PATH: process.env["PATH"] ?? "" };
    running.push(session.run(line, { isConfigured: true, env, consoleFolder, onOut, signal: stop.signal }));
  });
}

beforeAll(async () => {
  node = await openNodeServer();
  await node.pod("web");
  session = await openSession("ctl");
  mkdirSync(join(session.folder, "page"));
  for (const name of ["icon.svg", "index.html", "app.js", "app.css"])
    writeFileSync(join(session.folder, "page", name), "");
  echo = createServer((socket) => void socket.on("error", () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await session[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
  echo.close();
});

interface Asked {
  readonly secret?: string;
  readonly origin?: string | undefined;
  readonly host?: string;
}

/** Undefined: it was refused, with a status. */
function shell({ port, secret }: Opened, query: string, asked: Asked = {}) {
  const headers: Record<string, string> = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-protocol": `stream.console, secret.${asked.secret ?? secret}`,
    host: asked.host ?? `127.0.0.1:${port}`,
    ...("origin" in asked ? {} : { origin: `http://127.0.0.1:${port}` }),
    ...(asked.origin === undefined ? {} : { origin: asked.origin }),
  };
  return new Promise<WebSocketConnection | number>((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path: `/shell?${query}`, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on("upgrade", (_answer, socket, head) =>
      resolve(new WebSocketConnection({ socket, head, random: (count) => new Uint8Array(count) })),
    );
    call.on("error", reject);
    call.end();
  });
}

const command = (...words: string[]) =>
  `namespace=default&pod=web&container=main&${words.map((word) => `command=${encodeURIComponent(word)}`).join("&")}`;

function connected(given: WebSocketConnection | number): WebSocketConnection {
  if (typeof given === "number") throw new Error(`refused with ${given}`);
  return given;
}

/** All output, and how it ended. */
async function outcome(socket: WebSocketConnection): Promise<{ out: string; ending: unknown }> {
  let [out, ending]: [string, unknown] = ["", undefined];
  for await (const { data } of socket.messages()) {
    if (data[0] === 1) out += data.toString("utf8", 1);
    if (data[0] === 3) ending = JSON.parse(data.toString("utf8", 1));
  }
  return { out, ending };
}

async function ask({ port, secret }: Opened, method: string, path: string, body?: object) {
  const headers = { "x-console-secret": secret };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }; // the gateway's own answer
}

describe("a shell of the console", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open("console");
  });

  test("passes keys, the size and the output, and says how it ended", async () => {
    const socket = connected(await shell(opened, command("sh", "-c", "read line; echo got $line; exit 3")));
    await socket.send(Buffer.from(`\x04${JSON.stringify({ Width: 91, Height: 33 })}`));
    await socket.send(Buffer.from("\x00hello\n"));
    expect(await outcome(socket)).toEqual({ out: "got hello\n", ending: { exitCode: 3 } });
    expect(node.sizes.at(-1)).toContain("91");
    expect(node.asked.at(-1)?.url.searchParams.get("tty")).toBe("true");
  });

  test("ends in the container when the page leaves", async () => {
    const socket = connected(await shell(opened, command("sh", "-c", "echo $$; exec sleep 100")));
    const { value } = await socket.messages().next();
    const pid = Number(value.data.toString("utf8", 1));
    expect(pid).toBeGreaterThan(1);
    socket.close();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test("says why the server refuses it, and what a request lacks", async () => {
    const absent = connected(await shell(opened, command("sh").replace("pod=web", "pod=web%2F..%2Fother")));
    expect((await outcome(absent)).ending).toEqual({
      problem: "a shell needs the names of a namespace, a pod and a container",
    });
    const empty = connected(await shell(opened, command()));
    expect((await outcome(empty)).ending).toMatchObject({ problem: expect.stringContaining("a command") });
    const long = connected(await shell(opened, command(...Array.from({ length: shellWordsMax + 1 }, () => "a"))));
    expect((await outcome(long)).ending).toMatchObject({ problem: expect.stringContaining(`${shellWordsMax} words`) });
    const missing = connected(await shell(opened, command("no-such-program")));
    expect((await outcome(missing)).ending).toMatchObject({ problem: expect.stringContaining("no-such-program") });
  });

  test("is only for the page that has the secret, by its own name", async () => {
    const own = `http://127.0.0.1:${opened.port}`;
    expect(await shell(opened, command("sh"), { secret: "x".repeat(32) })).toBe(401);
    expect(await shell(opened, command("sh"), { origin: undefined })).toBe(403);
    expect(await shell(opened, command("sh"), { origin: "http://evil.example" })).toBe(403);
    expect(await shell(opened, command("sh"), { origin: own, host: "evil.example" })).toBe(403);
  });

  test("is one of a limited number", async () => {
    const opened = await open("console"); // with no shell of an earlier test that is about to end
    const all = await Promise.all(Array.from({ length: shellsMax }, () => shell(opened, command("sleep", "100"))));
    const more = connected(await shell(opened, command("sh")));
    expect((await outcome(more)).ending).toMatchObject({ problem: expect.stringContaining(`${shellsMax} shells`) });
    for (const one of all) connected(one).close();
    await expect
      .poll(async () => {
        const socket = connected(await shell(opened, command("echo", "again")));
        return (await outcome(socket)).out;
      })
      .toBe("again\n");
  });
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a forwarded port of the console", () => {
  test("is a port of this machine until it is ended", async () => {
    const opened = await open("console");
    const { port } = echo.address() as AddressInfo; // it listens on a port
    const made = await ask(opened, "POST", "/forwards", { namespace: "default", pod: "web", port });
    expect(made).toMatchObject({ status: 200, body: { pod: "web", port } });
    const local = Number(made.body["local"]);
    const socket = connect({ port: local, host: "127.0.0.1", allowHalfOpen: true });
    socket.end("hello");
    let got = "";
    for await (const chunk of socket) {
      got += String(chunk);
      if (got.length >= 5) break;
    }
    expect(got).toBe("hello");
    const again = await ask(opened, "POST", "/forwards", { namespace: "default", pod: "web", port });
    expect(again.body["local"]).toBe(local);
    expect((await ask(opened, "GET", "/forwards")).body).toHaveLength(1);
    expect((await ask(opened, "DELETE", `/forwards/${String(made.body["id"])}`)).body).toEqual({ isEnded: true });
    await expect(text(connect(local, "127.0.0.1"))).rejects.toThrow();
    expect((await ask(opened, "GET", "/forwards")).body).toEqual([]);
  });

  test("tells why a connection failed, and refuses what is no port of a pod", async () => {
    const opened = await open("console");
    const made = await ask(opened, "POST", "/forwards", { namespace: "default", pod: "web", port: 1 });
    await text(connect(Number(made.body["local"]), "127.0.0.1")).catch(() => "");
    await expect
      .poll(async () => JSON.stringify((await ask(opened, "GET", "/forwards")).body))
      .toContain("error forwarding port 1");
    for (const body of [{}, { namespace: "default", pod: "../x", port: 1 }, { namespace: "a", pod: "b", port: 0 }])
      expect((await ask(opened, "POST", "/forwards", body)).status).toBe(422);
    const { port, secret: _secret } = opened;
    expect((await ask({ port, secret: "x" }, "GET", "/forwards")).status).toBe(401);
  });

  test("is one of a limited number", async () => {
    const opened = await open("console");
    const forward = (port: number) => ask(opened, "POST", "/forwards", { namespace: "default", pod: "web", port });
    for (let port = 1; port <= forwardsMax; port++) expect((await forward(port)).status).toBe(200);
    expect((await forward(forwardsMax + 1)).body["message"]).toContain(`${forwardsMax} ports`);
  });

  test("is one of a limited number, also of those that are opened together", async () => {
    const opened = await open("console");
    const forward = (port: number) => ask(opened, "POST", "/forwards", { namespace: "default", pod: "web", port });
    const made = await Promise.all(Array.from({ length: 2 * forwardsMax }, (_, at) => forward(1 + (at >> 1) * 2)));
    expect(new Set(made.map(({ body }) => body["local"])).size).toBe(forwardsMax);
    const more = await Promise.all(Array.from({ length: 4 }, (_, at) => forward(1_001 + at)));
    expect(more.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect((await ask(opened, "GET", "/forwards")).body).toHaveLength(forwardsMax);
  });

  test("and shells are not there in a console that only reads", async () => {
    const opened = await open("console --read-only");
    expect(await shell(opened, command("sh"))).toBe(404);
    expect((await ask(opened, "GET", "/forwards")).status).toBe(404);
    expect((await ask(opened, "GET", "/console.json")).body["hasStreams"]).toBe(false);
  });
});

import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { acceptOf, encodeFrame, opcodes } from "../../base/websocket-frames.ts";
import { switching } from "../../client/streams/server-channels.suite.ts";
import { openSession } from "../session.suite.ts";
import { type NodeServer, openNodeServer, refuseStream } from "../streams/node-server.suite.ts";
import { runRemoteCtl, TestTerminal } from "../streams/remote-session.suite.ts";

let node: NodeServer;
beforeAll(async () => {
  node = await openNodeServer();
  await node.pod("a");
  await node.pod("two", {
    labels: { app: "web" },
    containers: [
      { name: "one", image: "i" },
      { name: "other", image: "i" },
    ],
  });
  await node.pod("noted", {
    annotations: { "kubectl.kubernetes.io/default-container": "other" },
    containers: [
      { name: "one", image: "i" },
      { name: "other", image: "i" },
    ],
  });
  await node.pod("done", { phase: "Succeeded" });
});
afterAll(() => node[Symbol.asyncDispose]());
afterEach(() => {
  node.behaviour = {};
});

const run = (line: string | readonly string[], more: Partial<Parameters<typeof runRemoteCtl>[1]> = {}) =>
  runRemoteCtl(line, { config: node.config, ...more });
const sh = (script: string, pod = "a") => ["exec", pod, "--", "sh", "-c", script];

describe("a command in a container", () => {
  test("passes on output, errors and exit code", async () => {
    const { code, out, err } = await run(sh("echo hello; echo oops >&2; exit 7"));
    expect([code, String(out), err]).toEqual([7, "hello\n", "oops\ncommand terminated with exit code 7\n"]);
  });

  test("succeeds without a message", async () => {
    expect(await run(["exec", "a", "--", "true"])).toEqual({ code: 0, out: Buffer.alloc(0), err: "" });
  });

  test("that cannot be started is reported with the message of the node", async () => {
    const { code, err } = await run(["exec", "a", "--", "no-such-program"]);
    expect([code, err]).toEqual([1, "error: spawn no-such-program ENOENT\n"]);
  });

  test("gets its whole input, over a protocol that can end input", async () => {
    const input = randomBytes(200_000);
    const { code, out } = await run(["exec", "-i", "a", "--", "cat"], { input });
    expect([code, out.equals(input)]).toEqual([0, true]);
    const { method, headers } = node.asked.at(-1)!;
    expect([method, headers.upgrade]).toEqual(["POST", "SPDY/3.1"]);
  });

  test("may end before its input does", async () => {
    const endless = (async function* () {
      for (;;) {
        yield Buffer.alloc(1000, "x");
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    expect((await run(["exec", "-i", "a", "--", "sh", "-c", "head -c 5"], { input: endless })).out.toString()).toBe(
      "xxxxx",
    );
  });

  test("passes on all bytes, no faster than they are read", async () => {
    let [bytes, most, taking] = [0, 0, 0];
    const { code } = await run(sh("head -c 10000000 /dev/zero"), {
      take: async (chunk) => {
        bytes += chunk.length;
        most = Math.max(most, ++taking);
        await new Promise((resolve) => setImmediate(resolve));
        taking--;
      },
    });
    expect([code, bytes, most]).toEqual([0, 10_000_000, 1]);
  });

  test("is requested with the caller's credentials and impersonation", async () => {
    await run(["exec", "a", "--as=ann", "--as-group=g1", "--as-group=g,2", "--", "true"]);
    const { headers, url, method } = node.asked.at(-1)!;
    expect([method, headers.upgrade, headers.authorization]).toEqual(["GET", "websocket", "Bearer secret-token"]);
    expect([headers["impersonate-user"], headers["impersonate-group"]]).toEqual(["ann", "g1, g,2"]);
    expect(url.search).toBe("?command=true&container=main&stdout=true&stderr=true");
  });

  test("runs in the named, the annotated or the first container", async () => {
    const asked = () => node.asked.at(-1)!.url.searchParams.get("container");
    expect((await run(["exec", "two", "--", "true"])).err).toBe('Defaulted container "one" out of: one, other\n');
    expect(asked()).toBe("one");
    expect((await run(["exec", "two", "-q", "--", "true"])).err).toBe("");
    expect((await run(["exec", "two", "-c", "other", "--", "true"])).err).toBe("");
    expect(asked()).toBe("other");
    expect((await run(["exec", "noted", "--", "true"])).err).toBe("");
    expect(asked()).toBe("other");
    expect(await run(["exec", "two", "-c", "third", "--", "true"])).toMatchObject({
      code: 1,
      err: "error: container third not found in pod two\n",
    });
  });

  test("finds its pod by a service, a file, or the old form of the command", async () => {
    const service = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
    };
    await node.objects.fetch("/api/v1/namespaces/default/services", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(service),
    });
    await run(["exec", "svc/web", "-q", "--", "true"]);
    expect(node.asked.at(-1)?.url.pathname).toBe("/api/v1/namespaces/default/pods/two/exec");
    const old = await run("exec a echo hi");
    expect([old.code, String(old.out)]).toEqual([0, "hi\n"]);
    expect(old.err).toMatch(/^kubectl exec \[POD\] \[COMMAND\] is DEPRECATED/);
  });

  test("does not run in a finished pod, or without a command", async () => {
    expect((await run(["exec", "done", "--", "true"])).err).toBe(
      "error: cannot exec into a container in a completed pod; current phase is Succeeded\n",
    );
    expect((await run("exec a")).err).toBe("error: you must specify at least one command for the container\n");
    expect((await run("exec nobody -- true")).err).toMatch(/pods "nobody" not found/);
  });
});

describe("a terminal", () => {
  test("is raw while the command runs, sends its size, and is restored", async () => {
    const terminal = new TestTerminal();
    const going = run(["exec", "-it", "a", "--", "sh", "-c", "echo ready; read x; echo got $x; exit 3"], {
      terminal,
      input: terminal.keys,
      onOut: (out) => {
        if (out !== "ready\n") return;
        terminal.resize({ columns: 120, rows: 40 });
        terminal.keys.writeBytes(Buffer.from("key\n"));
      },
    });
    const { code, out, err } = await going;
    expect([code, String(out), err]).toEqual([3, "ready\ngot key\n", "command terminated with exit code 3\n"]);
    expect(terminal.modes).toEqual([true, false]);
    expect(terminal.listenerCount).toBe(0);
    expect(node.sizes.splice(0)).toEqual(['{"Width":80,"Height":24}', '{"Width":120,"Height":40}']);
    expect(node.asked.at(-1)?.url.search).toMatch(/stdin=true&stdout=true&tty=true$/);
  });

  test("is restored when the user interrupts", async () => {
    const terminal = new TestTerminal();
    const stop = new AbortController();
    const going = run(["exec", "-it", "a", "--", "sh", "-c", "echo ready; sleep 60"], {
      terminal,
      input: terminal.keys,
      signal: stop.signal,
      onOut: () => stop.abort(),
    });
    expect((await going).code).toBe(130);
    expect(terminal.modes).toEqual([true, false]);
  });

  test("is not used if the input is not a terminal", async () => {
    const { err } = await run(["exec", "-it", "a", "--", "true"], { input: "" });
    expect(err).toBe("Unable to use a TTY - input is not a terminal or the right kind of file\n");
  });
});

describe("attach", () => {
  test("connects to the streams of a running container", async () => {
    const { code, out, err } = await run("attach -i two -c one", { input: "x\ny\n" });
    expect([code, String(out)]).toEqual([0, "got x\ngot y\n"]);
    expect(err).toBe("If you don't see a command prompt, try pressing enter.\n");
  });

  test("uses a terminal only if the container has one", async () => {
    const terminal = new TestTerminal();
    terminal.keys.end();
    const { err } = await run("attach -it a -q", { terminal, input: "" });
    expect([err, terminal.modes]).toEqual(["", []]);
    expect((await run("attach -it a", { terminal, input: "" })).err).toContain(
      "error: Unable to use a TTY - container main did not allocate one\n",
    );
  });
});

describe("other versions of the protocol", () => {
  for (const webSocket of [["v5"], ["v4"], ["v4.base64"], ["base64"]])
    test(`${webSocket} works without SPDY`, async () => {
      node.behaviour = { webSocket, spdy: false };
      const { code, out } = await run(sh("echo hello; exit 2"));
      expect([code, String(out)]).toEqual([2, "hello\n"]);
      if (webSocket[0] !== "v5") return;
      const ended = await run("exec -i a -- cat", { input: "to the end" });
      expect(String(ended.out)).toBe("to the end");
    });

  test("SPDY works without WebSockets", async () => {
    node.behaviour = { webSocket: [] };
    const { code, out } = await run(sh("echo hello; exit 2"));
    expect([code, String(out)]).toEqual([2, "hello\n"]);
  });
});

describe("a misbehaving server", () => {
  const accept = (request: { headers: NodeServer["asked"][number]["headers"] }, protocol?: string) =>
    switching([
      "Upgrade: websocket",
      `Sec-WebSocket-Accept: ${acceptOf(request.headers["sec-websocket-key"] ?? "")}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ]);
  const hi = encodeFrame(opcodes.binary, Buffer.from("\u0001hi"));
  const v4 = "v4.channel.k8s.io";
  const cases: [why: string, said: (request: Parameters<typeof accept>[0]) => (string | Buffer)[], err: RegExp][] = [
    ["chooses no protocol", (request) => [accept(request)], /chose none of the protocols/],
    ["chooses another protocol", (request) => [accept(request, "chat")], /chose none of the protocols/],
    ["does not know WebSockets", () => [switching(["Upgrade: websocket"])], /did not answer the handshake/],
    ["drops the connection", (request) => [accept(request, v4), hi], /the connection was lost/],
    [
      "ends without a status",
      (request) => [accept(request, v4), encodeFrame(opcodes.close, Buffer.from([3, 232]))],
      /without the exit status/,
    ],
    [
      "closes with a reason",
      (request) => [
        accept(request, v4),
        encodeFrame(opcodes.close, Buffer.from("\u0003\u00f3gone\u001b[2J", "latin1")),
      ],
      /code 1011: gone\^\[\[2J/,
    ],
    [
      "gives a reason that is not text",
      (request) => [accept(request, v4), encodeFrame(opcodes.close, Buffer.from([3, 243, 0xff]))],
      /not UTF-8/,
    ],
    [
      "masks its frames",
      (request) => [accept(request, v4), encodeFrame(opcodes.binary, Buffer.from("x"), Buffer.alloc(4))],
      /not one of a WebSocket/,
    ],
    [
      "sends a frame without a bound",
      (request) => [accept(request, v4), Buffer.from("827f7fffffffffffffff", "hex")],
      /more than 4194304 bytes/,
    ],
    [
      "continues nothing",
      (request) => [accept(request, v4), encodeFrame(opcodes.continuation, Buffer.from("x"))],
      /fragment out of order/,
    ],
    [
      "ends with an invalid status",
      (request) => [
        accept(request, v4),
        encodeFrame(opcodes.binary, Buffer.from("\u0003what?\u001b[2J")),
        encodeFrame(opcodes.close, Buffer.from([3, 232])),
      ],
      /not a Status: what\?\^\[\[2J/,
    ],
  ];
  for (const [why, said, err] of cases)
    test(`causes a clear error when it ${why}`, async () => {
      node.behaviour = {
        onUpgrade(request, socket) {
          for (const part of said(request)) socket.write(part);
          socket.end();
          return true;
        },
      };
      const outcome = await run("exec a -- true");
      expect([outcome.code, outcome.err]).toEqual([1, expect.stringMatching(err)]);
    });

  test("that refuses with a Status causes the usual message", async () => {
    node.behaviour = {
      onUpgrade(_, socket) {
        refuseStream(socket, 403, "Forbidden", 'pods "a" is forbidden: User "ann" cannot get resource "pods/exec"');
        return true;
      },
    };
    const before = node.asked.length;
    for (const line of ["exec a -- true", "exec -i a -- cat", "attach a -q"])
      expect([line, (await run(line, { input: "" })).err]).toEqual([
        line,
        'Error from server (Forbidden): pods "a" is forbidden: User "ann" cannot get resource "pods/exec"\n',
      ]);
    expect(node.asked.slice(before).map(({ method }) => method)).toEqual(["GET", "POST", "POST", "GET", "GET", "POST"]);
  });

  test("may authorize streams by create instead of get", async () => {
    node.behaviour = {
      onUpgrade(request, socket) {
        if (request.method === "POST") return false;
        refuseStream(socket, 403, "Forbidden", "no");
        return true;
      },
    };
    expect(await run(sh("echo hi"))).toMatchObject({ code: 0, out: Buffer.from("hi\n"), err: "" });
  });

  test("is not called again after another refusal", async () => {
    node.behaviour = {
      onUpgrade(_, socket) {
        refuseStream(socket, 500, "InternalError", "error dialing backend: no route");
        return true;
      },
    };
    const before = node.asked.length;
    expect((await run("exec a -- true")).err).toBe(
      "Error from server (InternalError): error dialing backend: no route\n",
    );
    expect(node.asked.length).toBe(before + 1);
  });

  test("may send a message in fragments, with pings in between", async () => {
    node.behaviour = {
      onUpgrade(request, socket) {
        const part = encodeFrame(opcodes.binary, Buffer.from("\u0001hel"));
        part[0] = opcodes.binary; // more follows
        const success = Buffer.from('\u0003{"kind":"Status","status":"Success"}');
        socket.write(accept(request, v4));
        socket.write(
          Buffer.concat([
            part,
            encodeFrame(opcodes.ping, Buffer.from("?")),
            encodeFrame(opcodes.continuation, Buffer.from("lo")),
          ]),
        );
        socket.end(
          Buffer.concat([encodeFrame(opcodes.binary, success), encodeFrame(opcodes.close, Buffer.from([3, 232]))]),
        );
        return true;
      },
    };
    expect(await run("exec a -- true")).toMatchObject({
      code: 0,
      out: Buffer.from("hello"),
    });
  });
});

describe("a server without node agents", () => {
  test("causes an error of one line", async () => {
    await using session = await openSession("ctl");
    session.file("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n");
    session.file(
      "pod.yaml",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeName: node-1, containers: [{name: c, image: i}]}\n",
    );
    await session.ok("create -f node.yaml");
    await session.ok("create -f pod.yaml");
    for (const line of [
      "exec a -- true",
      "exec -i a -- true",
      "attach a",
      "logs a",
      "port-forward a 80",
      "cp a:/x y",
    ]) {
      const { code, out, err } = await session.run(line);
      const command = line.split(" ")[0];
      expect([line, code, out, err]).toEqual([
        line,
        1,
        "",
        `error: ${command} needs an agent on the node of the pod; this server has none attached. "ctl describe" and "ctl events" show what is known\n`,
      ]);
    }
  });
});

import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Exchange, Handler } from "../contract/exchange.ts";
import type { Listener, ListenerOptions } from "../contract/listener.ts";
import { DirectExchange } from "./direct-exchange.ts";
import { openTestListener, type TestListener } from "./listener.fixture.ts";
import { ordinaryBodyBytes } from "./read-head.ts";

let door: TestListener;
beforeAll(async () => {
  door = await openTestListener();
});
afterAll(() => door.close());

/** A client that collects what it receives. */
interface Client {
  readonly socket: TLSSocket;
  seen: string;
  /** Resolves when the pattern has been received. */
  until(pattern: RegExp): Promise<void>;
}

async function open(
  handler: Handler,
  more: Partial<ListenerOptions> = {},
): Promise<{ listener: Listener; connect(): Promise<Client> }> {
  const listener = await door.open({ handler, ...more });
  return {
    listener,
    async connect() {
      const socket = await door.tls({ port: listener.port, ALPNProtocols: ["http/1.1"] });
      const client: Client = {
        socket,
        seen: "",
        until: (pattern) => expect.poll(() => client.seen, { interval: 2 }).toMatch(pattern),
      };
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        client.seen += chunk.toString("latin1");
      });
      return client;
    },
  };
}

const ask = (target: string, more = "", method = "GET") => `${method} ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (target: string, body: string, more = "") =>
  ask(target, `Content-Length: ${body.length}\r\n${more}`, "POST") + body;
/** Answers with the target, the body, and who read the request. */
const echo: Handler = async (exchange) => {
  const body = await exchange.readBody(1_000_000);
  exchange.send(200, {}, `[${exchange.target} ${body} ${exchange instanceof DirectExchange ? "direct" : "node"}]`);
};
const echoed = (seen: string) => seen.match(/\[[^\]]*\]/g);

describe("requests on one connection", () => {
  const sequences: [what: string, writes: string[], answers: string[]][] = [
    ["one after another", [ask("/1"), post("/2", "two"), ask("/3")], ["/1  direct", "/2 two direct", "/3  direct"]],
    ["a body behind its head", [post("/1", "").replace("Length: 0", "Length: 6"), "abc", "def"], ["/1 abcdef direct"]],
    ["a head in two parts", ["GET /1 HTT", "P/1.1\r\nHost: x\r\n\r\n", ask("/2")], ["/1  node", "/2  node"]],
    ["several at once", [ask("/1") + ask("/2") + post("/3", "3")], ["/1  node", "/2  node", "/3 3 node"]],
    ["an unusual one", [ask("/1"), ask("/2", "TE: x\r\n"), ask("/3")], ["/1  direct", "/2  node", "/3  node"]],
    [
      "a large body",
      [post("/1", "x".repeat(ordinaryBodyBytes + 1)), ask("/2")],
      [`/1 ${"x".repeat(ordinaryBodyBytes + 1)} node`, "/2  node"],
    ],
    ["chunks", [`${ask("/1", "Transfer-Encoding: chunked\r\n", "POST")}3\r\nabc\r\n0\r\n\r\n`], ["/1 abc node"]],
  ];
  for (const [what, writes, answers] of sequences) {
    test(`${what}: all are answered in their order`, async () => {
      const { listener, connect } = await open(echo);
      const client = await connect();
      for (const [at, text] of writes.entries()) {
        client.socket.write(text);
        const isWhole = answers.length === writes.length;
        if (isWhole) await expect.poll(() => echoed(client.seen)?.length).toBe(at + 1);
        else await new Promise((resolve) => setTimeout(resolve, 20)); // so that parts arrive on their own
      }
      await expect.poll(() => echoed(client.seen)).toEqual(answers.map((answer) => `[${answer}]`));
      client.socket.destroy();
      await listener.close(0);
    });
  }

  test("those that come while another is answered wait for it", async () => {
    const begun: string[] = [];
    let release = () => {};
    const { listener, connect } = await open(async (exchange) => {
      begun.push(exchange.target);
      if (exchange.target === "/1") await new Promise<void>((resolve) => (release = resolve));
      await echo(exchange);
    });
    const client = await connect();
    client.socket.write(ask("/1"));
    await expect.poll(() => begun.length).toBe(1);
    client.socket.write(ask("/2") + post("/3", "three"));
    await new Promise((resolve) => setTimeout(resolve, 20)); // so that they arrive
    release();
    await client.until(/three/);
    expect([begun, echoed(client.seen)]).toEqual([
      ["/1", "/2", "/3"],
      ["[/1  direct]", "[/2  node]", "[/3 three node]"],
    ]);
    client.socket.destroy();
    await listener.close(0);
  });

  test("one that comes before the end of an answer that its client has read in full is read here", async () => {
    let end = () => {};
    const { listener, connect } = await open((exchange) => {
      if (exchange.target !== "/1") return echo(exchange);
      exchange.respond(200, { "content-length": 3 });
      exchange.write(Buffer.from("[1]"));
      end = () => exchange.end();
    });
    const client = await connect();
    client.socket.write(ask("/1"));
    await client.until(/\[1\]/);
    client.socket.write(ask("/2"));
    await new Promise((resolve) => setTimeout(resolve, 20)); // so that it arrives
    end();
    await client.until(/\/2/);
    client.socket.write(post("/3", "three"));
    await client.until(/three/);
    expect(echoed(client.seen)).toEqual(["[1]", "[/2  direct]", "[/3 three direct]"]);
    client.socket.destroy();
    await listener.close(0);
  });

  test("one whose body the handler does not read is followed by another", async () => {
    const { listener, connect } = await open((exchange) => {
      if (exchange.target === "/2") return echo(exchange);
      exchange.send(403, {}, "[refused]");
    });
    const client = await connect();
    client.socket.write(post("/1", "").replace("Length: 0", "Length: 10"));
    await client.until(/refused/);
    client.socket.write("0123456789");
    client.socket.write(ask("/2"));
    await client.until(/direct/);
    expect(echoed(client.seen)).toEqual(["[refused]", "[/2  direct]"]);
    client.socket.destroy();
    await listener.close(0);
  });

  test("one whose body is over the limit of the handler is followed by another", async () => {
    const { listener, connect } = await open(async (exchange) => {
      const refused = await exchange.readBody(3).catch((error: { code: number }) => error.code);
      exchange.send(200, {}, `[${refused}]`);
    });
    const client = await connect();
    client.socket.write(post("/1", "four"));
    await client.until(/413/);
    client.socket.write(post("/2", "two"));
    await client.until(/two/);
    client.socket.destroy();
    await listener.close(0);
  });

  test("a body that arrives byte by byte is read as a whole, or as a stream", async () => {
    const body = "0123456789".repeat(50);
    const { listener, connect } = await open(async (exchange) => {
      let text = "";
      if (exchange.target === "/stream") for await (const chunk of exchange.body()) text += chunk;
      else text = String(await exchange.readBody(1_000));
      exchange.send(200, {}, `[${text}]`);
    });
    for (const target of ["/whole", "/stream"]) {
      const client = await connect();
      client.socket.setNoDelay(true);
      client.socket.write(post(target, "").replace("Length: 0", `Length: ${body.length}`));
      for (const byte of body) client.socket.write(byte);
      await client.until(/\]/);
      expect(echoed(client.seen)).toEqual([`[${body}]`]);
      client.socket.destroy();
    }
    await listener.close(0);
  });
});

describe("answers", () => {
  const handlers: [what: string, handler: (exchange: Exchange) => void][] = [
    ["a text", (exchange) => exchange.send(200, { "content-type": "text/plain" }, "text")],
    ["bytes and repeated headers", (exchange) => exchange.send(201, { "x-a": ["1", "2"] }, Buffer.from([65, 200, 66]))],
    ["letters beyond ASCII", (exchange) => exchange.send(200, {}, "\u00e9\u20ac")],
    ["a date", (exchange) => exchange.send(200, { date: "then" }, "text")],
    ["an empty text", (exchange) => exchange.send(404, {}, "")],
    ["no content", (exchange) => exchange.send(204, {})],
    ["not modified", (exchange) => exchange.send(304, { etag: '"1"' })],
    ["a large text", (exchange) => exchange.send(200, {}, "x".repeat(200_000))],
    [
      "pieces",
      (exchange) => {
        exchange.respond(200, { "x-a": "b" });
        for (const piece of ["a", "", "bc"]) exchange.write(Buffer.from(piece));
        exchange.end();
        exchange.end();
        exchange.write(Buffer.from("too late"));
      },
    ],
    [
      "pieces of a known length",
      (exchange) => {
        exchange.respond(200, { "content-length": 3 });
        for (const piece of ["a", "bc"]) exchange.write(Buffer.from(piece));
        exchange.end();
      },
    ],
    [
      "fixed headers",
      (exchange) => {
        exchange.fixHeaders(["x-a", "chain"]);
        exchange.send(200, { "x-a": "handler", "x-b": "c" }, "text");
        exchange.send(500, {}, "a second answer");
      },
    ],
  ];
  for (const [what, handler] of handlers) {
    for (const method of ["GET", "HEAD"]) {
      test(`to ${method} with ${what} are the same bytes as Node's`, async () => {
        const lanes = new Set<boolean>();
        const { listener, connect } = await open((exchange) => {
          lanes.add(exchange instanceof DirectExchange);
          if (exchange.target === "/last") exchange.send(200, {}, "<last>");
          else handler(exchange);
        });
        const seen: string[] = [];
        for (const more of ["", "TE: x\r\n"]) {
          const client = await connect();
          client.socket.write(ask("/", more, method));
          await client.until(/\r\n\r\n/);
          client.socket.write(ask("/last"));
          await client.until(/<last>$/);
          seen.push(client.seen.replace(/Date: [^\r]*/g, "Date: now"));
          client.socket.destroy();
        }
        expect(seen[0]).toBe(seen[1]);
        expect(lanes.size).toBe(2);
        await listener.close(0);
      });
    }
  }

  test("with a header that would end its line are refused, and another answer can be sent", async () => {
    const { listener, connect } = await open((exchange) => {
      for (const headers of [{ "x-a": "b\r\nx-c: d" }, { "x-a\r\nb": "c" }, { "x-a": "\u20ac" }])
        expect(() => exchange.send(200, headers, "split")).toThrow(TypeError);
      exchange.send(500, {}, "[whole]");
    });
    const client = await connect();
    client.socket.write(ask("/"));
    await client.until(/whole/);
    expect(client.seen).toMatch(/^HTTP\/1\.1 500 /);
    expect(client.seen).not.toContain("x-c");
    client.socket.destroy();
    await listener.close(0);
  });

  test("of the same events reach every client whole, whichever was written to before", async () => {
    const watching: Exchange[] = [];
    const { listener, connect } = await open((exchange) => {
      exchange.respond(200, {});
      watching.push(exchange);
    });
    const clients = [await connect(), await connect()];
    for (const { socket } of clients) socket.write(ask("/"));
    await expect.poll(() => watching.length).toBe(2);
    const events = ["one", "two"].map((text) => Buffer.from(text));
    for (const event of events) for (const one of watching) one.write(event);
    for (const one of watching) one.end();
    for (const client of clients) await client.until(/\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n$/);
    for (const { socket } of clients) socket.destroy();
    await listener.close(0);
  });
});

describe("a connection that ends", () => {
  test("while its request is handled shows in the exchange", async () => {
    const ends: [what: string, end: (socket: TLSSocket) => void][] = [
      ["closed", (socket) => socket.end()],
      ["broken", (socket) => socket.destroy()],
    ];
    for (const [what, end] of ends) {
      const outcome: string[] = [];
      const { listener, connect } = await open(async (exchange) => {
        exchange.signal.addEventListener("abort", () => outcome.push("aborted"));
        exchange.onFinish(() => outcome.push(exchange.gone ? "gone" : "sent"));
      });
      const client = await connect();
      client.socket.write(ask("/"));
      setTimeout(() => end(client.socket), 20);
      await expect.poll(() => outcome, { message: what }).toEqual(["aborted", "gone"]);
      await listener.close(0);
    }
  });

  test("behind further requests, with which it had not waited, is noticed", async () => {
    const outcome: string[] = [];
    const { listener, connect } = await open((exchange) => {
      exchange.respond(200, {});
      exchange.onFinish(() => outcome.push(exchange.gone ? "gone" : "sent"));
    });
    const client = await connect();
    client.socket.write(ask("/watch"));
    await client.until(/200 OK/);
    client.socket.write(ask("/next"));
    client.socket.end();
    await expect.poll(() => outcome).toEqual(["gone"]);
    await listener.close(0);
  });

  test("within a body ends the reading of it", async () => {
    const outcomes: (number | Buffer)[] = [];
    let hasBegun = false;
    const { listener, connect } = await open(async (exchange) => {
      hasBegun = true;
      outcomes.push(await exchange.readBody(100).catch((error: { code: number }) => error.code));
    });
    const client = await connect();
    client.socket.write(post("/", "").replace("Length: 0", "Length: 10"));
    client.socket.write("half");
    await expect.poll(() => hasBegun).toBe(true);
    client.socket.destroy();
    await expect.poll(() => outcomes).toEqual([400]);
    await listener.close(0);
  });

  test("after the answer counts as sent", async () => {
    const outcome: boolean[] = [];
    const { listener, connect } = await open((exchange) => {
      exchange.onFinish(() => outcome.push(exchange.gone));
      exchange.send(200, {}, "[text]");
    });
    const client = await connect();
    client.socket.write(ask("/"));
    await client.until(/text/);
    client.socket.destroy();
    await expect.poll(() => outcome).toEqual([false]);
    await listener.close(0);
  });

  test("is ended by a handler that wants it closed after the answer", async () => {
    const { listener, connect } = await open((exchange) => {
      exchange.closeAfter();
      exchange.send(401, {}, "[text]");
    });
    const client = await connect();
    client.socket.write(ask("/"));
    await once(client.socket, "end");
    expect(client.seen).toMatch(/Connection: close\r\n\r\n\[text\]$/);
    await listener.close(0);
  });

  test("is ended if its client sends no request", async () => {
    const { listener, connect } = await open(echo, { headersTimeoutMs: 50 });
    const client = await connect();
    await once(client.socket, "end");
    await listener.close(0);
  });
});

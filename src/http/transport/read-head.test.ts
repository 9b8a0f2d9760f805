import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Head, HeadReader, ordinaryBodyBytes } from "./read-head.ts";

const ordinary = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: text/plain \r\n";
const read = (text: string) => new HeadReader().read(text);

describe("an ordinary head", () => {
  test("is a method, a target and headers without the space around them", () => {
    const head = read(ordinary);
    expect([head?.method, head?.target, head?.bodyBytes]).toEqual(["GET", "/a?b=c", 0]);
    expect([head?.headers.names(), head?.headers.get("accept")]).toEqual([["host", "accept"], "text/plain"]);
  });

  test("says how long the body is", () => {
    expect(read(`${ordinary}Content-Length: ${ordinaryBodyBytes}\r\n`)?.bodyBytes).toBe(ordinaryBodyBytes);
  });

  test("shares its headers with the head before it if they are the same, and only then", () => {
    const reader = new HeadReader();
    const [first, second] = [reader.read(ordinary), reader.read(ordinary.replace("/a", "/other"))];
    expect([second?.headers === first?.headers, second?.target]).toEqual([true, "/other?b=c"]);
    expect(reader.read(ordinary.replace("plain", "other"))?.headers.get("accept")).toBe("text/other");
    expect(reader.read(`${ordinary}Upgrade: x\r\n`)).toBeUndefined();
    expect(reader.read(`${ordinary}Upgrade: x\r\n`)).toBeUndefined();
  });
});

describe("left to Node's parser", () => {
  const heads: [what: string, text: string][] = [
    ["another method", ordinary.replace("GET", "FOO")],
    ["a method in lower case", ordinary.replace("GET", "get")],
    ["another version", ordinary.replace("1.1", "1.0")],
    ["a target that is not a path", ordinary.replace("/a", "https://x/a")],
    ["a target with other bytes", ordinary.replace("/a", "/\u00e9")],
    ["two spaces", ordinary.replace(" /a", "  /a")],
    ["no host", ordinary.replace("Host", "Guest")],
    ["two hosts", `${ordinary}Host: y\r\n`],
    ["a space before the colon", ordinary.replace("Host:", "Host :")],
    ["a folded header", ordinary.replace("Accept:", " Accept:")],
    ["a line without a colon", `${ordinary}X\r\n`],
    ["a line feed on its own", ordinary.replace("x\r\n", "x\n")],
    ["a return on its own", ordinary.replace("text/plain", "text\r/plain")],
    ["a header with other bytes", ordinary.replace("text/plain", "t\u00e9xt")],
    ["chunks", `${ordinary}Transfer-Encoding: chunked\r\n`],
    ["two lengths", `${ordinary}Content-Length: 1\r\nContent-Length: 1\r\n`],
    ["a signed length", `${ordinary}Content-Length: +1\r\n`],
    ["a length with a zero in front", `${ordinary}Content-Length: 01\r\n`],
    ["a large body", `${ordinary}Content-Length: ${ordinaryBodyBytes + 1}\r\n`],
    ["another protocol", `${ordinary}Upgrade: websocket\r\n`],
    ["an expectation", `${ordinary}Expect: 100-continue\r\n`],
    ["a connection that closes", `${ordinary}Connection: close\r\n`],
    ["many headers", ordinary + "A: b\r\n".repeat(100)],
  ];
  for (const [what, text] of heads) test(what, () => expect(read(text)).toBeUndefined());
});

describe("beside Node's parser", () => {
  let port = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, rawHeaders } = request;
      const body = Buffer.concat(chunks).length;
      response.end(JSON.stringify({ method, url, rawHeaders, body }));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  /** What Node reads of the same bytes, which end there. */
  const nodeReads = (text: string, body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(`${text}\r\n${body}`, "latin1")));
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        answer += chunk;
        if (/\r\n\r\n./s.test(answer) || answer.includes("400")) socket.destroy();
      });
      socket.on("close", () => resolve(answer.slice(answer.indexOf("\r\n\r\n") + 4)));
    });
  const asNode = ({ method, target, headers, bodyBytes }: Head) => ({
    method,
    url: target,
    names: headers.names(),
    values: headers.names().map((name) => headers.getAll(name)),
    body: bodyBytes,
  });

  const part = (...parts: string[]) => fc.constantFrom(...parts);
  /** One of `good` in most cases, so that many heads are read here. */
  const mostly = (good: string[], bad: string[]) =>
    fc.oneof({ arbitrary: part(...good), weight: 9 }, { arbitrary: part(...bad), weight: 1 });
  const header = fc
    .tuple(
      mostly(["Accept", "X-A", "x_b", "content-length", "Connection"], ["Keep", "x a", "Host", "a:b", ""]),
      mostly([": ", ":", ":\t"], [" : "]),
      part(
        "x",
        "",
        "  a b\t ",
        "5",
        "0",
        "05",
        "keep-alive",
        "Keep-Alive",
        "a\rb",
        "a\nb",
        "a\u0000b",
        "a\u00e9",
        "5,5",
      ),
      mostly(["\r\n"], ["\n", "\r"]),
    )
    .map((parts) => parts.join(""));
  const head = fc
    .tuple(
      part("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"),
      mostly([" "], ["  ", "\t"]),
      mostly(["/", "/a/b?c=%20d", "//x", "/{}|"], ["/a#b", "/a\u007f", "*"]),
      mostly([" HTTP/1.1\r\nHost: x\r\n", " HTTP/1.1\r\nhost:x\r\n"], [" HTTP/1.1\r\n", " HTTP/1.1\nHost: x\r\n"]),
      fc.array(header, { maxLength: 4 }).map((lines) => lines.join("")),
    )
    .map((parts) => parts.join(""));

  test("every head that is read here says the same there", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(head, async (text) => {
        // The first empty line ends a head, on any connection.
        const cut = `${text.split("\r\n\r\n")[0]}\r\n`.replace(/\r\n\r\n$/, "\r\n");
        const ours = read(cut);
        if (ours === undefined || ours.method === "HEAD") return;
        count++;
        const { method, url, rawHeaders, body } = JSON.parse(await nodeReads(cut, "b".repeat(ours.bodyBytes)));
        const names = rawHeaders
          .filter((_: string, at: number) => at % 2 === 0)
          .map((name: string) => name.toLowerCase());
        const valuesOf = (wanted: string) =>
          rawHeaders.filter((_: string, at: number) => at % 2 === 1 && names[(at - 1) / 2] === wanted);
        expect(asNode(ours)).toEqual({ method, url, names, values: names.map(valuesOf), body });
      }),
      { numRuns: 600 },
    );

    expect(count).toBeGreaterThan(20);
  });
});

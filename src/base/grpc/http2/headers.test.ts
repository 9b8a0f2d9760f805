import { createServer, type IncomingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { Http2Connection } from "./connection.ts";
import { encodeHeaders, HeaderError, HeaderReader } from "./headers.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

/** RFC 7541, appendix C.6: the first answers on one connection. */
const answers = [
  {
    block:
      "3fe1 01 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
    headers: {
      ":status": "302",
      "cache-control": "private",
      date: "Mon, 21 Oct 2013 20:13:21 GMT",
      location: "https://www.example.com",
    },
  },
  {
    block: "4883 640e ffc1 c0bf",
    headers: {
      ":status": "307",
      "cache-control": "private",
      date: "Mon, 21 Oct 2013 20:13:21 GMT",
      location: "https://www.example.com",
    },
  },
];

test("headers are read in the code of the examples of RFC 7541, with numbers that hold for the connection", () => {
  const reader = new HeaderReader();
  for (const { block, headers } of answers) expect(Object.fromEntries(reader.read(hex(block)))).toEqual(headers);
});

test("what we write is read back, and a name of the static table takes its number", () => {
  const headers = { ":method": "POST", ":path": "/etcdserverpb.KV/Range", te: "trailers", token: "t".repeat(300) };
  const block = encodeHeaders(headers);
  expect(block[0]).toBe(0x83);
  expect(Object.fromEntries(new HeaderReader().read(block))).toEqual(headers);
});

const wrong = [
  { why: "a number that nothing has", block: "be" },
  { why: "number zero", block: "80" },
  { why: "a text that ends too soon", block: "4005 6162" },
  { why: "a number without an end", block: "ffff ffff ffff ffff" },
  { why: "a table that is larger than was agreed on", block: "3fe2 1f" },
  { why: "a code of only ones in a text", block: "4001 6184 ffff ffff" },
  { why: "a text filled with zeros", block: "4001 6181 00" },
];
for (const { why, block } of wrong)
  test(`refused: ${why}`, () => {
    expect(() => new HeaderReader().read(hex(block))).toThrow(HeaderError);
  });

test("every byte that Node's server may send is read as it was sent, compressed or not", async () => {
  const sent: Record<string, string> = {};
  for (let code = 0x20; code < 0x100; code += 1)
    // Short codes around it, so that compressing it saves something.
    if (code !== 0x7f) sent[`x-${code}`] = `0000000000000000000000000000${String.fromCharCode(code)}00000`;
  const server = createServer();
  server.on("stream", (stream) => {
    stream.respond({ ":status": 200, ...(sent as IncomingHttpHeaders) }, { endStream: true });
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
  const socket = connect(port, "127.0.0.1");
  try {
    const connection = new Http2Connection(socket, 100_000, { ready() {}, going() {}, closed() {} });
    const request = encodeHeaders({ ":method": "GET", ":scheme": "http", ":path": "/", ":authority": "a" });
    // The second answer uses what the connection remembers of the first.
    for (let count = 0; count < 2; count += 1) {
      const answer = await new Promise<ReadonlyMap<string, string>>((resolve, reject) => {
        connection
          .open(request, {
            headers: resolve,
            data() {},
            closed: ({ code, error }) => reject(error ?? new Error(`closed with ${code}`)),
          })
          .write(Buffer.alloc(0), true);
      });
      expect(Object.fromEntries(answer)).toMatchObject(sent);
    }
  } finally {
    socket.destroy();
    server.close();
  }
});

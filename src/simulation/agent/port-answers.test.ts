import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { answerPort, echoedBytesMax, type PortPod } from "./port-answers.ts";
import { PortTargets } from "./port-targets.ts";

const targets = new PortTargets([]);

/** What an undeclared port answers to these bytes. */
const answerTo = (...sent: readonly string[]) => answerOf({ pod: { metadata: { name: "p" } }, targets }, sent);

async function answerOf(of: PortPod, sent: readonly string[]): Promise<string> {
  const got: Buffer[] = [];
  const input = (async function* () {
    for (const text of sent) yield Buffer.from(text);
  })();
  const nothing = async () => {};
  await answerPort(of, {
    port: 1,
    input,
    send: async (data) => void got.push(Buffer.from(data)),
    fail: async (message) => void got.push(Buffer.from(message)),
    end: nothing,
  });
  return Buffer.concat(got).toString();
}

test("an undeclared port echoes, in HTTP to those who speak HTTP", async () => {
  expect(await answerTo("ping", "pong")).toBe("pingpong");
  const http = await answerTo(
    "POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\n",
    "body",
  );
  expect(http).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(http).toMatch(/\r\n\r\nPOST \/a\?b\nbody$/);
});

test("of a long body the beginning is sent back", async () => {
  const size = echoedBytesMax + 10;
  const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`;
  const [, body = ""] = (await answerTo(head, "x".repeat(size))).split("\r\n\r\n");
  expect(body).toHaveLength("PUT /\n".length + echoedBytesMax);
});

test("a port that forwards passes everything on to a program that is listed", async () => {
  const program = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (data) => socket.write(`<${String(data)}>`)).on("end", () => socket.end());
  });
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve));
  try {
    const target = `127.0.0.1:${(program.address() as AddressInfo).port}`;
    const annotations = { "simulation.orch.io/ports": JSON.stringify({ 1: { forward: target } }) };
    const pod = { metadata: { name: "p", uid: "u", annotations } };
    expect(await answerOf({ pod, targets: new PortTargets([target]) }, ["hello"])).toBe("<hello>");
    expect(await answerOf({ pod, targets }, ["hello"])).toContain(`needs --simulated-port-targets=${target}`);
  } finally {
    program.close();
  }
});

import { expect, test } from "vitest";
import { answerPort, echoedBytesMax } from "./port-answers.ts";
import { PortTargets } from "./port-targets.ts";

const targets = new PortTargets([]);

/** What an undeclared port answers to these bytes. */
async function answerTo(...sent: readonly string[]): Promise<string> {
  const got: Buffer[] = [];
  const input = (async function* () {
    for (const text of sent) yield Buffer.from(text);
  })();
  const nothing = async () => {};
  await answerPort(
    { pod: { metadata: { name: "p" } }, targets },
    { port: 1, input, send: async (data) => void got.push(Buffer.from(data)), fail: nothing, end: nothing },
  );
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

import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { answerBytesMax, NodeResponse, refusalBytesMax } from "./node-response.ts";

/** An answer that never ends. */
function endless(statusCode: number) {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  let bytes = 0;
  const stream = new Readable({
    read() {
      bytes += chunk.length;
      this.push(chunk);
    },
  });
  const response = new NodeResponse(Object.assign(stream, { statusCode, headers: {} }) as unknown as IncomingMessage); // what is read of it
  return { response, stream, read: () => bytes };
}

test.each([
  { status: 200, bytesMax: answerBytesMax },
  { status: 500, bytesMax: refusalBytesMax },
])("an endless answer with status $status is left", async ({ status, bytesMax }) => {
  const { response, stream, read } = endless(status);
  await expect(response.text()).rejects.toThrow(`more than ${bytesMax} bytes`);
  expect(stream.destroyed).toBe(true);
  expect(read()).toBeLessThan(bytesMax + 8 * 1024 * 1024);
});

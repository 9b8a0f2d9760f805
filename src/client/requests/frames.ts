/** A stream of JSON values, one a line, as a watch sends them: bytes in, in any pieces, values out. */

/** Far above the largest object that a server keeps; a line that grows beyond it is not a watch. */
const frameBytesMax = 64 * 1024 * 1024;

const newline = 10;

const shownBytesMax = 4_096;

/** The stream ended in the middle of a line; `start`: its first part. */
export class BrokenLine extends Error {
  readonly start: string;

  constructor(start: string) {
    super("the watch broke off in the middle of an event");
    this.name = "BrokenLine";
    this.start = start;
  }
}

/** Lines without their ends. Ends when the stream ends; leaving the loop cancels the stream. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = body.getReader();
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      let chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline)) {
        const line = restBytes === 0 ? chunk.subarray(0, at) : Buffer.concat([...rest, chunk.subarray(0, at)]);
        rest = [];
        restBytes = 0;
        chunk = chunk.subarray(at + 1);
        if (line.length > 0) yield line;
      }
      if (chunk.length === 0) continue;
      rest.push(chunk);
      restBytes += chunk.length;
      if (restBytes > frameBytesMax) throw new Error(`a watch event has more than ${frameBytesMax} bytes`);
    }
    if (restBytes > 0) throw new BrokenLine(Buffer.concat(rest).toString("utf8", 0, shownBytesMax));
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Prints logs: unchanged to a file, with control characters escaped to a terminal, and line by line with a prefix. */

import type { Context } from "../context.ts";

const newline = 0x0a;
/** A longer line is printed in parts: a container may write endlessly without ending a line. */
export const lineBytesMax = 256 * 1024;

export class LogPrinter {
  readonly #context: Context;
  readonly #hasPrefix: boolean;

  constructor(context: Context, { hasPrefix }: { readonly hasPrefix: boolean }) {
    this.#context = context;
    this.#hasPrefix = hasPrefix;
  }

  /** Several logs may be printed at the same time. */
  async print(body: AsyncIterable<Uint8Array>, prefix: string): Promise<void> {
    const { stdout } = this.#context.environment;
    const decoder = new TextDecoder();
    const write = (bytes: Buffer) => {
      if (stdout.isTerminal) this.#context.print(decoder.decode(bytes, { stream: true }));
      else stdout.writeBytes(bytes);
    };
    const pieces = this.#hasPrefix ? withPrefix(body, prefix) : body;
    for await (const chunk of pieces) {
      write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      await stdout.drained();
    }
  }
}

/** Whole lines, so that those of several logs do not mix. */
async function* withPrefix(body: AsyncIterable<Uint8Array>, prefix: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  const start = Buffer.from(prefix);
  for await (const chunk of body) {
    const bytes = Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, at)) {
      lines.push(start, bytes.subarray(at, end + 1));
      at = end + 1;
    }
    rest = Buffer.from(bytes.subarray(at));
    if (rest.length > lineBytesMax) {
      lines.push(start, rest);
      rest = Buffer.alloc(0);
    }
    if (lines.length > 0) yield Buffer.concat(lines);
  }
  if (rest.length > 0) yield Buffer.concat([start, rest]);
}

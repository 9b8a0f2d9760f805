/** The lines of an answer as they arrive: the events of a watch, the lines of a log. Bytes in, in any pieces, texts out. */

/** Far above the largest object that a server keeps; a line that grows beyond it is not a watch. */
const frameBytesMax = 64 * 1024 * 1024;

const newline = 10;

const shownCharsMax = 4_096;

/** The stream ended before the server ended it: the connection is gone, or the server is. */
export class BrokenStream extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BrokenStream";
  }
}

/** The stream ended in the middle of a line; `start`: its first part. */
export class BrokenLine extends BrokenStream {
  readonly start: string;

  constructor(start: string) {
    super("the watch broke off in the middle of an event");
    this.name = "BrokenLine";
    this.start = start;
  }
}

interface ReadLinesOptions {
  /** Whether the last line may have no end, as that of a log may. Default: false, and it is a BrokenLine. */
  readonly mayLackEnd?: boolean;
}

/** Lines without their ends; empty ones are left out. Ends when the stream ends; leaving the loop cancels the stream. */
export async function* readLines(
  body: ReadableStream<Uint8Array>,
  { mayLackEnd = false }: ReadLinesOptions = {},
): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(breakOff);
      if (done) break;
      let chunk = value;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline)) {
        const line = restBytes === 0 ? chunk.subarray(0, at) : joined([...rest, chunk.subarray(0, at)]);
        rest = [];
        restBytes = 0;
        chunk = chunk.subarray(at + 1);
        if (line.length > 0) yield decoder.decode(line);
      }
      if (chunk.length === 0) continue;
      rest.push(chunk);
      restBytes += chunk.length;
      if (restBytes > frameBytesMax) throw new Error(`a watch event has more than ${frameBytesMax} bytes`);
    }
    if (restBytes === 0) return;
    const last = decoder.decode(joined(rest));
    if (!mayLackEnd) throw new BrokenLine(last.slice(0, shownCharsMax));
    yield last;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function breakOff(error: unknown): never {
  throw new BrokenStream(error instanceof Error ? error.message : String(error), error);
}

/** Without `Buffer`, which browsers do not have. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

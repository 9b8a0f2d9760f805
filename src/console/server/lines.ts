/** The lines of an answer as they arrive, for watches. */

/** A line that grows beyond this is not an event of a watch. */
export const lineCharsMax = 64 * 1024 * 1024;

/** Leaving the loop cancels the stream. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const pieces = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = pieces.pop() ?? "";
      if (rest.length > lineCharsMax) throw new Error("the answer is not a watch");
      for (const piece of pieces) if (piece !== "") yield piece;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

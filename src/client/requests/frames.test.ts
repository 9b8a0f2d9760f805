import { expect, test } from "vitest";
import { BrokenLine, BrokenStream, readLines } from "./frames.ts";

/** A stream of these pieces, which breaks at the end if `error` is given. */
function streamOf(pieces: readonly (string | Uint8Array)[], error?: Error): ReadableStream<Uint8Array> {
  const left = pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece));
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
  });
}

async function linesOf(lines: AsyncIterable<string>): Promise<{ read: string[]; error?: unknown }> {
  const read: string[] = [];
  try {
    for await (const line of lines) read.push(line);
  } catch (error) {
    return { read, error };
  }
  return { read };
}

test("lines come whole, whatever pieces they arrive in", async () => {
  const [first, second] = ["größe", "b"].map((text) => new TextEncoder().encode(`${text}\n`));
  const bytes = [...first!, ...second!].map((byte) => new Uint8Array([byte]));
  expect(await linesOf(readLines(streamOf(bytes)))).toEqual({ read: ["größe", "b"] });
  expect(await linesOf(readLines(streamOf(["a\n\nb", "c\n"])))).toEqual({ read: ["a", "bc"] });
});

test("a stream that ends in a line is broken, unless its last line may lack its end", async () => {
  const { read, error } = await linesOf(readLines(streamOf(["a\nb"])));
  expect([read, error]).toEqual([["a"], new BrokenLine("b")]);
  expect(error).toBeInstanceOf(BrokenStream);
  expect(await linesOf(readLines(streamOf(["a\nb"]), { mayLackEnd: true }))).toEqual({ read: ["a", "b"] });
});

test("a connection that breaks is a BrokenStream with its message and cause", async () => {
  const cause = new TypeError("terminated");
  const { read, error } = await linesOf(readLines(streamOf(["a\n"], cause)));
  expect(read).toEqual(["a"]);
  expect(error).toBeInstanceOf(BrokenStream);
  expect(error).toMatchObject({ message: "terminated", cause });
});

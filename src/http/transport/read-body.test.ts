import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readBody } from "./read-body.ts";

const text = "0123456789";
const pieces = (count: number) => Array.from({ length: count }, (_, at) => Buffer.from(`${at}:${text};`));
const whole = (count: number) => Buffer.concat(pieces(count)).toString("latin1");

const read = (source: Readable, declared?: number, onBytes?: (bytes: number) => void) =>
  readBody(source, { bytesMax: 1_000, declared: declared === undefined ? undefined : String(declared), onBytes });

describe("a body", () => {
  for (const count of [0, 1, 2, 3, 20, 70]) {
    test(`in ${count} chunks is the chunks in order, with or without a declared length`, async () => {
      const length = whole(count).length;
      for (const declared of [undefined, length]) {
        const body = await read(Readable.from(pieces(count), { objectMode: false }), declared);
        expect(body.toString("latin1")).toBe(whole(count));
      }
    });
  }

  test("that is longer than declared is read as a whole", async () => {
    expect((await read(Readable.from(pieces(30), { objectMode: false }), 20)).toString("latin1")).toBe(whole(30));
  });

  test("copies every chunk, so that the transport may reuse it", async () => {
    const source = new PassThrough();
    const seen: number[] = [];
    const body = read(source, whole(10).length, (bytes) => seen.push(bytes));
    let before: Buffer | undefined;
    for (const chunk of pieces(10)) {
      source.write(chunk);
      await expect.poll(() => seen.length).toBeGreaterThan(0);
      seen.length = 0;
      before?.fill("x");
      before = chunk;
    }
    source.end();
    expect((await body).toString("latin1")).toBe(whole(10));
  });

  test("over the limit is refused before it is complete, and at once if its length was declared", async () => {
    await expect(read(Readable.from(pieces(200), { objectMode: false }))).rejects.toMatchObject({ code: 413 });
    await expect(read(new PassThrough(), 1_001)).rejects.toMatchObject({ code: 413 });
  });

  test("that is truncated is a bad request", async () => {
    const source = new PassThrough();
    const body = read(source);
    source.write("half");
    source.destroy();
    await expect(body).rejects.toMatchObject({ code: 400 });
  });
});

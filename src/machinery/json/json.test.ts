import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { StatusError } from "../status/status.ts";
import { decodeJson, decodeJsonAsync, decodeStoredText, encodeJson, parsedAtOnceBytesMax } from "./json.ts";
import { bodyBytesMax, nestingMax, partsMax } from "./json-gate.ts";
import { copyJson } from "./json-value.ts";

const decode = (text: string) => decodeJson(Buffer.from(text));
const exactly = (text: string) => decodeJson(Buffer.from(text), { keepNumberForm: true });

function refusal(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe("a JSON body", () => {
  test("is read unchanged", () => {
    const value = { kind: "Pod", list: [1, -2.5, true, null, "ä😀\n"], empty: {}, none: [] };
    expect(decode(JSON.stringify(value))).toEqual(value);
  });
  test("keeps integers beyond 2^53 exactly", () => {
    expect(decode('{"a": 9223372036854775807,"b":[-9223372036854775808, 9007199254740991],"c":1}')).toEqual({
      a: 9223372036854775807n,
      b: [-9223372036854775808n, 9007199254740991],
      c: 1,
    });
    expect(decode('{"a":18446744073709551616}')).toEqual({ a: 2 ** 64 });
  });
  test("keeps the last of duplicate keys", () => {
    expect(decode('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(decode('{"a":1234567890123456789,"a":2}')).toEqual({ a: 2 });
  });
  test("has __proto__ as a key like any other", () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"n":1234567890123456789}']) {
      const value = decode(text) as Record<string, unknown>;
      expect(Object.hasOwn(value, "__proto__")).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value["x"]).toBeUndefined();
    }
  });
  test("that is not UTF-8 gets replacement characters", () => {
    expect(decodeJson(Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toBe("\ufffd\ufffd");
    expect(decode('{"k":"\\ud800"}')).toEqual({ k: "\ufffd" });
    expect(decode('{"k":"\\ud83d\\ude00"}')).toEqual({ k: "😀" });
  });
  for (const text of [
    "",
    "   \n",
    "{",
    '{"a":1}}',
    '{"a":1}{"b":2}',
    "{'a':1}",
    "{a:1}",
    '{"a":NaN}',
    '{"a":0x3}',
    '{"a":+3}',
    '{"a":03}',
    '{"a":1e400}',
    '{"a":1,}',
    "[1,]",
    "[1 2]",
    '"a\nb"',
    '"\\x"',
    '"abc',
    "tru",
    "\ufeff{}",
  ]) {
    test(`${JSON.stringify(text)} is refused, by either parser`, () => {
      expect(refusal(() => decode(text))).toBe(400);
      expect(refusal(() => decode(`[1234567890123456789,${text}`))).toBe(400);
    });
  }
});

describe("the form of numbers", () => {
  test("is kept on request: 3.0 is not an integer", () => {
    const { a, b, c, d } = exactly('{"a":3.0,"b": 3e0,"c":3,"d":2.5}') as Record<string, unknown>;
    expect([typeof a, typeof b, typeof c, typeof d]).toEqual(["object", "object", "number", "number"]);
    expect(copyJson([a, { b, c }, d])).toEqual([3, { b: 3, c: 3 }, 2.5]);
    expect(encodeJson([a, 1n])).toBe("[3,1]");
  });
  test("is not kept otherwise", () => expect(decode('{"a":3.0}')).toEqual({ a: 3 }));
});

describe("the gate", () => {
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

  test("accepts the allowed nesting depth and nothing deeper", () => {
    expect(refusal(() => decode(nested(nestingMax, "[", "]")))).toBeUndefined();
    expect(refusal(() => decode(nested(nestingMax + 1, "[", "]")))).toBe(400);
    expect(refusal(() => decode(nested(nestingMax + 1, '{"a":', "1}".slice(1))))).toBe(400);
    expect(refusal(() => decode(JSON.stringify("[".repeat(5000))))).toBeUndefined();
    expect(refusal(() => decode(JSON.stringify(`\\"${"[".repeat(5000)}`)))).toBeUndefined();
  });
  test("refuses a body that is too large with 413", () => {
    expect(refusal(() => decodeJson(Buffer.alloc(bodyBytesMax + 1, " ")))).toBe(413);
    expect(refusal(() => decodeJson(Buffer.alloc(bodyBytesMax, " ")))).toBe(400);
  });
  test("refuses too many parts", () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at % 10}":1`).join(",")}}`;
    expect(refusal(() => decode(keys(partsMax)))).toBe(413);
    expect(refusal(() => decode(keys(partsMax - 1)))).toBeUndefined();
    expect(refusal(() => decode(`[${"{},".repeat(partsMax)}0]`))).toBe(413);
  });
  test("reads stored objects whatever number of parts they have", () => {
    const stored = Buffer.from(`[${"{},".repeat(partsMax)}9007199254740993]`);
    const read = decodeStoredText(String(stored)) as unknown[];
    expect([read.length, read.at(-1)]).toEqual([partsMax + 1, 9007199254740993n]);
  });
  test("stops hostile bodies quickly", () => {
    const hostile = [
      "[".repeat(bodyBytesMax),
      nested(1_500_000, "[", "]"),
      `"${"a".repeat(1_000_000)}`,
      `[${"1".repeat(2_000_000)}`,
      `[${" ".repeat(2_000_000)}x`,
      `{"a"${" :".repeat(1_000_000)}`,
      `[${'"\\"'.repeat(500_000)}`,
    ];
    const spentMs = measureWork();
    for (const text of hostile) expect([400, 413]).toContain(refusal(() => decode(text)));
    expect(spentMs()).toBeLessThan(5000);
  });
});

describe("a large body", () => {
  test("is parsed in slices to the same value", async () => {
    const value = Array.from({ length: 20_000 }, (_, at) => ({ name: `item-${at}`, at, tags: ["a", null, 1.5] }));
    const bytes = Buffer.from(JSON.stringify(value));
    expect(bytes.length).toBeGreaterThan(parsedAtOnceBytesMax);
    let slice = 0;
    const ticking = setInterval(() => slice++, 0);
    expect(await decodeJsonAsync(bytes)).toEqual(value);
    clearInterval(ticking);
    expect(slice).toBeGreaterThan(0);
  });
  test("is refused in the same way", async () => {
    const bytes = Buffer.from(`[${"1,".repeat(parsedAtOnceBytesMax)}`);
    await expect(decodeJsonAsync(bytes)).rejects.toMatchObject({ code: 400 });
    expect(() => decodeJsonAsync(Buffer.from("{"))).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe("any JSON value", () => {
  test("is read alike by both parsers, and printed back", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const plain = decode(text);
        const printed = JSON.stringify(JSON.parse(text));
        expect(encodeJson(plain)).toBe(printed);
        expect(encodeJson(decode(`[${text},1234567890123456789]`))).toBe(`[${printed},1234567890123456789]`);
      }),
    );
  });
  test("with integers of 64 bits survives a round trip", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), int64), (value) => {
        const again = decode(encodeJson(value)) as Record<string, number | bigint>;
        expect(Object.entries(again).map(([key, number]) => [key, BigInt(number)])).toEqual(Object.entries(value));
      }),
    );
  });
  test("is read from the store as it is read from a body", () => {
    const leaf = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "binary" }),
      fc.constantFrom(1e21, 1e-7, -0.5, "\ud800", "a:1234567890123456789", ":1e5", true, null),
    );
    const few = { maxLength: 4 };
    const fewKeys = { maxKeys: 4 };
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("any"), few), fc.dictionary(fc.string(), tie("any"), fewKeys)),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (object) => {
        const stored = Buffer.from(encodeJson(object));
        expect(decodeStoredText(String(stored))).toEqual(decodeJson(stored));
      }),
    );
  });
  test("cut off or changed anywhere gives a value or a refusal, nothing else", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, at, change) => {
        const cut = text.slice(0, at % (text.length + 1)) + change + text.slice((at % (text.length + 1)) + 1);
        let expected: number | undefined;
        try {
          // A number that is too large for a double is refused; JSON.parse makes an infinity of it.
          JSON.parse(cut, (_key, value) => {
            if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) expected = 400;
          });
        } catch {
          expected = 400;
        }
        expect(refusal(() => decode(cut))).toBe(expected);
        expect(refusal(() => decode(`{"n":1234567890123456789,"v":${cut}}`))).toBe(
          refusal(() => decode(`{"n":1,"v":${cut}}`)),
        );
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { bodyBytesMax, partsMax } from "../json/json-gate.ts";
import { StatusError } from "../status/status.ts";
import { decodeYaml, decodeYamlAsync, yamlAliasesMax, yamlBytesMax, yamlNestingMax, yamlPartsMax } from "./yaml.ts";

const decode = (text: string) => decodeYaml(Buffer.from(text));

function refusal(text: string): number | undefined {
  try {
    decode(text);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe("a YAML body", () => {
  const scalars: readonly [string, unknown][] = [
    ["yes", true],
    ["On", true],
    ["y", true],
    ["n", false],
    ["off", false],
    ["nO", "nO"],
    ["~", null],
    ["", null],
    ["017", 15],
    ["0o17", 15],
    ["08", 8],
    ["0x1F", 31],
    ["-0b11", -3],
    ["1_000", 1000],
    ["+1", 1],
    ["9223372036854775807", 9223372036854775807n],
    ["1e3", 1000],
    [".5", 0.5],
    ["1e999", "1e999"],
    ["0xFFFFFFFFFFFFFFFF", 2 ** 64],
    ["0x10000000000000000", "0x10000000000000000"],
    ["18446744073709551616", 2 ** 64],
    ["9".repeat(400), "9".repeat(400)],
    ["12:30:45", "12:30:45"],
    ["2021-01-01", "2021-01-01"],
    ["2021-01-01T00:00:00Z", "2021-01-01T00:00:00Z"],
    ["1Gi", "1Gi"],
    ["'5'", "5"],
    ["!!str 5", "5"],
    ["!!int '7'", 7],
  ];
  for (const [text, value] of scalars) {
    test(`reads ${text || "nothing"} as ${JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}` : v))}`, () =>
      expect(decode(`a: ${text}`)).toEqual({ a: value }));
  }
  test("has strings for keys, even if they look like other types", () => {
    expect(decode("y: 1\nn: 2\n3: 4\n~: 5\n")).toEqual({ true: 1, false: 2, 3: 4, null: 5 });
  });
  test("may use anchors and merge keys", () => {
    expect(decode("a: &l {tier: web, env: qa}\nb:\n  <<: *l\n  env: prod\nc: *l\n")).toEqual({
      a: { tier: "web", env: "qa" },
      b: { tier: "web", env: "prod" },
      c: { tier: "web", env: "qa" },
    });
  });
  test("shares nothing between the uses of an anchor", () => {
    const { a, b } = decode("a: &x {k: v}\nb: *x\n") as Record<string, unknown>;
    expect(a).toEqual(b);
    expect(a).not.toBe(b);
  });
  test("lets the last of duplicate keys win", () => expect(decode("a: 1\na: 2\n")).toEqual({ a: 2 }));
  test("ends with its first document", () => {
    expect(decode("a: 1\n---\nb: 2\n")).toEqual({ a: 1 });
    expect(decode("a: 1\n---\n".repeat(1000))).toEqual({ a: 1 });
  });
  test("without content is null", () =>
    expect(["", "# nothing\n", "---\n", "null"].map(decode)).toEqual(Array(4).fill(null)));
  test("may be JSON", () => {
    expect(decode('{"a": 9223372036854775807, "b": "\\u00e4"}')).toEqual({ a: 9223372036854775807n, b: "ä" });
    expect(decode("{a: 1, b: [x, y]}")).toEqual({ a: 1, b: ["x", true] });
  });
  test("has __proto__ as a key like any other", () => {
    const value = decode("__proto__: {x: 1}\n") as Record<string, unknown>;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
  for (const text of [
    "a: b: c",
    "a:\n\tb: 1\n",
    "a: .nan",
    "a: .inf",
    "a: !thing b",
    "a: !!js/function 'x'",
    "a: !!binary aGk=",
    "a: !!timestamp 2021-01-01",
    "a: !!set {x}",
    "? {a: 1}\n: b\n",
    "a: *missing",
    "&a [*a]",
    "%YAML 9.9",
  ]) {
    test(`${JSON.stringify(text)} is refused`, () => expect(refusal(text)).toBe(400));
  }
});

describe("hostile YAML", () => {
  const levels = Array.from({ length: 9 }, (_, at) =>
    at === 0
      ? "a0: &a0 [x,x,x,x,x,x,x,x,x]"
      : `a${at}: &a${at} [${Array(9)
          .fill(`*a${at - 1}`)
          .join(",")}]`,
  );
  const cases: readonly { name: string; text: string; code: number | undefined }[] = [
    { name: "an alias bomb", text: levels.join("\n"), code: 400 },
    { name: "2 MB of brackets", text: "[".repeat(2_000_000), code: 413 },
    { name: "1 MB of brackets", text: "[".repeat(1_000_000), code: 413 },
    { name: "15 KB of brackets", text: "[".repeat(15_000), code: 400 },
    { name: "1 MB of an open quote", text: `"${"a".repeat(1_000_000)}`, code: 400 },
    { name: "too many aliases", text: `a: &a x\n${"- *a\n".repeat(yamlAliasesMax + 1)}`, code: 400 },
    { name: "deep blocks", text: Array.from({ length: 1200 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"), code: 400 },
    { name: "deep lists in one line", text: "- ".repeat(500_000), code: 400 },
    { name: "deep flow", text: "[".repeat(yamlNestingMax + 1) + "]".repeat(yamlNestingMax + 1), code: 400 },
    {
      name: "flow just deep enough",
      text: "[".repeat(yamlNestingMax - 1) + "]".repeat(yamlNestingMax - 1),
      code: undefined,
    },
    { name: "a body too large for YAML", text: `# ${"x".repeat(yamlBytesMax)}`, code: 413 },
    { name: "too many lines", text: "- 1\n".repeat(yamlPartsMax + 1), code: 413 },
    { name: "the maximum number of lines", text: "- 1\n".repeat(yamlPartsMax), code: undefined },
    { name: "too many items in one line", text: `a: [${"1,".repeat(yamlPartsMax)}1]`, code: 413 },
    { name: "JSON with too many parts", text: `{"a":[${"[],".repeat(partsMax)}[]]}`, code: 413 },
    { name: "a body too large for anything", text: `{"a":"${"x".repeat(bodyBytesMax)}"}`, code: 413 },
    { name: "a number of a million digits", text: `a: ${"1".repeat(1_000_000)}`, code: undefined },
    {
      name: "a large mapping merged often",
      text: `a: &a {${Array.from({ length: 500 }, (_, at) => `k${at}: 1`).join(", ")}}\n${Array.from({ length: 900 }, (_, at) => `b${at}: {<<: *a}`).join("\n")}`,
      code: 400,
    },
  ];
  for (const { name, text, code } of cases) {
    test(`${name}: ${code ?? "read"}, without delay`, () => {
      const spentMs = measureWork();
      expect(refusal(text)).toBe(code);
      expect(spentMs()).toBeLessThan(2000);
    });
  }
});

describe("a large body read in time slices", () => {
  const lines = Array.from({ length: yamlPartsMax }, (_, at) => [`k${at}`, `v${at}`] as const);
  const block = Buffer.from(lines.map(([key, value]) => `${key}: ${value}\n`).join(""));
  const json = Buffer.from(JSON.stringify(Object.fromEntries(lines)));
  for (const [form, bytes] of Object.entries({ block, json, mixed: Buffer.from(`{"a": &x [1, 2], "b": *x}`) })) {
    test(`has the same value as when it is read at once: ${form}`, async () => {
      expect(await decodeYamlAsync(bytes)).toEqual(decodeYaml(bytes));
    });
  }
  test("lets other work run in between", async () => {
    let served = false;
    setImmediate(() => {
      served = true;
    });
    await decodeYamlAsync(block);
    expect(served).toBe(true);
  });
  test("is refused in the same way", async () => {
    for (const text of ["[".repeat(300), "a: b: c", "- 1\n".repeat(yamlPartsMax + 1)]) {
      await expect(decodeYamlAsync(Buffer.from(text))).rejects.toMatchObject({ code: refusal(text) });
    }
  });
});

test("no text makes the reader throw anything but a refusal", () => {
  const piece = fc.constantFrom(
    "a",
    ": ",
    "\n",
    " ",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!!str ",
    "'",
    '"',
    "|\n",
    ">\n",
    "? ",
    "#",
    "---\n",
    "<<: ",
    "\t",
    "%",
    "1",
    "~",
    "\\",
    "\u0000",
    "\u0085",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => void refusal(pieces.join(""))),
    { numRuns: 500 },
  );
});

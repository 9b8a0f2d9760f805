import fc from "fast-check";
import protobufjs from "protobufjs";
import { describe, expect, test } from "vitest";
import { nestingMax, partsMax } from "../json/json-gate.ts";
import type { Fields } from "../schema/build.ts";
import {
  bool,
  bytes,
  double,
  duration,
  elided,
  int32,
  int64,
  intOrString,
  json,
  list,
  map,
  microTime,
  nullable,
  optional,
  quantity,
  string,
  struct,
  time,
} from "../schema/build.ts";
import type { Field, StructSchema } from "../schema/schema.ts";
import { StatusError } from "../status/status.ts";
import { decodeProtobuf, encodeProtobuf } from "./protobuf.ts";

const schemaOf = (field: Field): StructSchema => field.schema as StructSchema; // struct() makes struct schemas
const one = (fields: Fields) => schemaOf(struct("test.v1.One", fields));
const hex = (schema: StructSchema, object: Record<string, unknown>) => encodeProtobuf(schema, object).toString("hex");

describe("the bytes of a field", () => {
  const cases: readonly { why: string; field: Field; value?: unknown; bytes: string }[] = [
    { why: "a value is written even if it is empty", field: string().at(1), bytes: "0a00" },
    { why: "a value is written even if JSON omits it", field: elided(string()).at(1), bytes: "0a00" },
    { why: "a pointer is written if it is set", field: optional(string()).at(1), value: "", bytes: "0a00" },
    { why: "a pointer is not written if it is not set", field: optional(string()).at(1), bytes: "" },
    { why: "null counts as not set", field: nullable(int32()).at(1), value: null, bytes: "" },
    { why: "numbers above 15 take two bytes of tag", field: int32().at(16), value: 1, bytes: "800101" },
    { why: "texts are UTF-8", field: string().at(1), value: "aä", bytes: "0a0361c3a4" },
    { why: "negative integers take ten bytes", field: int32().at(1), value: -1, bytes: "08ffffffffffffffffff01" },
    { why: "integers are exact", field: int64().at(1), value: 2n ** 62n, bytes: "08808080808080808040" },
    { why: "large numbers are varints", field: int64().at(1), value: 2 ** 49 - 1, bytes: "08ffffffffffff7f" },
    { why: "true is one", field: bool().at(1), value: true, bytes: "0801" },
    { why: "doubles take eight bytes", field: double().at(1), value: 1.5, bytes: "09000000000000f83f" },
    { why: "bytes are bytes", field: bytes().at(1), value: "AQI=", bytes: "0a020102" },
    { why: "nil bytes are not written", field: bytes().at(1), value: null, bytes: "" },
    { why: "a quantity is a message", field: quantity().at(1), value: "1Gi", bytes: "0a050a03314769" },
    { why: "no quantity is zero", field: elided(quantity()).at(1), bytes: "0a030a0130" },
    { why: "a port by number", field: intOrString().at(1), value: 80, bytes: "0a06080010501a00" },
    { why: "a port by name", field: intOrString().at(1), value: "http", bytes: "0a0a080110001a0468747470" },
    { why: "a time has seconds", field: time().at(8), value: "1970-01-01T00:00:05Z", bytes: "420408051000" },
    { why: "the zero time is empty", field: time().at(8), value: null, bytes: "4200" },
    {
      why: "a micro time has microseconds",
      field: microTime().at(1),
      value: "1970-01-01T00:00:05.000001Z",
      bytes: "0a05080510e807",
    },
    { why: "a duration has nanoseconds", field: duration().at(1), value: "2us", bytes: "0a0308d00f" },
    { why: "raw JSON is carried as JSON", field: json().at(2), value: { a: 1 }, bytes: "12090a077b2261223a317d" },
    { why: "absent raw JSON is an empty message", field: json().at(2), bytes: "1200" },
    { why: "lists repeat the tag", field: list(int64()).at(1), value: [1, 2], bytes: "08010802" },
    { why: "an absent list is not written", field: list(string()).at(1), value: null, bytes: "" },
    {
      why: "a wrapped list is a message",
      field: list(string(), { wrapped: true }).at(4),
      value: ["a"],
      bytes: "22030a0161",
    },
    {
      why: "maps are sorted",
      field: map(string()).at(1),
      value: { b: "", a: "x" },
      bytes: "0a060a01611201780a050a01621200",
    },
    {
      why: "maps of lists wrap them",
      field: map(list(string(), { wrapped: true })).at(1),
      value: { a: ["x"] },
      bytes: "0a080a016112030a0178",
    },
    {
      why: "a struct is always written",
      field: elided(struct("t.v1.In", { a: string().at(1) })).at(3),
      bytes: "1a020a00",
    },
    {
      why: "a struct pointer is not written if it is not set",
      field: optional(struct("t.v1.In", { a: string().at(1) })).at(3),
      bytes: "",
    },
    { why: "a field without a number is not written", field: string(), value: "x", bytes: "" },
  ];
  for (const { why, field, value, bytes: expected } of cases) {
    test(`${why}: ${expected || "nothing"}`, () => {
      expect(hex(one({ field }), value === undefined ? {} : { field: value })).toBe(expected);
    });
  }
  test("fields come in the order of their numbers, not of their declaration", () => {
    expect(hex(one({ b: int32().at(2), a: int32().at(1) }), { a: 1, b: 2 })).toBe("08011002");
  });
  test("fields inside an embedded message are nested, although JSON shows them flat", () => {
    const schema = schemaOf(
      struct(
        "test.v1.Outer",
        { name: elided(string()).at(1, "reference"), key: string().at(2) },
        { inline: { reference: 1 } },
      ),
    );
    expect(hex(schema, { key: "k" })).toBe("0a020a0012016b");
    expect(hex(schema, { name: "n", key: "k" })).toBe("0a030a016e12016b");
    expect(decodeProtobuf(schema, Buffer.from("0a030a016e12016b", "hex"))).toEqual({ name: "n", key: "k" });
  });
});

const Tree: Field = struct("test.v1.Tree", () => ({
  name: string().at(1),
  children: elided(list(Tree)).at(2),
  data: elided(map(bytes())).at(3),
  more: optional(Tree).at(4),
  ports: elided(list(intOrString())).at(5),
  groups: elided(list(int64())).at(6),
  limits: elided(map(quantity())).at(7),
  started: elided(time()).at(8),
  renewed: optional(microTime()).at(9),
  raw: optional(json()).at(10),
  ratio: optional(double()).at(11),
  extra: elided(map(list(string(), { wrapped: true }))).at(12),
  on: elided(bool()).at(13),
  wait: optional(duration()).at(14),
  count: elided(int32()).at(15),
  labels: elided(map(string())).at(16),
}));
const tree = schemaOf(Tree);

const texts = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "ä😀"));
const leafFields = {
  name: texts,
  data: fc.dictionary(
    texts,
    fc.uint8Array().map((array) => Buffer.from(array).toString("base64")),
    { minKeys: 1 },
  ),
  ports: fc.array(fc.oneof(fc.integer(), texts), { minLength: 1 }),
  groups: fc.array(fc.maxSafeInteger(), { minLength: 1 }),
  limits: fc.dictionary(texts, fc.constantFrom("1", "500m", "1Gi"), { minKeys: 1 }),
  started: fc.constantFrom(null, "2021-01-02T03:04:05Z", "0999-01-01T00:00:00Z"),
  renewed: fc.constantFrom("2021-01-02T03:04:05.678901Z", "1969-01-01T00:00:00.000001Z"),
  raw: fc.dictionary(texts, fc.oneof(fc.integer(), texts, fc.array(fc.boolean()), fc.constant(null))),
  ratio: fc.double({ noNaN: true }),
  extra: fc.dictionary(texts, fc.array(texts), { minKeys: 1 }),
  on: fc.boolean(),
  wait: fc.constantFrom("1h0m0s", "1.5s", "-3ns"),
  count: fc.integer(),
  labels: fc.dictionary(texts, texts, { minKeys: 1 }),
};
const requiredKeys: ("name" | "on" | "count" | "started")[] = ["name", "on", "count", "started"];
const leaf = fc.record(leafFields, { requiredKeys });
const anyTree = fc.record(
  { ...leafFields, children: fc.array(leaf, { minLength: 1, maxLength: 2 }), more: leaf },
  { requiredKeys },
);

describe("every message", () => {
  test("is decoded to what was encoded", () => {
    fc.assert(
      fc.property(anyTree, (object) => {
        expect(decodeProtobuf(tree, encodeProtobuf(tree, object))).toEqual(object);
      }),
    );
  });

  test("is read in the same way by another implementation", () => {
    const { root } = protobufjs.parse(`syntax = "proto2";
      message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
      message Quantity { optional string string = 1; }
      message IntOrString { optional int64 type = 1; optional int32 intVal = 2; optional string strVal = 3; }
      message Raw { optional bytes raw = 1; }
      message Items { repeated string items = 1; }
      message Duration { optional int64 duration = 1; }
      message Tree {
        optional string name = 1; repeated Tree children = 2; map<string, bytes> data = 3; optional Tree more = 4;
        repeated IntOrString ports = 5; repeated int64 groups = 6 [packed = false]; map<string, Quantity> limits = 7;
        optional Time started = 8; optional Time renewed = 9; optional Raw raw = 10; optional double ratio = 11;
        map<string, Items> extra = 12; optional bool on = 13; optional Duration wait = 14; optional int32 count = 15;
        map<string, string> labels = 16;
      }`);
    const Other = root.lookupType("Tree");
    const object = {
      name: "root",
      children: [{ name: "leaf", started: null, on: false, count: -7 }],
      data: { b: "AQI=", a: "" },
      ports: [80, "http"],
      groups: [-1, 5],
      limits: { cpu: "500m" },
      started: "2021-01-02T03:04:05Z",
      renewed: "2021-01-02T03:04:05.678901Z",
      raw: { x: [1] },
      ratio: -0.25,
      extra: { scopes: ["a", "b"] },
      on: true,
      wait: "1.5s",
      count: 3,
      labels: { k: "ä" },
    };
    const encoded = encodeProtobuf(tree, object);
    const other = Other.toObject(Other.decode(encoded), { longs: Number, bytes: String });
    expect(other).toEqual({
      ...object,
      children: [{ name: "leaf", started: {}, on: false, count: -7 }],
      ports: [
        { type: 0, intVal: 80, strVal: "" },
        { type: 1, intVal: 0, strVal: "http" },
      ],
      limits: { cpu: { string: "500m" } },
      started: { seconds: 1609556645, nanos: 0 },
      renewed: { seconds: 1609556645, nanos: 678901000 },
      raw: { raw: Buffer.from('{"x":[1]}').toString("base64") },
      extra: { scopes: { items: ["a", "b"] } },
      wait: { duration: 1_500_000_000 },
    });
    expect(decodeProtobuf(tree, Other.encode(Other.fromObject(other)).finish())).toEqual(object);
  });
});

describe("messages of other encoders", () => {
  const decode = (schema: StructSchema, text: string) => decodeProtobuf(schema, Buffer.from(text, "hex"));
  const schema = one({
    a: elided(list(int64())).at(1),
    s: optional(struct("t.v1.In", { x: string().at(1), y: string().at(2) })).at(2),
  });

  test("unknown fields of every type are skipped", () => {
    expect(
      decode(schema, "f80105" + "f1010000000000000000" + "fa0101aa" + "f50100000000" + "fb0108051314fc01" + "0807"),
    ).toEqual({ a: [7] });
  });
  test("packed numbers are read", () => expect(decode(schema, "0a03010203")).toEqual({ a: [1, 2, 3] }));
  test("a message in two parts is merged", () =>
    expect(decode(schema, "12030a016112031201 62".replace(" ", ""))).toEqual({ s: { x: "a", y: "b" } }));
  test("a map entry without a key or value has zero values", () => {
    expect(decode(one({ m: map(string()).at(1), q: map(quantity()).at(2) }), "0a000a030a016112030a0163")).toEqual({
      m: { "": "", a: "" },
      q: { c: "0" },
    });
  });
});

describe("malformed messages", () => {
  function refusal(bytes: Uint8Array): number | undefined {
    try {
      decodeProtobuf(tree, bytes);
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) return error.code;
      throw error;
    }
  }
  const cases: readonly [string, string][] = [
    ["a truncated text", "0a0561"],
    ["a truncated tag", "80"],
    ["a varint without an end", `68${"ff".repeat(11)}`],
    ["a length beyond the end", "0affffffffffffffff7f"],
    ["field number zero", "0200"],
    ["another wire type", "0801"],
    ["no wire type", "0e00"],
    ["the end of a group that was not opened", "0c"],
    ["a group without an end", "fb7c"],
    ["a time out of range", "420b08ffffffffffffffff7f1000"],
    ["invalid raw JSON", "520312017b".replace("1201", "0a01")],
    ["an inner message longer than the outer", "12040a0a6162"],
  ];
  for (const [name, text] of cases)
    test(`${name} is refused`, () => expect(refusal(Buffer.from(text, "hex"))).toBe(400));

  test("nesting has a limit", () => {
    const nested = (depth: number) => {
      let bytes = Buffer.alloc(0);
      for (let level = 0; level < depth; level++) {
        const length = bytes.length;
        const varint = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
        bytes = Buffer.concat([Buffer.from([0x22, ...varint]), bytes]);
      }
      return bytes;
    };
    expect(refusal(nested(nestingMax))).toBeUndefined();
    expect(refusal(nested(nestingMax + 1))).toBe(400);
  });
  test("the number of parts has a limit", () => {
    expect(refusal(Buffer.from("1200".repeat(partsMax + 1), "hex"))).toBe(413);
    expect(refusal(Buffer.concat([Buffer.from("32ffff7f", "hex"), Buffer.alloc(2_097_151, 1)]))).toBe(413);
  });
  test("changed anywhere, a message gives a value or a refusal, nothing else", () => {
    fc.assert(
      fc.property(
        anyTree,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (object, changes, cut) => {
          const bytes = Buffer.from(encodeProtobuf(tree, object));
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          void refusal(bytes);
          void refusal(bytes.subarray(0, cut % bytes.length));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a message of very many fields has the same bytes as when its fields are written one by one", () => {
  const field = (at: number) => {
    if (at % 3 === 0) return elided(string()).at(at);
    return at % 3 === 1 ? optional(int32()).at(at) : int32().at(at);
  };
  const numbers = Array.from({ length: 60 }, (_, at) => at + 1);
  const structOf = (given: readonly number[]) =>
    struct("test.v1.Part", Object.fromEntries(given.map((at) => [`f${at}`, field(at)]))).schema as StructSchema;
  const whole = structOf(numbers);
  const halves = [structOf(numbers.slice(0, 30)), structOf(numbers.slice(30))];
  const objects: Record<string, unknown>[] = [
    {},
    { f1: 7 },
    { f60: "end", f3: "a", unknown: 1, f31: null, f2: 5 },
    Object.fromEntries(numbers.map((at) => [`f${at}`, at % 3 === 0 ? `t${at}` : at])),
  ];
  for (const object of objects) {
    const bytes = encodeProtobuf(whole, object);
    expect(bytes).toEqual(Buffer.concat(halves.map((half) => encodeProtobuf(half, object))));
  }
});

/** What JSON patches do to documents, and what hostile ones cost. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measureWork } from "../../base/processor-time.suite.ts";
import { StatusError } from "../status/status.ts";
import {
  applyJsonPatch,
  jsonPatchCopiedBytesMax,
  jsonPatchDepthMax,
  jsonPatchOperationsMax,
  jsonPatchPointerCharsMax,
  jsonPatchShiftedItemsMax,
  jsonPatchSteps,
} from "./json-patch.ts";

const deepFreeze = (value: unknown): unknown => {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(Object.freeze(value))) deepFreeze(part);
  return value;
};

const codeOf = (run: () => unknown): number | undefined => {
  try {
    run();
  } catch (problem) {
    if (problem instanceof StatusError) return problem.code;
    throw problem;
  }
  return undefined;
};

describe("operations", () => {
  const cases: { why: string; document: unknown; patch: unknown; result: unknown }[] = [
    {
      why: "add sets a member",
      document: { a: 1 },
      patch: [{ op: "add", path: "/b", value: 2 }],
      result: { a: 1, b: 2 },
    },
    { why: "add without a value adds null", document: {}, patch: [{ op: "add", path: "/a" }], result: { a: null } },
    {
      why: "add inserts before the index",
      document: [1, 2],
      patch: [{ op: "add", path: "/1", value: 9 }],
      result: [1, 9, 2],
    },
    { why: "add at the length appends", document: [1], patch: [{ op: "add", path: "/1", value: 2 }], result: [1, 2] },
    { why: "a dash appends", document: [1], patch: [{ op: "add", path: "/-", value: 2 }], result: [1, 2] },
    { why: "-1 adds behind the last", document: [1], patch: [{ op: "add", path: "/-1", value: 2 }], result: [1, 2] },
    {
      why: "remove deletes a member",
      document: { a: 1, b: 2 },
      patch: [{ op: "remove", path: "/a" }],
      result: { b: 2 },
    },
    { why: "-1 removes the last", document: [1, 2], patch: [{ op: "remove", path: "/-1" }], result: [1] },
    {
      why: "leading zeros do not matter",
      document: [1, 2],
      patch: [{ op: "replace", path: "/01", value: 3 }],
      result: [1, 3],
    },
    {
      why: "replace of a missing member adds",
      document: {},
      patch: [{ op: "replace", path: "/a", value: 1 }],
      result: { a: 1 },
    },
    {
      why: "move",
      document: { a: { b: 1 }, c: {} },
      patch: [{ op: "move", from: "/a/b", path: "/c/d" }],
      result: { a: {}, c: { d: 1 } },
    },
    {
      why: "copy",
      document: { a: { b: [1] } },
      patch: [
        { op: "copy", from: "/a", path: "/c" },
        { op: "add", path: "/c/b/-", value: 2 },
      ],
      result: { a: { b: [1] }, c: { b: [1, 2] } },
    },
    {
      why: "copy of a missing member copies null",
      document: {},
      patch: [{ op: "copy", from: "/x", path: "/c" }],
      result: { c: null },
    },
    {
      why: "test ignores the order of keys",
      document: { a: { x: 1, y: [2] } },
      patch: [{ op: "test", path: "/a", value: { y: [2], x: 1 } }],
      result: { a: { x: 1, y: [2] } },
    },
    { why: "a missing member equals null", document: {}, patch: [{ op: "test", path: "/a", value: null }], result: {} },
    {
      why: "~1 is a slash and ~0 a tilde",
      document: { "a/b": 1, "c~d": 2, "~1": 3 },
      patch: [
        { op: "remove", path: "/a~1b" },
        { op: "remove", path: "/c~0d" },
        { op: "test", path: "/~01", value: 3 },
      ],
      result: { "~1": 3 },
    },
    {
      why: "text before the first slash is ignored",
      document: {},
      patch: [{ op: "add", path: "x/a", value: 1 }],
      result: { a: 1 },
    },
    {
      why: "an empty segment is a member with an empty name",
      document: {},
      patch: [{ op: "add", path: "/", value: 1 }],
      result: { "": 1 },
    },
    { why: "null is an empty list of operations", document: { a: 1 }, patch: null, result: { a: 1 } },
  ];
  for (const { why, document, patch, result } of cases) {
    test(why, () => expect(applyJsonPatch(deepFreeze(document), deepFreeze(patch))).toEqual(result));
  }
});

describe("the document as a whole, since 1.23", () => {
  const whole = (document: unknown, patch: unknown) =>
    applyJsonPatch(deepFreeze(document), deepFreeze(patch), { takesWhole: true });

  test("is replaced by an object or a list, which later operations see", () => {
    const patch = [
      { op: "replace", path: "", value: { b: { c: 1 } } },
      { op: "add", path: "/b/d", value: 2 },
    ];
    expect(whole({ a: 1 }, patch)).toEqual({ b: { c: 1, d: 2 } });
    expect(whole({ a: 1 }, [{ op: "replace", path: "", value: [1] }])).toEqual([1]);
  });

  test("stays if the value is a scalar, null or absent", () => {
    for (const value of [1, "x", true, null, undefined])
      expect(whole({ a: 1 }, [{ op: "replace", path: "", value }])).toEqual({ a: 1 });
  });

  test("is compared by test", () => {
    expect(whole({ a: 1 }, [{ op: "test", path: "", value: { a: 1 } }])).toEqual({ a: 1 });
    expect(codeOf(() => whole({ a: 1 }, [{ op: "test", path: "", value: { a: 2 } }]))).toBe(422);
  });

  test("cannot be added, removed, moved or copied", () => {
    for (const operation of [
      { op: "add", path: "", value: {} },
      { op: "remove", path: "" },
      { op: "move", from: "/a", path: "" },
      { op: "copy", from: "", path: "/b" },
    ])
      expect(codeOf(() => whole({ a: { b: 1 } }, [operation]))).toBe(422);
  });
});

describe("refusals", () => {
  const document = deepFreeze({ list: [1, 2], text: "x", map: { a: 1 } });
  const cases: { why: string; patch: unknown; code: number }[] = [
    { why: "not a list", patch: {}, code: 400 },
    { why: "a list of texts", patch: ["remove"], code: 400 },
    { why: "an unknown operation", patch: [{ op: "ADD", path: "/a", value: 1 }], code: 422 },
    { why: "no operation", patch: [null], code: 422 },
    { why: "no path", patch: [{ op: "add", value: 1 }], code: 422 },
    { why: "a number as path", patch: [{ op: "add", path: 12345678901234567890n, value: 1 }], code: 422 },
    { why: "the whole document as path", patch: [{ op: "replace", path: "", value: {} }], code: 422 },
    { why: "no from", patch: [{ op: "move", path: "/a" }], code: 422 },
    { why: "removal of a missing member", patch: [{ op: "remove", path: "/map/b" }], code: 422 },
    { why: "below a text", patch: [{ op: "add", path: "/text/a", value: 1 }], code: 422 },
    { why: "below a missing member", patch: [{ op: "replace", path: "/none/a", value: 1 }], code: 422 },
    { why: "a dash names no item", patch: [{ op: "remove", path: "/list/-" }], code: 422 },
    { why: "a word is not an index", patch: [{ op: "add", path: "/list/first", value: 1 }], code: 422 },
    { why: "an index past the end", patch: [{ op: "add", path: "/list/3", value: 1 }], code: 422 },
    {
      why: "an index that would make a sparse list",
      patch: [{ op: "add", path: "/list/4294967294", value: 1 }],
      code: 422,
    },
    { why: "an index before the beginning", patch: [{ op: "remove", path: "/list/-3" }], code: 422 },
    { why: "an index of a hundred digits", patch: [{ op: "remove", path: `/list/${"0".repeat(100)}` }], code: 422 },
    { why: "a test that fails", patch: [{ op: "test", path: "/map", value: {} }], code: 422 },
    { why: "a move into its own child", patch: [{ op: "move", from: "/map", path: "/map/a/b" }], code: 422 },
  ];
  for (const { why, patch, code } of cases) {
    test(why, () => expect(codeOf(() => applyJsonPatch(document, patch))).toBe(code));
  }

  test("name the operation that failed and why, with empty details", () => {
    const run = () =>
      applyJsonPatch(document, [
        { op: "test", path: "/text", value: "x" },
        { op: "remove", path: "/none" },
      ]);
    expect(run).toThrow(/operation 1 .*remove \/none.*nothing to remove/);
    try {
      run();
    } catch (problem) {
      expect((problem as StatusError).toStatus()).toMatchObject({ reason: "Invalid", code: 422, details: {} });
    }
  });
});

describe("hostile patches", () => {
  test("the number of operations is bounded", () => {
    const operation = { op: "test", path: "/a", value: null };
    expect(applyJsonPatch({}, Array(jsonPatchOperationsMax).fill(operation))).toEqual({});
    expect(codeOf(() => applyJsonPatch({}, Array(jsonPatchOperationsMax + 1).fill(operation)))).toBe(413);
  });

  test("a pointer has a bounded length, so that its escapes cost nothing", () => {
    const path = `/${"~0".repeat(jsonPatchPointerCharsMax)}`;
    expect(codeOf(() => applyJsonPatch({}, [{ op: "add", path, value: 1 }]))).toBe(413);
    expect(codeOf(() => applyJsonPatch({}, [{ op: "copy", path: "/a", from: path }]))).toBe(413);
    const longest = `/${"x".repeat(jsonPatchPointerCharsMax - 1)}`;
    expect(applyJsonPatch({}, [{ op: "add", path: longest, value: 1 }])).toEqual({ [longest.slice(1)]: 1 });
  });

  test("copies that double the document end at the limit of copied bytes", () => {
    const patch: unknown[] = [{ op: "add", path: "/a", value: { x: "y".repeat(1024) } }];
    for (let i = 0; i < 40; i++) patch.push({ op: "copy", from: "/a", path: `/a/${i}` });
    expect(codeOf(() => applyJsonPatch({}, patch))).toBe(422);
    const fits = [
      { op: "add", path: "/a", value: "y".repeat(jsonPatchCopiedBytesMax - 2) },
      { op: "copy", from: "/a", path: "/b" },
    ];
    expect(Object.keys(applyJsonPatch({}, fits) as object)).toEqual(["a", "b"]);
    expect(codeOf(() => applyJsonPatch({}, [...fits, { op: "copy", from: "/b", path: "/c" }]))).toBe(422);
  });

  test("moves and copies cannot nest a document without end", () => {
    const moves: unknown[] = [];
    for (let i = 0; i < jsonPatchDepthMax; i++) {
      moves.push(
        { op: "add", path: `/n${i}`, value: { a: { a: {} } } },
        { op: "move", from: `/n${i - 1}`, path: `/n${i}/a/a/a` },
      );
    }
    expect(codeOf(() => applyJsonPatch({ "n-1": {} }, moves))).toBe(422);
    const copies = Array.from({ length: 30 }, () => ({ op: "copy", from: "/a", path: `/a${"/a".repeat(1)}` }));
    expect(codeOf(() => applyJsonPatch({ a: { a: {} } }, [...copies, { op: "test", path: "/b", value: 1 }]))).toBe(422);
  });

  test("insertions at the front of a huge list end at the limit of shifted items", () => {
    const length = jsonPatchShiftedItemsMax / 100;
    const patch = Array.from({ length: 200 }, () => ({ op: "add", path: "/0", value: 1 }));
    expect(codeOf(() => applyJsonPatch(Array(length).fill(0), patch))).toBe(413);
  });

  test("a thousand tests of a large value are compared, not printed", () => {
    const value = "x".repeat(1_000_000);
    const patch = Array.from({ length: 10_000 }, () => ({ op: "test", path: "/a", value }));
    const spentMs = measureWork();
    applyJsonPatch({ a: value }, patch);
    expect(spentMs()).toBeLessThan(5_000);
  });

  test("names of the prototype are members like any other", () => {
    const patch = [
      { op: "add", path: "/__proto__", value: { polluted: 1 } },
      { op: "add", path: "/constructor", value: {} },
      { op: "add", path: "/constructor/prototype", value: { polluted: 1 } },
    ];
    const result = applyJsonPatch({}, patch) as object;
    expect(Object.keys(result)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    for (const path of ["/__proto__/x", "/constructor/prototype/x", "/toString/x", "/map/__proto__/x"]) {
      expect(codeOf(() => applyJsonPatch({ map: {} }, [{ op: "add", path, value: 1 }]))).toBe(422);
    }
  });
});

const path = fc
  .array(fc.constantFrom("a", "b", "0", "1", "-", "-1", "01", "__proto__", "", "x"), { maxLength: 4 })
  .map((steps) => steps.map((step) => `/${step}`).join(""));
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
  path,
  from: path,
  value: written({ maxDepth: 2 }),
});

test("a patch never changes its input, and gives either JSON without holes or a 4xx", () => {
  fc.assert(
    fc.property(written({ maxDepth: 3 }), fc.array(operation, { maxLength: 8 }), (document, patch) => {
      const before = JSON.stringify(document);
      let result: unknown;
      try {
        result = applyJsonPatch(deepFreeze(document), deepFreeze(patch));
      } catch (problem) {
        expect(problem).toBeInstanceOf(StatusError);
        return;
      }
      expect(JSON.stringify(document)).toBe(before);
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    }),
  );
});

/** As JSON prints it: it has no -0. */
function written(constraints: fc.JsonSharedConstraints) {
  return fc.jsonValue(constraints).map((value): unknown => JSON.parse(JSON.stringify(value)));
}

test("other requests are served between two operations of a patch", () => {
  const operations = Array.from({ length: 5 }, () => ({ op: "test", path: "/a", value: { b: 1 } }));
  const steps = jsonPatchSteps({ a: { b: 1 } }, operations);
  let pauses = 0;
  while (!steps.next().done) pauses += 1;
  expect(pauses).toBeGreaterThanOrEqual(operations.length);
});

import { describe, expect, test } from "vitest";
import { levelOf, markedParts, plainLine } from "./log-lines.ts";
import { yamlLines } from "./yaml-lines.ts";
import { foldsOf, spansOf } from "./yaml-spans.ts";

describe("a line of a log", () => {
  test.each([
    ["level=error msg=x", "error"],
    ['{"level":"fatal"}', "error"],
    ["E0102 10:00:00 file.go:1] x", "error"],
    ["2026-01-01T00:00:00Z ERROR it broke", "error"],
    ["level=warn x", "warning"],
    ["no errors were found", "plain"],
  ])("%s is %s", (line, level) => expect(levelOf(line)).toBe(level));

  test("loses what a terminal would act on", () => {
    expect(plainLine("\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u0000b\u001b]8;;http://x\u001b\\link")).toBe(
      "red ablink",
    );
  });

  test("shows where a word is, in any case", () => {
    expect(markedParts("a Cart, a cart", "CART")).toEqual([
      { text: "a ", isFound: false },
      { text: "Cart", isFound: true },
      { text: ", a ", isFound: false },
      { text: "cart", isFound: true },
    ]);
    expect(markedParts("x", "")).toEqual([{ text: "x", isFound: false }]);
  });
});

describe("YAML", () => {
  const text = `# a comment
kind: Pod
spec:
  containers:
  - name: "a:b"
    args: [x]
    ready: true
  count: 3
status: {}`;

  test("has colours, and no letter is lost", () => {
    const lines = yamlLines(text);
    expect(
      lines
        .map((line) =>
          spansOf(line)
            .map((span) => span.text)
            .join(""),
        )
        .join("\n"),
    ).toBe(text);
    const kinds = lines.map((line) =>
      spansOf(line)
        .filter((span) => span.text.trim() !== "" && span.kind !== "plain")
        .map((span) => `${span.kind} ${span.text}`),
    );
    expect(kinds).toEqual([
      ["comment # a comment"],
      ["key kind", "text Pod"],
      ["key spec"],
      ["key containers"],
      ["key name", 'text "a:b"'],
      ["key args", "text [x]"],
      ["key ready", "value true"],
      ["key count", "value 3"],
      ["key status", "value {}"],
    ]);
  });

  test("folds what is inside a line, items without an indent too", () => {
    expect([...foldsOf(yamlLines(text))].sort((a, b) => a[0] - b[0])).toEqual([
      [2, 8],
      [3, 7],
      [4, 7],
    ]);
  });
});

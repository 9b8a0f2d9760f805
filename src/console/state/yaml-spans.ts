/** How lines of YAML are coloured, and which of them fold away below a line. */

import type { YamlLine } from "./yaml-lines.ts";

interface Span {
  readonly text: string;
  readonly kind: "key" | "text" | "value" | "comment" | "plain";
}

export function spansOf({ text, role, column }: Pick<YamlLine, "text" | "role" | "column">): readonly Span[] {
  if (role === "none") return [{ text, kind: text.trimStart().startsWith("#") ? "comment" : "plain" }];
  if (role !== "field")
    return [{ text: text.slice(0, column), kind: "plain" }, valueSpan(text.slice(column), role === "more")];
  const rest = text.slice(column);
  const key = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^:]|:(?!\s|$))+?(?=:(\s|$))/.exec(rest)?.[0] ?? "";
  const [before, after] = [text.slice(0, column), rest.slice(key.length)];
  const gap = /^:\s*/.exec(after)?.[0] ?? "";
  return [
    { text: before, kind: "plain" },
    { text: key, kind: "key" },
    { text: gap, kind: "plain" },
    valueSpan(after.slice(gap.length), false),
  ];
}

function valueSpan(text: string, isMore: boolean): Span {
  const plain = text.trim();
  const isValue = !isMore && /^(true|false|null|~|-?[\d.]+([eE][-+]?\d+)?|\{\}|\[\])$/.test(plain);
  return { text, kind: plain.startsWith("#") ? "comment" : isValue ? "value" : "text" };
}

/** For each line that has lines inside it, the first line after them. */
export function foldsOf(lines: readonly Pick<YamlLine, "text">[]): ReadonlyMap<number, number> {
  const folds = new Map<number, number>();
  const open: { readonly at: number; readonly indent: number; readonly isItem: boolean }[] = [];
  const close = (before: (one: (typeof open)[number]) => boolean, end: number) => {
    for (let last = open.at(-1); last !== undefined && before(last); last = open.at(-1)) {
      if (end > last.at + 1) folds.set(last.at, end);
      open.pop();
    }
  };
  let end = 0;
  for (const [at, { text }] of lines.entries()) {
    const indent = text.search(/\S/);
    if (indent < 0) continue;
    const isItem = text.startsWith("- ", indent) || text.slice(indent) === "-";
    // The items of a list may stand below its key without an indent.
    close((one) => one.indent > indent || (one.indent === indent && (one.isItem || !isItem)), end);
    open.push({ at, indent, isItem });
    end = at + 1;
  }
  close(() => true, end);
  return folds;
}

/** JSONPath templates of `-o jsonpath`: text with paths in braces, and `{range PATH}…{end}` around repeated parts. */

import { findByPath } from "../../machinery/json-path/evaluate.ts";
import { type JsonPath, PathError, parseJsonPath } from "../../machinery/json-path/parse.ts";
import { goJson } from "../go-json.ts";

type TemplateNode =
  | { readonly at: "text"; readonly text: string }
  | { readonly at: "path"; readonly path: JsonPath; readonly isRoot: boolean }
  | { readonly at: "range"; readonly path: JsonPath; readonly isRoot: boolean; readonly body: readonly TemplateNode[] };

/** Throws PathError. */
export function parsePathTemplate(template: string): readonly TemplateNode[] {
  const open: { nodes: TemplateNode[]; path: JsonPath; isRoot: boolean }[] = [{ nodes: [], path: [], isRoot: false }];
  const add = (node: TemplateNode) => open.at(-1)?.nodes.push(node);
  for (const part of partsOf(template)) {
    const word = part.isAction ? part.text.trim() : "";
    const range = /^range(?!\w)\s*(.*)$/s.exec(word)?.[1];
    if (!part.isAction) add({ at: "text", text: part.text });
    else if (word === "end") {
      const inner = open.length > 1 ? open.pop() : undefined;
      if (inner === undefined) throw new PathError("not in range, nothing to end");
      add({ at: "range", path: inner.path, isRoot: inner.isRoot, body: inner.nodes });
    } else if (range !== undefined) open.push({ nodes: [], ...pathOf(range) });
    else add({ at: "path", ...pathOf(word) });
  }
  if (open.length > 1) throw new PathError("unclosed range");
  return open[0]?.nodes ?? [];
}

const pathOf = (text: string) => ({ path: parseJsonPath(text), isRoot: text.startsWith("$") });

interface Part {
  readonly text: string;
  readonly isAction: boolean;
}

/** Braces within quotes do not end an action. */
function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < template.length; ) {
    const open = template.indexOf("{", at);
    if (open !== at) parts.push({ text: template.slice(at, open < 0 ? undefined : open), isAction: false });
    if (open < 0) break;
    const end = actionEnd(template, open + 1);
    parts.push({ text: template.slice(open + 1, end), isAction: true });
    at = end + 1;
  }
  return parts;
}

function actionEnd(template: string, begin: number): number {
  let quote = "";
  for (let at = begin; at < template.length; at++) {
    const char = template.charAt(at);
    if (char === "\\") at++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "}") return at;
  }
  if (quote !== "") throw new PathError("unterminated quoted string");
  parseJsonPath(template.slice(begin)); // throws the error inside, such as a bracket that is not closed
  throw new PathError("unclosed action");
}

interface TemplateOptions {
  readonly allowMissing: boolean;
  /** Print every result as one JSON list. */
  readonly asJson?: boolean;
}

/** Throws PathError. */
export function runJsonPath(nodes: readonly TemplateNode[], root: unknown, options: TemplateOptions): string {
  if (!options.asJson) return print(nodes, root, root, options);
  const results = nodes.flatMap((node) => (node.at === "path" ? find(node.path, root, options.allowMissing) : []));
  return `${JSON.stringify(results, null, 4)}\n`;
}

function print(nodes: readonly TemplateNode[], current: unknown, root: unknown, options: TemplateOptions): string {
  let text = "";
  for (const node of nodes) {
    if (node.at === "text") {
      text += node.text;
      continue;
    }
    const found = find(node.path, node.isRoot ? root : current, options.allowMissing);
    if (node.at === "path") text += found.map(shown).join(" ");
    else {
      // A range over one list iterates over its items.
      const [only] = found;
      for (const item of found.length === 1 && Array.isArray(only) ? only : found)
        text += print(node.body, item, root, options);
    }
  }
  return text;
}

/** All values at the path, in order. The user requested the output, so its size is not limited. */
export function find(path: JsonPath, value: unknown, allowMissing = true): readonly unknown[] {
  return findByPath(path, value, { isStrict: !allowMissing, visitsMax: Number.POSITIVE_INFINITY });
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "null" : goJson(value);
}

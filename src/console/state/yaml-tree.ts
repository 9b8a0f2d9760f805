/** The fields of a YAML text as a tree: to find the lines of a field that a server names, and to take a field out. */

import type { FieldPath, Step } from "../server/json.ts";
import { plainText, type YamlLine } from "./yaml-lines.ts";

export interface YamlNode {
  readonly path: FieldPath;
  /** The lines of the field with all that is in it: `from` up to, not including, `to`. */
  readonly from: number;
  to: number;
  /** "" if lines below have it. */
  readonly value: string;
  readonly parent: YamlNode | undefined;
  readonly children: Map<Step, YamlNode>;
}

/** The tree of one document: `lines` from `from` up to `to`. */
export function yamlTree(lines: readonly YamlLine[], from = 0, to = lines.length): YamlNode {
  const root: YamlNode = { path: [], from, to, value: "", parent: undefined, children: new Map() };
  for (let at = from; at < to; at++) {
    const line = lines[at];
    if (line === undefined || line.role === "none" || line.role === "typed") continue;
    let node = root;
    for (const [depth, step] of line.path.entries()) {
      const isLast = depth === line.path.length - 1;
      let next = node.children.get(step);
      if (next === undefined) {
        const path = line.path.slice(0, depth + 1);
        next = { path, from: at, to: at + 1, value: isLast ? line.value : "", parent: node, children: new Map() };
        node.children.set(step, next);
      }
      next.to = Math.max(next.to, at + 1);
      node = next;
    }
  }
  return root;
}

/**
 * The field that a server names: `spec.containers[0].image`, `.spec.containers[name="c"].image`, `data[key]`. If it is not there, the
 * nearest one around it.
 */
export function findNode(root: YamlNode, field: string): { readonly node: YamlNode; readonly isExact: boolean } {
  let [node, rest] = [root, field];
  while (rest !== "" && rest !== ".") {
    const found = stepInto(node, rest);
    if (found === undefined) return { node, isExact: false };
    [node, rest] = found;
  }
  return { node, isExact: true };
}

function stepInto(node: YamlNode, rest: string): [YamlNode, string] | undefined {
  if (rest.startsWith("[")) {
    const end = closingBracket(rest);
    const child = itemOf(node, rest.slice(1, end));
    return child === undefined ? undefined : [child, rest.slice(end + 1)];
  }
  const name = rest.startsWith(".") ? rest.slice(1) : rest;
  // Names may have dots themselves: the longest one that is there is meant.
  let best: [YamlNode, string] | undefined;
  for (const [step, child] of node.children) {
    if (typeof step !== "string" || !name.startsWith(step)) continue;
    const after = name.slice(step.length);
    if (!/^(|[.[].*)$/s.test(after)) continue;
    if (best === undefined || after.length < best[1].length) best = [child, after];
  }
  return best;
}

function closingBracket(text: string): number {
  let isQuoted = false;
  for (let at = 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === "]" && !isQuoted) return at;
  }
  return text.length;
}

/** `0`, `key`, `=value`, `name="c",port=80`. */
function itemOf(node: YamlNode, inside: string): YamlNode | undefined {
  if (/^\d+$/.test(inside)) return node.children.get(Number(inside)) ?? node.children.get(inside);
  if (node.children.has(inside)) return node.children.get(inside);
  const items = [...node.children.values()];
  if (inside.startsWith("=")) return items.find(({ value }) => plainText(value) === plainText(inside.slice(1)));
  const keys = [...inside.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  if (keys.length === 0) return undefined;
  return items.find((item) =>
    keys.every(([, key = "", value = ""]) => plainText(item.children.get(key)?.value ?? "") === plainText(value)),
  );
}

/** The text without a field, and without what has nothing left in it then. The root stays. */
export function withoutNode(lines: readonly YamlLine[], node: YamlNode): string {
  let taken = node;
  while (taken.parent?.parent !== undefined && taken.parent.children.size === 1) taken = taken.parent;
  const texts = lines.map(({ text }) => text);
  if (taken.parent === undefined) return texts.join("\n");
  const first = lines[taken.from];
  const next = lines[taken.to];
  // The first field of an item is behind its dash, which the next one takes over.
  const isBehindDash = typeof taken.path.at(-1) === "string" && first !== undefined && /^\s*-/.test(first.text);
  if (isBehindDash && next !== undefined && first.column === next.column)
    texts[taken.to] = first.text.slice(0, first.column) + next.text.slice(next.column);
  texts.splice(taken.from, taken.to - taken.from);
  return texts.join("\n");
}

/** The documents of a YAML or JSON text, and which objects they are. */

import { isJson, type Json, text } from "../server/json.ts";
import { plainText, type YamlLine, yamlLines } from "./yaml-lines.ts";
import { type YamlNode, yamlTree } from "./yaml-tree.ts";

export interface YamlDocument {
  /** Its lines in the whole text: `from` up to, not including, `to`. */
  readonly from: number;
  readonly to: number;
  readonly content: string;
  readonly tree: YamlNode;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** The kind that a definition makes: "example.org/Widget"; "": it is not a definition. */
  readonly defines: string;
}

/** More documents of one text are not read. */
const documentsMax = 200;

/** Those with something in them. */
export function documentsIn(whole: string, lines: readonly YamlLine[] = yamlLines(whole)): YamlDocument[] {
  const documents: YamlDocument[] = [];
  let from = 0;
  for (let at = 0; at <= lines.length && documents.length < documentsMax; at++) {
    if (at < lines.length && !isSeparator(lines[at])) continue;
    if (lines.slice(from, at).some(({ role }) => role !== "none")) documents.push(documentOf(lines, from, at));
    from = at + 1;
  }
  return documents;
}

const isSeparator = (line: YamlLine | undefined): boolean =>
  line?.role === "none" && /^(---|\.\.\.)(\s|$)/.test(line.text);

function documentOf(lines: readonly YamlLine[], from: number, to: number): YamlDocument {
  const tree = yamlTree(lines, from, to);
  const shown = lines.slice(from, to).map((line) => line.text);
  const content = `${shown.join("\n")}\n`;
  const json = content.trimStart().startsWith("{") ? parsed(content) : undefined;
  const value = (...path: readonly string[]): string => {
    if (json !== undefined) return text(json, ...path);
    let node: YamlNode | undefined = tree;
    for (const step of path) node = node?.children.get(step);
    return plainText((node?.value ?? "").replace(/\s+#.*$/, ""));
  };
  const kind = value("kind");
  const defined = () => `${value("spec", "group")}/${value("spec", "names", "kind")}`;
  return {
    from,
    to,
    content,
    tree,
    apiVersion: value("apiVersion"),
    kind,
    name: value("metadata", "name"),
    namespace: value("metadata", "namespace"),
    defines: kind === "CustomResourceDefinition" ? defined() : "",
  };
}

function parsed(content: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

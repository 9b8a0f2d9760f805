/** The fields of a YAML document as a form, by the schema of its kind, and the text with one of them changed. */

import { type FieldPath, type Json, text as textOf } from "../server/json.ts";
import type { SchemaField, Schemas } from "../server/schemas.ts";
import type { YamlDocument } from "./documents.ts";
import { plainText, type YamlLine } from "./yaml-lines.ts";
import { withoutNode, type YamlNode } from "./yaml-tree.ts";

export interface FormField {
  readonly path: FieldPath;
  readonly field: SchemaField;
  /** "": it is not set. */
  readonly value: string;
  /** False: the text has it in a form that only somebody who edits the text can change. */
  readonly isEditable: boolean;
  /** Whether digits are a number: not in every text. */
  readonly isNumber: boolean;
}

interface FormGroup {
  /** "spec.template.spec.containers[0]" */
  readonly title: string;
  readonly fields: readonly FormField[];
}

/** More are in the text. */
export const formFieldsMax = 80;
const depthMax = 8;
const leftOut: ReadonlySet<string> = new Set(["apiVersion", "kind", "status", "managedFields", "ownerReferences"]);
const scalars: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** Fields that are there, those that must be, and the plain ones of the first levels. */
export function formOf({ tree }: YamlDocument, schemas: Schemas, schema: Json): readonly FormGroup[] {
  const groups: FormGroup[] = [];
  let count = 0;
  const visit = (node: YamlNode | undefined, path: FieldPath): void => {
    const described = schemas.at(schema, path);
    if (described === undefined || path.length > depthMax) return;
    const fields: FormField[] = [];
    const inner: (() => void)[] = [];
    for (const field of schemas.fieldsOf(described)) {
      if (path.length <= 1 && leftOut.has(field.name)) continue;
      const child = node?.children.get(field.name);
      const at = [...path, field.name];
      if (scalars.has(field.type)) {
        const isWanted = child !== undefined || field.isRequired || (path.length === 1 && path[0] === "spec");
        if (isWanted && !isServers(at)) fields.push(fieldOf(child, at, field, schemas.at(schema, at)));
      } else if (child !== undefined && /^map\[string\](string|integer|boolean)$/.test(field.type)) {
        for (const [key, one] of child.children) {
          const entry: SchemaField = { ...field, name: `${field.name} ${key}`, type: "string", isRequired: false };
          fields.push(fieldOf(one, [...at, key], entry, schemas.at(schema, [...at, key])));
        }
      } else if (field.type === "[]object") {
        for (const [key, one] of child?.children ?? []) inner.push(() => visit(one, [...at, key]));
      } else if (field.type === "object" && (child !== undefined || field.isRequired)) {
        inner.push(() => visit(child, at));
      }
    }
    const shown = fields.slice(0, Math.max(0, formFieldsMax - count));
    count += shown.length;
    if (shown.length > 0) groups.push({ title: titleOf(path), fields: shown });
    for (const one of inner) one();
  };
  visit(tree, []);
  return groups;
}

const titleOf = (path: FieldPath): string =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${step}`)).join("");

/** What the server sets itself. */
const isServers = (path: FieldPath): boolean =>
  path[0] === "metadata" &&
  /^(uid|resourceVersion|generation|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|selfLink|clusterName|generateName)$/.test(
    String(path[1]),
  );

function fieldOf(node: YamlNode | undefined, path: FieldPath, field: SchemaField, schema: Json | undefined): FormField {
  const raw = node?.value ?? "";
  const isOpen = node !== undefined && (node.children.size > 0 || node.to > node.from + 1 || /^[|>[{&*!]/.test(raw));
  return {
    path,
    field,
    value: isOpen ? "" : plainText(raw.replace(/\s+#.*$/, "")),
    isEditable: !isOpen,
    isNumber: field.type !== "string" || textOf(schema ?? {}, "format") === "int-or-string",
  };
}

/** The text with this value; "": without the field. Undefined: the text around it is in a form that is only changed by hand. */
export function withField(
  lines: readonly YamlLine[],
  { tree, to }: Pick<YamlDocument, "tree" | "to">,
  { path, isNumber }: Pick<FormField, "path" | "isNumber">,
  value: string,
): string | undefined {
  let node = tree;
  let depth = 0;
  for (let next = node.children.get(path[0] ?? ""); next !== undefined; ) {
    node = next;
    depth += 1;
    next = depth < path.length ? node.children.get(path[depth] ?? "") : undefined;
  }
  const texts = lines.map(({ text }) => text);
  const scalar = scalarOf(value, isNumber);
  if (depth === path.length) {
    if (value === "") return withoutNode(lines, node);
    const line = texts[node.from] ?? "";
    texts[node.from] = `${withoutValue(line, node.value)} ${scalar}`;
    return texts.join("\n");
  }
  if (value === "" || path.slice(depth).some((step) => typeof step === "number")) return undefined;
  if (node.value !== "" && node.value !== "{}") return undefined;
  if (node.value === "{}") texts[node.from] = withoutValue(texts[node.from] ?? "", "{}");
  const column = columnInside(lines, node);
  const added = path.slice(depth).map((step, at, rest) => {
    const key = `${" ".repeat(column + 2 * at)}${keyOf(String(step))}:`;
    return at === rest.length - 1 ? `${key} ${scalar}` : key;
  });
  texts.splice(node === tree ? lastLine(lines, to) : node.to, 0, ...added);
  return texts.join("\n");
}

/** The line up to its colon, or its dash. */
const withoutValue = (line: string, value: string): string =>
  line
    .trimEnd()
    .slice(0, line.trimEnd().length - value.length)
    .trimEnd();

function columnInside(lines: readonly YamlLine[], node: YamlNode): number {
  const [first] = node.children.values();
  if (first !== undefined) return lines[first.from]?.column ?? 0;
  return node.parent === undefined ? 0 : (lines[node.from]?.column ?? 0) + 2;
}

function lastLine(lines: readonly YamlLine[], to: number): number {
  let at = to;
  while (at > 0 && lines[at - 1]?.text.trim() === "") at -= 1;
  return at;
}

const keyOf = (key: string): string => (/^[\w./-]+$/.test(key) ? key : JSON.stringify(key));

/** Quoted where it would be something else than a text. */
function scalarOf(value: string, isNumber: boolean): string {
  if (isNumber && /^(true|false|-?\d+(\.\d+)?)$/.test(value)) return value;
  const isPlain = /^[A-Za-z./][\w ./@:%+=,~-]*$/.test(value) && !/: |:$| $/.test(value);
  const isOther = /^(true|false|yes|no|on|off|null|y|n|\.inf|\.nan)$/i.test(value);
  return isPlain && !isOther ? value : JSON.stringify(value);
}

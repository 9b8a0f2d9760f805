/**
 * Reads the declarations of a source file as texts, without a compiler: a statement begins at the start of a line and goes on until the next
 * one does, which the formatter guarantees.
 */

import { posix } from "node:path";

export interface Declaration {
  readonly name: string;
  readonly file: string;
  /** The comment above it, as text; "": it has none. */
  readonly doc: string;
  /** What a reader needs to use it: a declaration without bodies. */
  readonly signature: string;
}

export interface SourceFile {
  /** The sentence that the file opens with. */
  readonly about: string;
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Where names of the file come from, whether it imports or exports them. `*`: everything of these files. */
  readonly origins: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  /** The names that it exports from elsewhere, in order, as users see them. */
  readonly reexports: readonly string[];
  /** Files whose exports are all exported. */
  readonly wholes: readonly string[];
  /** Files whose exports are members of one name: `export * as field`. */
  readonly spaces: ReadonlyMap<string, string>;
  readonly exported: readonly string[];
}

const declared =
  /^(export )?(?:declare |abstract |async )*(function\*?|const|interface|type|class) ([\w$]+)(?=[\s<(:=]|$)/;

export function readSource(file: string, text: string): SourceFile {
  const declarations = new Map<string, Declaration>();
  const origins = new Map<string, { file: string; name: string }>();
  const reexports: string[] = [];
  const wholes: string[] = [];
  const spaces = new Map<string, string>();
  const exported: string[] = [];
  const about = docText(/^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? "");
  let doc = "";
  for (const statement of statementsOf(text)) {
    if (statement.startsWith("/**")) {
      doc = statement;
      continue;
    }
    if (statement.startsWith("//")) continue; // a note to the linter may stand between a comment and its declaration
    const from = /^(import|export)[\s\S]*? from "(\.{1,2}\/[^"]+)"/.exec(statement);
    if (from !== null) {
      const target = posix.normalize(posix.join(posix.dirname(file), from[2] ?? ""));
      const isExport = from[1] === "export";
      if (/^export \* from/.test(statement)) wholes.push(target);
      const space = /^export \* as (\w+) from/.exec(statement)?.[1];
      if (space !== undefined) spaces.set(space, target);
      for (const { name, as } of namesIn(statement)) {
        origins.set(as, { file: target, name });
        if (isExport) reexports.push(as);
      }
    } else {
      const [, isExported, form = "", name = ""] = declared.exec(statement) ?? [];
      // Of several declarations of a name the first one says most: a value before its type, an overload before its body.
      if (name !== "" && !declarations.has(name)) {
        declarations.set(name, { name, file, doc: docText(doc), signature: signatureOf(form, name, statement) });
        if (isExported !== undefined) exported.push(name);
      }
    }
    doc = "";
  }
  return { about, declarations, origins, reexports, wholes, spaces, exported };
}

function* statementsOf(text: string): Iterable<string> {
  let lines: string[] = [];
  let isComment = false;
  for (const line of text.split("\n")) {
    const begins = !isComment && /^[\w/@]/.test(line);
    if (begins && lines.length > 0) {
      yield lines.join("\n").trimEnd();
      lines = [];
    }
    lines.push(line);
    if (begins && line.startsWith("/**")) isComment = true;
    if (isComment && line.includes("*/")) isComment = false;
  }
  if (lines.length > 0) yield lines.join("\n").trimEnd();
}

/** The names between braces: `{ type A, B as C }`. */
function namesIn(statement: string): { readonly name: string; readonly as: string }[] {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? "";
  return list
    .split(",")
    .map((part) => part.trim().replace(/^type /, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [name = "", as = name] = part.split(" as ");
      return { name, as };
    });
}

function docText(comment: string): string {
  return comment
    .replace(/^\/\*\*|\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function signatureOf(form: string, name: string, statement: string): string {
  const text = withoutInternal(statement)
    .replace(/^export /, "")
    .replace(/^(async |declare )+/, "");
  if (form === "class") return classSignature(text);
  if (form.startsWith("function")) return withoutBody(text);
  if (form === "const") return constSignature(name, text);
  return text.replaceAll(/^\s*\/\/ biome-ignore.*\n/gm, "");
}

/** The members that `@internal` keeps from the declarations of the package. */
const withoutInternal = (text: string): string =>
  text.replaceAll(/^ {2}\/\*\*(?:(?!\*\/)[\s\S])*@internal\s*\*\/\n {2}\S[\s\S]*?(?:;|^ {2}\})\n/gm, "");

/** An arrow function reads like any other; other values show their type, or the value if it is short. */
function constSignature(name: string, text: string): string {
  const typed = new RegExp(`^const ${name}: `).test(text);
  if (typed) {
    const type = text.slice(`const ${name}: `.length);
    return `const ${name}: ${type.slice(0, endOfType(type, "="))}`.trimEnd();
  }
  const value = text.slice(`const ${name} = `.length).replace(/^async /, "");
  if (/^[(<]/.test(value)) {
    const end = endOfType(value, "=>");
    if (end < value.length) return `function ${name}${value.slice(0, end).trimEnd()}`;
  }
  const isShown = value.endsWith("as const;") || /^[\w. *"-]+;$/.test(value);
  return isShown ? `const ${name} = ${value.slice(0, -1)}` : `const ${name}`;
}

/** Where the text ends that comes before `stop`, outside of all brackets. */
function endOfType(text: string, stop: "=" | "=>"): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const two = text.slice(at, at + 2);
    if (depth === 0 && stop === "=>" && two === "=>") return at;
    if (depth === 0 && stop === "=" && text[at] === "=" && two !== "=>") return at;
    if (two === "=>") at++;
    else depth += depthOf(text[at]);
  }
  return text.length;
}

const depthOf = (char = ""): number => ("({[<".includes(char) ? 1 : ")}]>".includes(char) ? -1 : 0);

/** The header of a function or method: everything before the brace that opens its body. */
function withoutBody(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith("=>", at)) {
      at++;
      continue;
    }
    // The brace of a type follows one of these; that of a body does not.
    if (text[at] === "{" && depth === 0 && !/(?:[:|&,<]|=>)$/.test(text.slice(0, at).trimEnd()))
      return text.slice(0, at).trimEnd();
    depth += depthOf(text[at]);
  }
  return text.replace(/;$/, "").trimEnd();
}

/** The public members, without bodies. */
function classSignature(text: string): string {
  const lines = text.split("\n");
  if (lines.length === 1) return text.replace(/\s*\{\s*\}$/, "");
  const members: string[] = [];
  let member: string[] = [];
  const end = () => {
    const whole = member.join("\n");
    member = [];
    const code = whole.replace(/^(\s*(\/\*\*[\s\S]*?\*\/|\/\/.*)\n)*/, "");
    if (code.trim() === "" || /^\s*(#|private |static #)/.test(code)) return;
    const comment = whole.slice(0, whole.length - code.length);
    const isField = /^\s*(readonly |static |declare )*[\w?]+!?(:| =)/.test(code);
    members.push(`${comment}${isField ? code.replace(/ = [\s\S]*;$/, ";") : `${withoutBody(code)};`}`);
  };
  for (const line of lines.slice(1, -1)) {
    const begins = /^ {2}[\w#/@[]/.test(line);
    const isComplete = member.some((one) => !/^\s*(\/\*\*|\*|\/\/)/.test(one) && one.trim() !== "");
    if (begins && isComplete) end();
    member.push(line);
  }
  end();
  return [lines[0], ...members.map((one) => one.replace(/^\n+/, "").trimEnd()), "}"].join("\n");
}

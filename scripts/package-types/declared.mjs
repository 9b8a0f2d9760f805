/**
 * Reads what the compiler declares of a source file, without a compiler: statements begin at the start of a line, and their words say what
 * they mention.
 */

import { posix } from "node:path";

/** The statements of `text`, the declarations of `file`. */
export function readDeclared(file, text) {
  const module = {
    /** The comment that the file opens with. */
    about: /^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? "",
    /** By name: { doc, tokens, words, imported }, several of overloads and of values that are types as well. */
    declared: new Map(),
    exported: new Set(),
    /** What names come from: { file, name } or { from, name } of a package; the name "*" is all of it. */
    imports: new Map(),
    exports: new Map(),
    /** Files of which everything is exported. */
    wholes: [],
  };
  let doc = "";
  for (const [at, statement] of [...statementsOf(text)].entries()) {
    if (statement.startsWith("/*")) {
      doc = at === 0 ? "" : statement;
      continue;
    }
    const from = /^(import|export)\b[\s\S]*? from "([^"]+)"/.exec(statement);
    if (from !== null && !/^export (declare|type \w)/.test(statement)) readFrom(module, file, statement, from);
    else if (statement.startsWith("export {")) {
      for (const { name, as } of namesIn(statement)) {
        if (name === as) module.exported.add(name);
        else module.exports.set(as, { file, name });
      }
    } else readDeclaration(module, file, statement, doc);
    doc = "";
  }
  return module;
}

function readFrom(module, file, statement, [, form, specifier]) {
  const into = form === "export" ? module.exports : module.imports;
  const source = specifier.startsWith(".") ? { file: targetOf(file, specifier) } : { from: specifier };
  const space = /^\w+ (?:type )?\* as (\w+)/.exec(statement)?.[1];
  if (space !== undefined) into.set(space, { ...source, name: "*" });
  else if (/^export (type )?\*/.test(statement)) module.wholes.push(source.file);
  else for (const { name, as } of namesIn(statement)) into.set(as, { ...source, name });
}

const targetOf = (file, specifier) => posix.join(posix.dirname(file), specifier).replace(/(\.d)?\.[jt]s$/, ".d.ts");

const declaration =
  /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|interface|type|class|namespace) ([\w$]+)/;

function readDeclaration(module, file, statement, doc) {
  const name = declaration.exec(statement)?.[1];
  if (name === undefined) throw new Error(`${file}: this statement is not known: ${statement}`);
  if (statement.startsWith("export ")) module.exported.add(name);
  const tokens = statement.replace(/^export /, "").match(token) ?? [];
  const list = module.declared.get(name) ?? [];
  module.declared.set(name, list);
  list.push({ doc, tokens, ...mentionedIn(tokens, file) });
}

function* statementsOf(text) {
  let lines = [];
  let isComment = false;
  for (const line of text.split("\n")) {
    const begins = !isComment && /^[\w/]/.test(line);
    if (begins && lines.length > 0) {
      yield `${lines.join("\n").trimEnd()}\n`;
      lines = [];
    }
    lines.push(line);
    if (begins && line.startsWith("/*")) isComment = true;
    if (isComment && line.includes("*/")) isComment = false;
  }
  if (lines.join("").trim() !== "") yield `${lines.join("\n").trimEnd()}\n`;
}

/** The names between braces: `{ type A, B as C }`. */
function namesIn(statement) {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? "";
  return list
    .split(",")
    .map((part) => part.trim().replace(/^type /, ""))
    .filter((part) => part !== "")
    .map((part) => {
      const [name, as = name] = part.split(" as ");
      return { name, as };
    });
}

/** Comments, texts, types of other files, words, numbers, blanks, and everything else one character each. */
const token =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|import\("[^"]+"\)\.[\w$]+|[A-Za-z_$#][\w$]*|\d[\w.]*|\s+|[\s\S]/g;

/** The words that may be names of declarations, and the types of other files by their whole text. */
function mentionedIn(tokens, file) {
  const words = new Set();
  const imported = new Map();
  for (const [at, text] of tokens.entries()) {
    const [, specifier, name] = /^import\("([^"]+)"\)\.([\w$]+)$/.exec(text) ?? [];
    if (specifier === undefined) {
      if (isMention(tokens, at)) words.add(text);
    } else if (specifier.startsWith(".")) imported.set(text, { file: targetOf(file, specifier), name });
  }
  return { words, imported };
}

/** Whether a token stands for a declaration, and does not name a member or a parameter. */
function isMention(tokens, at) {
  if (!/^[A-Za-z_$]/.test(tokens[at]) || tokens[at].startsWith("import(")) return false;
  const before = neighbour(tokens, at, -1);
  const after = neighbour(tokens, at, 1);
  if (before === "." && tokens[at - 2] !== ".") return false;
  // Values are mentioned by their type, as the name of a member, or by a class that extends them.
  if (!/^[A-Z]/.test(tokens[at])) return before === "typeof" || before === "[";
  const isFirst = [undefined, "{", ";", ",", "(", "readonly"].includes(before);
  return !(isFirst && (after === ":" || after === "?"));
}

function neighbour(tokens, at, step) {
  let next = at + step;
  while (tokens[next] !== undefined && /^(\s|\/\*|\/\/)/.test(tokens[next])) next += step;
  return tokens[next];
}

/** The text of a declaration of `name`. `words`: other words for what it mentions. */
export function printDeclared(tokens, name, words) {
  const declaredAt = tokens.indexOf(name);
  return tokens
    .map((text, at) => {
      const other = words.get(text);
      if (other === undefined) return text;
      return at === declaredAt || text.startsWith("import(") || isMention(tokens, at) ? other : text;
    })
    .join("");
}

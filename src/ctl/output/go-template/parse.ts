/** Parses Go templates, the language of `-o go-template`, into a tree. */

import { CtlError } from "../../errors.ts";
import { type TemplateToken, tokenize } from "./tokens.ts";

export type TemplateExpression =
  | { readonly at: "value"; readonly value: unknown }
  | { readonly at: "dot" }
  | { readonly at: "field"; readonly names: readonly string[] }
  | { readonly at: "variable"; readonly name: string; readonly names: readonly string[] }
  | { readonly at: "function"; readonly name: string }
  | { readonly at: "chain"; readonly of: TemplateExpression; readonly names: readonly string[] }
  | { readonly at: "pipeline"; readonly pipeline: Pipeline };

/** Commands separated by bars; each is a value or a function with its arguments. */
export interface Pipeline {
  readonly variables: readonly string[];
  readonly isAssignment: boolean;
  readonly commands: readonly (readonly TemplateExpression[])[];
}

export type GoTemplateNode =
  | { readonly at: "text"; readonly text: string }
  | { readonly at: "action"; readonly pipeline: Pipeline }
  | {
      readonly at: "if" | "with" | "range";
      readonly pipeline: Pipeline;
      readonly then: readonly GoTemplateNode[];
      readonly otherwise: readonly GoTemplateNode[];
    }
  | { readonly at: "template"; readonly name: string; readonly pipeline: Pipeline | undefined }
  | { readonly at: "break" | "continue" };

export interface ParsedTemplate {
  readonly nodes: readonly GoTemplateNode[];
  readonly defined: ReadonlyMap<string, readonly GoTemplateNode[]>;
}

export function parseTemplate(text: string): ParsedTemplate {
  return new Parser(tokenize(text)).whole();
}

class Parser {
  readonly #tokens: readonly TemplateToken[];
  readonly #defined = new Map<string, readonly GoTemplateNode[]>();
  #at = 0;

  constructor(tokens: readonly TemplateToken[]) {
    this.#tokens = tokens;
  }

  whole(): ParsedTemplate {
    const { nodes, end } = this.#list();
    if (end !== "eof") throw templateError(`unexpected {{${end}}}`);
    return { nodes, defined: this.#defined };
  }

  /** Nodes until {{end}}, {{else}} or the end of the text. */
  #list(): { nodes: GoTemplateNode[]; end: "end" | "else" | "eof" } {
    const nodes: GoTemplateNode[] = [];
    for (;;) {
      const token = this.#tokens[this.#at++];
      if (token === undefined) return { nodes, end: "eof" };
      if (token.kind === "text") {
        nodes.push({ at: "text", text: token.text });
        continue;
      }
      const first = this.#peek();
      switch (first?.kind === "word" ? first.text : "") {
        case "end":
          this.#at++;
          this.#close();
          return { nodes, end: "end" };
        case "else":
          this.#at++;
          return { nodes, end: "else" };
        case "if":
        case "with":
        case "range":
          nodes.push(this.#branch(this.#next().text as "if" | "with" | "range"));
          break;
        case "define":
          this.#define();
          break;
        case "block":
          nodes.push(this.#block());
          break;
        case "template":
          nodes.push(this.#template());
          break;
        case "break":
        case "continue":
          nodes.push({ at: this.#next().text as "break" | "continue" });
          this.#close();
          break;
        default:
          nodes.push({ at: "action", pipeline: this.#pipeline() });
          this.#close();
      }
    }
  }

  #branch(at: "if" | "with" | "range"): GoTemplateNode {
    const pipeline = this.#pipeline();
    this.#close();
    const { nodes: then, end } = this.#list();
    if (end === "eof") throw templateError("unexpected EOF");
    if (end === "end") return { at, pipeline, then, otherwise: [] };
    if (this.#peek()?.kind === "word" && this.#peek()?.text === "if") {
      this.#at++;
      return { at, pipeline, then, otherwise: [this.#branch("if")] };
    }
    this.#close();
    const rest = this.#list();
    if (rest.end !== "end") throw templateError(rest.end === "eof" ? "unexpected EOF" : "expected end; found {{else}}");
    return { at, pipeline, then, otherwise: rest.nodes };
  }

  #define(): void {
    this.#at++;
    const name = String(this.#next().value);
    this.#close();
    this.#defined.set(name, this.#body());
  }

  #block(): GoTemplateNode {
    this.#at++;
    const name = String(this.#next().value);
    const pipeline = this.#pipeline();
    this.#close();
    this.#defined.set(name, this.#body());
    return { at: "template", name, pipeline };
  }

  #body(): readonly GoTemplateNode[] {
    const { nodes, end } = this.#list();
    if (end !== "end") throw templateError("unexpected EOF");
    return nodes;
  }

  #template(): GoTemplateNode {
    this.#at++;
    const name = String(this.#next().value);
    const pipeline = this.#peek()?.kind === "close" ? undefined : this.#pipeline();
    this.#close();
    return { at: "template", name, pipeline };
  }

  #pipeline(): Pipeline {
    const variables: string[] = [];
    let isAssignment = false;
    const start = this.#at;
    while (this.#peek()?.kind === "variable") {
      variables.push(this.#next().text);
      if (this.#peek()?.text === ",") this.#at++;
    }
    const sign = this.#peek()?.text;
    if (variables.length > 0 && (sign === ":=" || sign === "=")) {
      isAssignment = sign === "=";
      this.#at++;
    } else {
      variables.length = 0;
      this.#at = start;
    }
    const commands: TemplateExpression[][] = [];
    do {
      commands.push(this.#command());
    } while (this.#skip("|"));
    return { variables, isAssignment, commands };
  }

  #command(): TemplateExpression[] {
    const parts: TemplateExpression[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === undefined || token.kind === "close" || token.text === "|" || token.text === ")") break;
      parts.push(this.#operand());
    }
    if (parts.length === 0) throw templateError("missing value for command");
    return parts;
  }

  #operand(): TemplateExpression {
    const token = this.#next();
    switch (token.kind) {
      case "value":
        return { at: "value", value: token.value };
      case "dot":
        return { at: "dot" };
      case "field":
        return { at: "field", names: this.#names(token.text) };
      case "variable":
        return { at: "variable", name: token.text, names: this.#names("") };
      case "word":
        if (token.text === "nil") return { at: "value", value: null };
        return { at: "function", name: token.text };
      default:
        if (token.text !== "(") throw templateError(`unexpected "${token.text}" in operand`);
        return this.#parenthesis();
    }
  }

  #parenthesis(): TemplateExpression {
    const pipeline = this.#pipeline();
    if (!this.#skip(")")) throw templateError("unclosed left paren");
    const of: TemplateExpression = { at: "pipeline", pipeline };
    const names = this.#names("");
    return names.length === 0 ? of : { at: "chain", of, names };
  }

  /** `.a.b` directly after the previous token. */
  #names(first: string): string[] {
    const names = first === "" ? [] : [first];
    for (let token = this.#peek(); token?.kind === "field" && token.isJoined; token = this.#peek()) {
      names.push(token.text);
      this.#at++;
    }
    return names;
  }

  #close(): void {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== "close") throw templateError(`unexpected "${token?.text ?? "EOF"}" in command`);
  }

  #skip(text: string): boolean {
    const token = this.#peek();
    if (token?.kind !== "sign" || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #peek(): TemplateToken | undefined {
    return this.#tokens[this.#at];
  }

  #next(): TemplateToken {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw templateError("unexpected EOF");
    return token;
  }
}

function templateError(reason: string): CtlError {
  return new CtlError(`error parsing template: template: output:1: ${reason}`);
}

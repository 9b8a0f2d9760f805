/** Parses JSONPath templates: text with expressions in braces, as `-o jsonpath` takes them. */

import { CtlError } from "../../errors.ts";

export type Step =
  | { readonly at: "field"; readonly name: string }
  | { readonly at: "wildcard" }
  | { readonly at: "recursive" }
  | {
      readonly at: "slice";
      readonly start?: number;
      readonly end?: number;
      readonly step?: number;
      readonly isIndex: boolean;
    }
  | { readonly at: "union"; readonly parts: readonly (readonly Step[])[] }
  | { readonly at: "filter"; readonly left: Operand; readonly operator: string; readonly right: Operand | undefined };

export type Operand =
  | { readonly value: string | number | boolean }
  | { readonly steps: readonly Step[]; readonly isRoot: boolean };

export type TemplateNode =
  | { readonly at: "text"; readonly text: string }
  | { readonly at: "path"; readonly steps: readonly Step[]; readonly isRoot: boolean }
  | {
      readonly at: "range";
      readonly path: readonly Step[];
      readonly isRoot: boolean;
      readonly body: readonly TemplateNode[];
    };

const nameChars = /[^\s.[\](){}'",?@$*=!<>~]/;

export function parseJsonPath(template: string): TemplateNode[] {
  return new Parser(template).template();
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  template(): TemplateNode[] {
    const nodes = this.#nodes(false);
    if (this.#at < this.#text.length) throw fail("not in range, nothing to end");
    return nodes;
  }

  #nodes(isInRange: boolean): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf("{", this.#at);
      const end = open < 0 ? this.#text.length : open;
      if (end > this.#at) nodes.push({ at: "text", text: this.#text.slice(this.#at, end) });
      this.#at = end;
      if (open < 0) break;
      const before = this.#at;
      this.#at++;
      this.#spaces();
      if (this.#word("end")) {
        this.#close();
        if (!isInRange) throw fail("not in range, nothing to end");
        return nodes;
      }
      if (this.#word("range")) {
        this.#spaces();
        const { steps, isRoot } = this.#path();
        this.#close();
        nodes.push({ at: "range", path: steps, isRoot, body: this.#nodes(true) });
        continue;
      }
      this.#at = before + 1;
      nodes.push(...this.#action());
    }
    if (isInRange) throw fail("unclosed range");
    return nodes;
  }

  #action(): TemplateNode[] {
    const nodes: TemplateNode[] = [];
    for (;;) {
      this.#spaces();
      const char = this.#peek();
      if (char === "") throw fail("unclosed action");
      if (char === "}") break;
      if (char === '"' || char === "'") nodes.push({ at: "text", text: this.#quoted() });
      else if (/[-+0-9]/.test(char)) nodes.push({ at: "text", text: String(this.#number()) });
      else nodes.push({ at: "path", ...this.#path() });
    }
    this.#at++;
    return nodes;
  }

  #close(): void {
    this.#spaces();
    if (this.#peek() !== "}") throw fail("unclosed action");
    this.#at++;
  }

  /** `.a.b[0]`, `$.a`, `@.a`, `..a`, `a.b`. */
  #path(): { steps: Step[]; isRoot: boolean } {
    const steps: Step[] = [];
    let isRoot = false;
    const start = this.#at;
    for (;;) {
      const char = this.#peek();
      if (char === "$" && this.#at === start) {
        isRoot = true;
        this.#at++;
      } else if (char === "@" && this.#at === start) this.#at++;
      else if (this.#text.startsWith("..", this.#at)) {
        this.#at += 2;
        steps.push({ at: "recursive" });
        if (this.#peek() === "*" || nameChars.test(this.#peek() || " ")) steps.push(this.#name());
      } else if (char === ".") {
        this.#at++;
        const next = this.#peek();
        if (next === "*" || next === "\\" || (next !== "" && nameChars.test(next))) steps.push(this.#name());
      } else if (char === "[") steps.push(this.#bracket());
      else if (char !== "" && this.#at === start && (nameChars.test(char) || char === "*")) steps.push(this.#name());
      else break;
    }
    if (this.#at === start) throw fail(`unrecognized character in action: U+${hex(this.#peek())} '${this.#peek()}'`);
    return { steps, isRoot };
  }

  #name(): Step {
    if (this.#peek() === "*") {
      this.#at++;
      return { at: "wildcard" };
    }
    let name = "";
    for (;;) {
      const char = this.#peek();
      if (char === "\\") {
        name += this.#text[this.#at + 1] ?? "";
        this.#at += 2;
      } else if (char !== "" && nameChars.test(char)) {
        name += char;
        this.#at++;
      } else return { at: "field", name };
    }
  }

  #bracket(): Step {
    this.#at++;
    this.#spaces();
    if (this.#peek() === "?") return this.#filter();
    if (this.#peek() === "*") {
      this.#at++;
      this.#closeBracket();
      return { at: "wildcard" };
    }
    const parts: Step[][] = [];
    for (;;) {
      this.#spaces();
      parts.push([this.#bracketPart()]);
      this.#spaces();
      const char = this.#peek();
      this.#at++;
      if (char === "]") break;
      if (char !== ",") throw fail("unterminated array");
    }
    const [only] = parts[0] ?? [];
    return parts.length === 1 && only !== undefined ? only : { at: "union", parts };
  }

  #bracketPart(): Step {
    const char = this.#peek();
    if (char === "'" || char === '"') return { at: "field", name: this.#quoted() };
    const match = /^(-?[0-9]+)?\s*(:\s*(-?[0-9]+)?\s*(:\s*(-?[0-9]+)?)?)?/.exec(this.#text.slice(this.#at));
    const whole = match?.[0] ?? "";
    if (whole === "") throw fail(`invalid array index ${this.#text.slice(this.#at).split("]")[0] ?? ""}`);
    this.#at += whole.length;
    const [, first, colon, second, , third] = match ?? [];
    const start = first === undefined ? undefined : Number(first);
    if (colon === undefined) return { at: "slice", ...(start === undefined ? {} : { start }), isIndex: true };
    return {
      at: "slice",
      ...(start === undefined ? {} : { start }),
      ...(second === undefined ? {} : { end: Number(second) }),
      ...(third === undefined ? {} : { step: Number(third) }),
      isIndex: false,
    };
  }

  #filter(): Step {
    this.#at++;
    if (this.#peek() !== "(") throw fail("unterminated filter");
    this.#at++;
    const left = this.#operand();
    this.#spaces();
    const operator = /^(==|!=|<=|>=|<|>|=~)/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    if (operator === "=~") throw fail("unrecognized filter operator =~: regular expressions are not supported");
    this.#at += operator.length;
    const right = operator === "" ? undefined : this.#operand();
    this.#spaces();
    if (this.#peek() !== ")") throw fail("unterminated filter");
    this.#at++;
    this.#closeBracket();
    return { at: "filter", left, operator: operator || "exists", right };
  }

  #operand(): Operand {
    this.#spaces();
    const char = this.#peek();
    if (char === "'" || char === '"') return { value: this.#quoted() };
    if (/[-+0-9]/.test(char)) return { value: this.#number() };
    if (this.#word("true")) return { value: true };
    if (this.#word("false")) return { value: false };
    return this.#path();
  }

  #closeBracket(): void {
    this.#spaces();
    if (this.#peek() !== "]") throw fail("unterminated array");
    this.#at++;
  }

  #quoted(): string {
    const quote = this.#peek();
    let value = "";
    for (this.#at++; ; this.#at++) {
      const char = this.#peek();
      if (char === "") throw fail("unterminated quoted string");
      if (char === quote) break;
      if (char !== "\\") value += char;
      else {
        this.#at++;
        value += escapes[this.#peek()] ?? this.#peek();
      }
    }
    this.#at++;
    return value;
  }

  #number(): number {
    const match = /^[-+]?[0-9]*\.?[0-9]+/.exec(this.#text.slice(this.#at));
    if (match === null) throw fail("invalid number");
    this.#at += match[0].length;
    return Number(match[0]);
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at) || nameChars.test(this.#text[this.#at + word.length] ?? " "))
      return false;
    this.#at += word.length;
    return true;
  }

  #spaces(): void {
    while (/\s/.test(this.#peek())) this.#at++;
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function hex(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

function fail(reason: string): CtlError {
  return new CtlError(reason);
}

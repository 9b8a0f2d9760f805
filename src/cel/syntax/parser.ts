/** Reads the text of an expression into a syntax tree. Recursion is bounded, so any text is safe. */

import { isSince, type Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import { hasPart } from "../language.ts";
import { expressionCharsMax, nestingMax } from "../limits.ts";
import type { Problem } from "../problems.ts";
import { int64Max } from "../values/values.ts";
import type { Expression, Literal, MapEntry, StructField } from "./ast.ts";
import { type Token, tokenize } from "./lexer.ts";
import { type MacroDeclaration, macros } from "./macros.ts";
import { Nodes } from "./nodes.ts";
import { reservedWords } from "./reserved-words.ts";
import { SyntaxProblem } from "./syntax-problem.ts";

/** Macros and literals are those of the release. */
export function* parse(text: string, release: Release): Steps<Expression | Problem> {
  if (text.length > expressionCharsMax)
    return { offset: 0, message: `an expression may have at most ${expressionCharsMax} characters` };
  try {
    const tokens = yield* tokenize(text, hasPart(release, "strictCodePoints"));
    yield;
    return new Parser(tokens, ({ since }) => isSince(release, since)).parse();
  } catch (error) {
    if (error instanceof SyntaxProblem) return { offset: error.offset, message: error.message };
    throw error;
  }
}

const relations: ReadonlyMap<string, string> = new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">", "_>_"],
  [">=", "_>=_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"],
]);
const sums: ReadonlyMap<string, string> = new Map([
  ["+", "_+_"],
  ["-", "_-_"],
]);
const products: ReadonlyMap<string, string> = new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"],
]);

class Parser {
  readonly #tokens: readonly Token[];
  readonly #hasMacro: (macro: MacroDeclaration) => boolean;
  readonly #nodes = new Nodes();
  #at = 0;
  #nesting = 0;
  /** How deep the expression that was read last is, as the reference counts it. */
  #depth = 0;
  /** Comparisons and calculations that have begun and not ended. */
  readonly #begun = { relations: 0, calculations: 0 };

  constructor(tokens: readonly Token[], hasMacro: (macro: MacroDeclaration) => boolean) {
    this.#tokens = tokens;
    this.#hasMacro = hasMacro;
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#next.kind !== "end") throw this.#unexpected();
    return expression;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  #take(): Token {
    return this.#tokens[this.#at++]!;
  }

  #isNext(text: string): boolean {
    const { kind, text: found } = this.#next;
    return (kind === "operator" || kind === "keyword") && found === text;
  }

  #takeIf(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): Token {
    if (!this.#isNext(text)) throw this.#unexpected(`expecting '${text}'`);
    return this.#take();
  }

  #unexpected(more = ""): SyntaxProblem {
    const { kind, text, offset } = this.#next;
    const found =
      kind === "end" ? "the end of the expression" : `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`;
    return new SyntaxProblem(offset, `unexpected ${found}${more === "" ? "" : `, ${more}`}`);
  }

  #expression(): Expression {
    if (++this.#nesting > nestingMax)
      throw new SyntaxProblem(this.#next.offset, `an expression may be nested at most ${nestingMax} times`);
    const condition = this.#logical("||", "_||_", () => this.#logical("&&", "_&&_", () => this.#relation()));
    let result = condition;
    if (this.#isNext("?")) {
      const { offset } = this.#take();
      const conditionDepth = this.#depth;
      const yes = this.#logical("||", "_||_", () => this.#logical("&&", "_&&_", () => this.#relation()));
      const yesDepth = this.#depth;
      this.#expect(":");
      result = this.#nodes.call(offset, "_?_:_", [condition, yes, this.#expression()]);
      this.#deepen(offset, Math.max(conditionDepth, yesDepth));
    }
    this.#nesting--;
    return result;
  }

  /** The expression read last is part of another one, beside parts of this depth. */
  #deepen(offset: number, beside: number): void {
    this.#depth = 1 + Math.max(this.#depth, beside);
    if (this.#depth > nestingMax)
      throw new SyntaxProblem(offset, `an expression may have at most ${nestingMax} operators within each other`);
  }

  /** Reads inside a comparison or calculation, of which the reference's grammar has one more than there are operators. */
  #inside<T>(rule: "relations" | "calculations", read: () => T): T {
    if (++this.#begun[rule] > nestingMax)
      throw new SyntaxProblem(
        this.#next.offset,
        `an expression may have at most ${nestingMax} ${rule} within each other`,
      );
    const result = read();
    this.#begun[rule]--;
    return result;
  }

  /** A long chain becomes a balanced tree. */
  #logical(operator: string, name: string, operand: () => Expression): Expression {
    const terms = [operand()];
    const offsets: number[] = [];
    let depth = this.#depth;
    while (this.#isNext(operator)) {
      offsets.push(this.#take().offset);
      terms.push(operand());
      depth = Math.max(depth, this.#depth);
    }
    this.#depth = depth;
    const build = (from: number, to: number): Expression => {
      if (from === to) return terms[from]!;
      const middle = (from + to) >> 1;
      return this.#nodes.call(offsets[middle]!, name, [build(from, middle), build(middle + 1, to)]);
    };
    return build(0, terms.length - 1);
  }

  #relation(): Expression {
    return this.#inside("relations", () => this.#binary(relations, "relations", () => this.#calculation()));
  }

  #calculation(): Expression {
    const product = () => this.#binary(products, "calculations", () => this.#unary());
    return this.#inside("calculations", () => this.#binary(sums, "calculations", product));
  }

  #binary(
    operators: ReadonlyMap<string, string>,
    rule: "relations" | "calculations",
    operand: () => Expression,
  ): Expression {
    let left = operand();
    for (;;) {
      const { kind, text, offset } = this.#next;
      const name = kind === "operator" || kind === "keyword" ? operators.get(text) : undefined;
      if (name === undefined) return left;
      this.#at++;
      const depth = this.#depth;
      left = this.#nodes.call(offset, name, [left, this.#inside(rule, operand)]);
      this.#deepen(offset, depth);
    }
  }

  #unary(): Expression {
    const { offset } = this.#next;
    for (const [operator, name] of [
      ["!", "!_"],
      ["-", "-_"],
    ] as const) {
      if (!this.#isNext(operator) || (operator === "-" && this.#isNegativeLiteral())) continue;
      let times = 0;
      while (this.#isNext(operator)) {
        this.#at++;
        times++;
      }
      const operand = this.#member();
      return times % 2 === 0 ? operand : this.#nodes.call(offset, name, [operand]);
    }
    return this.#member();
  }

  #isNegativeLiteral(): boolean {
    const value = this.#tokens[this.#at + 1]?.value;
    return this.#isNext("-") && (typeof value === "bigint" || typeof value === "number");
  }

  #member(): Expression {
    let operand = this.#primary();
    for (;;) {
      const { offset } = this.#next;
      const depth = this.#depth;
      if (this.#takeIf(".")) {
        const isOptional = this.#takeIf("?");
        const isQuoted = this.#next.kind === "quoted";
        const name = this.#fieldName();
        if (!isOptional && !isQuoted && this.#isNext("(")) operand = this.#call(name, operand, this.#take().offset);
        else operand = this.#nodes.select(offset, operand, name, isOptional ? "optional" : "value");
        this.#deepen(offset, depth);
      } else if (this.#takeIf("[")) {
        const isOptional = this.#takeIf("?");
        const index = this.#expression();
        this.#expect("]");
        operand = this.#nodes.call(offset, isOptional ? "_[?_]" : "_[_]", [operand, index]);
        this.#deepen(offset, depth);
      } else if (this.#isNext("{") && structName(operand) !== undefined) {
        this.#take();
        operand = this.#nodes.struct(offset, structName(operand)!, this.#structFields());
      } else return operand;
    }
  }

  #fieldName(): string {
    const { kind } = this.#next;
    if (kind === "quoted") return this.#take().text.slice(1, -1);
    if (kind !== "identifier") throw this.#unexpected("expecting the name of a field");
    return this.#take().text;
  }

  #primary(): Expression {
    const { kind, text, offset, value } = this.#next;
    this.#depth = 0;
    // A single minus belongs to the number that follows it; of several all are operators.
    if (this.#isNegativeLiteral()) {
      this.#at++;
      return this.#literal(offset, this.#take().value!, true);
    }
    if (kind === "literal") {
      this.#at++;
      return this.#literal(offset, value!, false);
    }
    if (kind === "identifier") {
      this.#at++;
      return this.#identifier(text, offset);
    }
    if (this.#takeIf("(")) {
      const inner = this.#expression();
      this.#expect(")");
      return inner;
    }
    if (this.#takeIf("[")) return this.#list(offset);
    if (this.#takeIf("{")) return this.#map(offset);
    if (this.#isNext(".") && this.#tokens[this.#at + 1]?.kind === "identifier") {
      this.#at++;
      return this.#identifier(`.${this.#take().text}`, offset);
    }
    throw this.#unexpected();
  }

  #literal(offset: number, value: Literal, isNegative: boolean): Expression {
    if (typeof value === "number" && isNegative) return this.#nodes.literal(offset, -value);
    if (typeof value !== "bigint") return this.#nodes.literal(offset, value);
    if (value > int64Max && !isNegative) throw new SyntaxProblem(offset, "invalid int literal");
    return this.#nodes.literal(offset, isNegative ? -value : value);
  }

  #identifier(name: string, offset: number): Expression {
    if (this.#isNext("(")) return this.#call(name, undefined, this.#take().offset);
    if (reservedWords.has(name)) throw new SyntaxProblem(offset, `reserved identifier: ${name}`);
    return this.#nodes.identifier(offset, name);
  }

  /** The opening bracket has been read; a call is reported there. */
  #call(name: string, target: Expression | undefined, offset: number): Expression {
    const args = this.#items(")", () => this.#expression());
    if (target === undefined && name === "has" && args.length === 1) return this.#has(args[0]!);
    const macro =
      target === undefined
        ? undefined
        : macros.find((one) => one.name === name && one.args === args.length && this.#hasMacro(one));
    if (macro !== undefined) return macro.expand({ nodes: this.#nodes, offset, target: target!, args });
    return this.#nodes.call(offset, name, args, target);
  }

  #has(argument: Expression): Expression {
    if (argument.kind !== "select" || argument.mode !== "value")
      throw new SyntaxProblem(argument.offset, "invalid argument to has() macro");
    return this.#nodes.select(argument.offset, argument.operand, argument.field, "test");
  }

  #list(offset: number): Expression {
    const optionals = new Set<number>();
    let count = 0;
    const items = this.#items("]", () => {
      if (this.#takeIf("?")) optionals.add(count);
      count++;
      return this.#expression();
    });
    return this.#nodes.list(offset, items, optionals);
  }

  #map(offset: number): Expression {
    const entries = this.#items("}", (): MapEntry => {
      const isOptional = this.#takeIf("?");
      const key = this.#expression();
      const keyDepth = this.#depth;
      this.#expect(":");
      const value = this.#expression();
      this.#depth = Math.max(this.#depth, keyDepth);
      return { key, value, isOptional };
    });
    return this.#nodes.map(offset, entries);
  }

  #structFields(): StructField[] {
    return this.#items("}", () => {
      const isOptional = this.#takeIf("?");
      const { offset } = this.#next;
      const name = this.#fieldName();
      this.#expect(":");
      return { name, offset, value: this.#expression(), isOptional };
    });
  }

  /** Up to the closing bracket. A comma may follow the last item, except the last argument of a call. */
  #items<T>(close: string, read: () => T): T[] {
    const items: T[] = [];
    let depth = 0;
    this.#depth = 0;
    while (!this.#takeIf(close)) {
      items.push(read());
      depth = Math.max(depth, this.#depth);
      this.#depth = depth;
      if (this.#takeIf(close)) break;
      this.#expect(",");
      if (close === ")" && this.#isNext(close)) throw this.#unexpected();
    }
    return items;
  }
}

function structName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.mode !== "value") return undefined;
  const prefix = structName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}

/** Makes the nodes of a syntax tree, and counts them. */

import { treeDepthMax, treeNodesMax } from "../limits.ts";
import type {
  CallExpression,
  ComprehensionExpression,
  Expression,
  IdentifierExpression,
  Literal,
  LiteralExpression,
  MapEntry,
  SelectExpression,
  StructField,
} from "./ast.ts";
import { SyntaxProblem } from "./syntax-problem.ts";

const noOptionals: ReadonlySet<number> = new Set();

export class Nodes {
  #count = 0;

  literal(offset: number, value: Literal): LiteralExpression {
    return { kind: "literal", value, offset, depth: this.#grow(offset, []) };
  }

  identifier(offset: number, name: string): IdentifierExpression {
    return { kind: "identifier", name, offset, depth: this.#grow(offset, []) };
  }

  select(offset: number, operand: Expression, field: string, mode: SelectExpression["mode"]): SelectExpression {
    return { kind: "select", operand, field, mode, offset, depth: this.#grow(offset, [operand]) };
  }

  call(offset: number, name: string, args: readonly Expression[], target?: Expression): CallExpression {
    const depth = this.#grow(offset, target === undefined ? args : [target, ...args]);
    return { kind: "call", name, target, args, offset, depth };
  }

  list(offset: number, items: readonly Expression[], optionals: ReadonlySet<number> = noOptionals): Expression {
    return { kind: "list", items, optionals, offset, depth: this.#grow(offset, items) };
  }

  map(offset: number, entries: readonly MapEntry[]): Expression {
    const depth = this.#grow(
      offset,
      entries.flatMap(({ key, value }) => [key, value]),
    );
    return { kind: "map", entries, offset, depth };
  }

  struct(offset: number, name: string, fields: readonly StructField[]): Expression {
    const depth = this.#grow(
      offset,
      fields.map(({ value }) => value),
    );
    return { kind: "struct", name, fields, offset, depth };
  }

  comprehension(offset: number, parts: Omit<ComprehensionExpression, "kind" | "offset" | "depth">): Expression {
    const { range, initial, condition, step, result } = parts;
    const depth = this.#grow(offset, [range, initial, condition, step, result]);
    return { kind: "comprehension", ...parts, offset, depth };
  }

  #grow(offset: number, children: readonly Expression[]): number {
    if (++this.#count > treeNodesMax)
      throw new SyntaxProblem(offset, `an expression may have at most ${treeNodesMax} parts`);
    let depth = 1;
    for (const child of children) if (child.depth >= depth) depth = child.depth + 1;
    if (depth > treeDepthMax) throw new SyntaxProblem(offset, `an expression may have at most ${treeDepthMax} levels`);
    return depth;
  }
}

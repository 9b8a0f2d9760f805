/** Macros: calls whose arguments are not evaluated before the call, such as the body of a loop. */

import type { Release } from "../../base/release.ts";
import { accumulatorName, type ComprehensionExpression, type Expression, type Macro } from "./ast.ts";
import type { Nodes } from "./nodes.ts";
import { SyntaxProblem } from "./syntax-problem.ts";

export interface MacroDeclaration {
  readonly name: string;
  readonly args: number;
  /** The first release of the server that has it. */
  readonly since: Release;
  expand(call: MacroCall): Expression;
}

interface MacroCall {
  readonly nodes: Nodes;
  readonly offset: number;
  readonly target: Expression;
  readonly args: readonly Expression[];
}

/** Those that are called on a target. `has` is part of the grammar. */
export const macros: readonly MacroDeclaration[] = [
  loop("all", 2, "1.23", ({ body: [filter] }) => ({ filter })),
  loop("exists", 2, "1.23", ({ body: [filter] }) => ({ filter })),
  loop("exists_one", 2, "1.23", ({ body: [filter] }) => ({ filter })),
  loop("map", 2, "1.23", ({ body: [transform] }) => ({ transform })),
  loop("map", 3, "1.23", ({ body: [filter, transform] }) => ({ filter, transform })),
  loop("filter", 2, "1.23", ({ body: [filter], variable }) => ({ filter, transform: variable })),
  loop("all", 3, "1.32", ({ body: [filter] }) => ({ filter })),
  loop("exists", 3, "1.32", ({ body: [filter] }) => ({ filter })),
  loop("exists_one", 3, "1.33", ({ body: [filter] }) => ({ filter })),
  { ...loop("exists_one", 3, "1.32", ({ body: [filter] }) => ({ filter })), name: "existsOne" },
  loop("transformList", 3, "1.32", ({ body: [transform] }) => ({ transform })),
  loop("transformList", 4, "1.32", ({ body: [filter, transform] }) => ({ filter, transform })),
  loop("transformMap", 3, "1.32", ({ body: [transform] }) => ({ transform })),
  loop("transformMap", 4, "1.32", ({ body: [filter, transform] }) => ({ filter, transform })),
  loop("transformMapEntry", 3, "1.32", ({ body: [transform] }) => ({ transform })),
  loop("transformMapEntry", 4, "1.32", ({ body: [filter, transform] }) => ({ filter, transform })),
  { name: "optMap", args: 2, since: "1.28", expand: (call) => optMap(call, true) },
  { name: "optFlatMap", args: 2, since: "1.28", expand: (call) => optMap(call, false) },
  { name: "sortBy", args: 2, since: "1.34", expand: sortBy },
];

/** What accumulators were called when they could be spelled. */
const formerAccumulator = "__result__";

interface Body {
  readonly filter?: Expression | undefined;
  readonly transform?: Expression | undefined;
}

/** The variables come first: one with "filter", and with three arguments or more of others two. */
function loop(
  macro: Exclude<Macro, "bind">,
  args: number,
  since: Release,
  bodyOf: (parts: { body: readonly Expression[]; variable: Expression }) => Body,
): MacroDeclaration {
  const variables = macro.startsWith("transform") || (args === 3 && macro !== "map") ? 2 : 1;
  return {
    name: macro,
    args,
    since,
    expand({ nodes, offset, target, args: given }) {
      const names = given.slice(0, variables).map(nameOf);
      if (names.length === 2 && names[0] === names[1])
        throw new SyntaxProblem(given[1]!.offset, `duplicate variable name: ${names[0]}`);
      const taken = names.indexOf(formerAccumulator);
      if (taken !== -1)
        throw new SyntaxProblem(given[taken]!.offset, "iteration variable overwrites accumulator variable");
      const { filter, transform } = bodyOf({ body: given.slice(variables), variable: given[0]! });
      return nodes.comprehension(offset, {
        macro,
        range: target,
        variable: names[0]!,
        variable2: names[1],
        accumulator: accumulatorName,
        ...stepsOf(macro, { nodes, offset, filter, transform, key: given[0]! }),
        body: { filter, transform },
      });
    },
  };
}

interface Step {
  readonly nodes: Nodes;
  readonly offset: number;
  readonly filter: Expression | undefined;
  readonly transform: Expression | undefined;
  readonly key: Expression;
}

type Steps = Pick<ComprehensionExpression, "initial" | "condition" | "step" | "result">;

function stepsOf(macro: Exclude<Macro, "bind">, { nodes, offset, filter, transform, key }: Step): Steps {
  const accumulator = () => nodes.identifier(offset, accumulatorName);
  const call = (name: string, ...args: Expression[]) => nodes.call(offset, name, args);
  const literal = (value: boolean | bigint) => nodes.literal(offset, value);
  switch (macro) {
    case "all":
      return {
        initial: literal(true),
        condition: call("@not_strictly_false", accumulator()),
        step: call("_&&_", accumulator(), filter!),
        result: accumulator(),
      };
    case "exists":
      return {
        initial: literal(false),
        condition: call("@not_strictly_false", call("!_", accumulator())),
        step: call("_||_", accumulator(), filter!),
        result: accumulator(),
      };
    case "exists_one":
      return {
        initial: literal(0n),
        condition: literal(true),
        step: call("_?_:_", filter!, call("_+_", accumulator(), literal(1n)), accumulator()),
        result: call("_==_", accumulator(), literal(1n)),
      };
    default: {
      const isMap = macro === "transformMap" || macro === "transformMapEntry";
      const added =
        macro === "transformMap"
          ? call("cel.@mapInsert", accumulator(), key, transform!)
          : macro === "transformMapEntry"
            ? call("cel.@mapInsert", accumulator(), transform!)
            : call("_+_", accumulator(), nodes.list(offset, [transform!]));
      return {
        initial: isMap ? nodes.map(offset, []) : nodes.list(offset, []),
        condition: literal(true),
        step: filter === undefined ? added : call("_?_:_", filter, added, accumulator()),
        result: accumulator(),
      };
    }
  }
}

/** `initial` has a name within `result`, and is evaluated once. */
function bind(nodes: Nodes, offset: number, name: string, initial: Expression, result: Expression): Expression {
  return nodes.comprehension(offset, {
    macro: "bind",
    range: nodes.list(offset, []),
    variable: "#unused",
    variable2: undefined,
    accumulator: name,
    initial,
    condition: nodes.literal(offset, false),
    step: nodes.identifier(offset, name),
    result,
    body: { filter: undefined, transform: undefined },
  });
}

/** A target that is not a variable has a hidden name, since it is needed twice; chains of these would otherwise grow exponentially. */
function optMap({ nodes, offset, target, args }: MacroCall, wraps: boolean): Expression {
  const isNamed = target.kind === "identifier";
  const hidden = () => nodes.identifier(offset, isNamed ? target.name : "@optional");
  const mapped = bind(nodes, offset, nameOf(args[0]!), nodes.call(offset, "value", [], hidden()), args[1]!);
  const some = wraps ? nodes.call(offset, "optional.of", [mapped]) : mapped;
  const choice = nodes.call(offset, "_?_:_", [
    nodes.call(offset, "hasValue", [], hidden()),
    some,
    nodes.call(offset, "optional.none", []),
  ]);
  return isNamed ? choice : bind(nodes, offset, "@optional", target, choice);
}

function sortBy({ nodes, offset, target, args }: MacroCall): Expression {
  const hidden = () => nodes.identifier(offset, "@sorted");
  const keys = macros
    .find(({ name, args: count }) => name === "map" && count === 2)!
    .expand({ nodes, offset, target: hidden(), args });
  return bind(nodes, offset, "@sorted", target, nodes.call(offset, "@sortByAssociatedKeys", [keys], hidden()));
}

function nameOf(expression: Expression): string {
  if (expression.kind === "identifier" && !expression.name.startsWith(".")) return expression.name;
  throw new SyntaxProblem(expression.offset, "argument must be a simple name");
}

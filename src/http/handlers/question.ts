/** The parameters of a list beyond selectors: `where`, `orderBy`, `count` and `select`. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ListCondition, Question } from "../../registry/contract/question.ts";
import { type NamedPath, readFieldPaths, refuseOverlaps } from "../negotiation/field-paths.ts";
import { type Query, queryFlag } from "../request/query.ts";
import type { ServerContext } from "../server/context.ts";
import { orderBy } from "./order.ts";

const asked = ["where", "orderBy", "count", "select"] as const;

/** Whether a query asks more than selectors do. */
export const asksMore = (query: Query): boolean => !query.empty && asked.some((name) => query.has(name));

interface ListQuestion {
  readonly question: Question;
  /** The only members of objects that are shown; undefined: all. */
  readonly select: readonly NamedPath[] | undefined;
}

/** Throws a badRequest where a part of the question cannot be read. */
export async function readQuestion(context: ServerContext, kind: BoundKind, query: Query): Promise<ListQuestion> {
  const [where, order, select] = [textOf(query, "where"), textOf(query, "orderBy"), textOf(query, "select")];
  const isCount = queryFlag(query.get("count"));
  if (isCount && (order !== "" || select !== "")) throw badRequest("count has neither an order nor selected fields");
  if (where !== "" && context.queries === undefined) throw badRequest("this server cannot answer where");
  const condition = where === "" ? undefined : await context.queries!.condition(kind, where);
  return {
    question: {
      ...(condition === undefined ? {} : { condition }),
      ...(order === "" ? {} : { order: orderBy(kind, order, context.queries) }),
      ...(isCount ? { isCount } : {}),
    },
    select: select === "" ? undefined : selectedPaths(select),
  };
}

function selectedPaths(text: string): readonly NamedPath[] {
  const paths = readFieldPaths("select", text);
  refuseOverlaps("select", paths);
  return paths;
}

/** "": absent. An empty one may be a variable that a script forgot, and a delete by it must not delete everything. */
function textOf(query: Query, name: (typeof asked)[number]): string {
  const text = query.get(name);
  if (text === undefined) return "";
  if (text.trim() === "") throw badRequest(`${name} is empty`);
  return text;
}

/**
 * The condition of a watch or a deletecollection, which show or delete whole objects: they have no order and no number. Undefined: there is
 * none.
 */
export async function conditionAlone(
  context: ServerContext,
  kind: BoundKind,
  query: Query,
): Promise<ListCondition | undefined> {
  if (!asksMore(query)) return undefined;
  for (const name of asked)
    if (name !== "where" && query.has(name)) throw badRequest(`${name} is for lists; here only where is understood`);
  return (await readQuestion(context, kind, query)).question.condition;
}

/** `get --count`: how many objects there are; and what goes together with the flags that ask more than selectors. */

import { collectionPath } from "../../client/requests/address.ts";
import { planHeader, QuestionsUnknown } from "../../client/requests/questions.ts";
import { UsageError } from "../errors.ts";
import type { Lookup } from "../input/lookups.ts";
import { questionOf } from "../input/question.ts";
import { dig, isJson } from "../json.ts";
import { kindName } from "../server/resource-names.ts";
import type { GetContext } from "./get-flags.ts";

/** Everything here is about lists. */
export function checkQuestion(context: GetContext, lookups: readonly Lookup[]): void {
  const { flags } = context;
  const given = (["where", "order-by", "count"] as const).filter((flag) => context.isSet(flag));
  if (given.length === 0) return;
  for (const flag of ["where", "order-by"] as const)
    if (context.isSet(flag) && flags[flag].trim() === "") throw new UsageError(`--${flag} is empty`);
  if (lookups.some(({ name }) => name !== undefined))
    throw new UsageError(`--${given[0]} is about a list of objects, not about one that is named`);
  if ((flags.watch || flags["watch-only"]) && (flags.count || flags["order-by"] !== ""))
    throw new UsageError("--watch goes together with --where, not with --order-by and --count");
  if (flags.count && (flags["order-by"] !== "" || flags["sort-by"] !== "" || flags.output !== ""))
    throw new UsageError("--count prints numbers, without an order and a format");
  if (flags["order-by"] !== "" && flags["sort-by"] !== "")
    throw new UsageError("--order-by sorts on the server, --sort-by here: give one of them");
}

/** The number alone, or a line for each type or namespace. */
export async function printCounts(context: GetContext, lookups: readonly Lookup[]): Promise<void> {
  for (const lookup of lookups) {
    const { resource, namespace } = lookup;
    const count = await countOf(context, lookup);
    const place = resource.namespaced && namespace ? `${kindName(resource)} in ${namespace}` : kindName(resource);
    context.print(lookups.length === 1 ? `${count}\n` : `${count}\t${place}\n`);
  }
}

async function countOf(context: GetContext, { resource, namespace, problem, past }: Lookup): Promise<number> {
  if (problem !== undefined) throw problem;
  const { flags, session, signal } = context;
  const query = {
    ...past,
    count: true,
    labelSelector: flags.selector,
    fieldSelector: flags["field-selector"],
    where: questionOf(flags).where,
  };
  const answer = await session.send.open(collectionPath(resource, namespace), { query, signal });
  const body: unknown = session.send.codec.parse(await answer.text());
  if (answer.headers.get(planHeader) === null) throw new QuestionsUnknown();
  return Number(isJson(body) ? dig(body, "metadata", "remainingItemCount") : 0);
}

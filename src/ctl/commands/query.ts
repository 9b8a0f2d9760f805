/** `query`: how many objects an expression is true of, and how the server finds them. */

import type { FlagValues } from "../../base/flags/flag.ts";
import { collectionPath } from "../../client/requests/address.ts";
import { planHeader, QuestionsUnknown } from "../../client/requests/questions.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { allNamespacesFlag, fieldSelectorFlag, selectorFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";

const queryFlags = { ...selectorFlag, ...fieldSelectorFlag, ...allNamespacesFlag };

type QueryContext = Context<FlagValues<typeof queryFlags>>;

export const query = command({
  name: "query",
  summary: "Show how many objects an expression is true of, and how the server finds them",
  usage: "TYPE EXPRESSION [-l label] [--field-selector fields]",
  description:
    "The expression calls the object self. The server looks at every object of the namespace, or uses an index: of a label, of the name, or of a field that field selectors know, if the expression needs one value of it.",
  examples: `ctl query pods 'self.spec.nodeName == "node-1" && self.status.phase != "Running"' -A
ctl query deployments 'self.status.readyReplicas < self.spec.replicas'`,
  flags: queryFlags,
  run,
});

async function run(context: QueryContext): Promise<void> {
  const [type = "", where = "", ...more] = context.args;
  if (type === "" || where.trim() === "" || more.length > 0)
    throw new UsageError("query takes a type and an expression, which quotes keep together");
  const { session, flags, signal } = context;
  const resource = await findResource(context, type);
  const namespace = flags["all-namespaces"] ? "" : context.namespace;
  const answer = await session.send.open(collectionPath(resource, resource.namespaced ? namespace : ""), {
    query: { where, count: true, labelSelector: flags.selector, fieldSelector: flags["field-selector"] },
    signal,
  });
  await answer.text();
  const plan = answer.headers.get(planHeader);
  if (plan === null) throw new QuestionsUnknown();
  const [found = "", ...numbers] = plan.split("; ");
  const number = (name: string) => numbers.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "0";
  context.print(`matched    ${number("matched")} of ${number("examined")} objects that were looked at\n`);
  context.print(`found by   ${found === "scan" ? "looking at every object" : `the index of ${indexOf(found)}`}\n`);
  context.print(`cost       ${number("cost")}\n`);
}

/** "index=field:spec.nodeName": the field spec.nodeName. */
const indexOf = (found: string): string => `the ${decodeURI(found.slice("index=".length)).replace(":", " ")}`;

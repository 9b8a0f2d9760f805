/** Kinds that `why` does not know: their conditions, and Events that warn. */

import type { Context } from "../../context.ts";
import type { Json } from "../../json.ts";
import { warningLines } from "./events.ts";
import { conditionLines, type Explanation } from "./explanation.ts";

/** Conditions whose names say that something is well: they should be True. */
const wellNamed =
  /^(Ready|Available|Healthy|Accepted|Programmed|ResolvedRefs|Established|NamesAccepted|Succeeded|Synced|Reconciled|Initialized|Progressing|Bound)$/;

/** Conditions that report trouble when they are True. */
const trouble = /(Failed|Failure|Failing|Error|Degraded|Stalled|Pressure|Unavailable)$/;

export async function explainOther(context: Context, object: Json): Promise<Explanation> {
  const conditions = conditionLines(object, (condition) => {
    const [type, status] = [String(condition["type"]), condition["status"]];
    return (wellNamed.test(type) && status !== "True") || (trouble.test(type) && status === "True");
  });
  const lines = [...conditions, ...(await warningLines(context, object))];
  return lines.length === 0 ? { summary: "reports no trouble", lines } : { summary: "reports trouble", lines };
}

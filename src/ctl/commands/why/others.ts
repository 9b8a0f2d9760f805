/** Kinds that `why` does not know: their conditions, and Events that warn. */

import { isTrouble } from "../../../operations/health.ts";
import type { Context } from "../../context.ts";
import type { Json } from "../../json.ts";
import { warningLines } from "./events.ts";
import { conditionLines, type Explanation } from "./explanation.ts";

export async function explainOther(context: Context, object: Json): Promise<Explanation> {
  const conditions = conditionLines(object, (one) => isTrouble(String(one["type"]), String(one["status"])));
  const lines = [...conditions, ...(await warningLines(context, object))];
  return lines.length === 0 ? { summary: "reports no trouble", lines } : { summary: "reports trouble", lines };
}

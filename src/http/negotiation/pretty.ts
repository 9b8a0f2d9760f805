/** Whether a person reads the answer: then JSON is indented. */

import type { Exchange } from "../contract/exchange.ts";
import type { Query } from "../query.ts";

const readByPeople = ["curl", "Wget", "Mozilla/5.0"];

/** The query decides if it has the parameter; otherwise the user agent of browsers and download tools does. */
export function wantsPretty(exchange: Exchange, query: Query): boolean {
  const asked = query.empty ? undefined : query.get("pretty");
  if (asked !== undefined && asked !== "") return isTrue(asked);
  const agent = exchange.header("user-agent");
  return agent !== undefined && readByPeople.some((prefix) => agent.startsWith(prefix));
}

function isTrue(text: string): boolean {
  return text === "1" || text === "t" || text === "T" || text === "true" || text === "True" || text === "TRUE";
}

/** How many seats of its priority level a request holds: lists with long selectors cost as much as several requests. */

import type { RequestInfo } from "../request/request-info.ts";

/** Each object is compared with all terms of a selector; a list holds one more seat for each so many of them. */
export const termsPerSeat = 100;

export function widthOf({ verb, query }: Pick<RequestInfo, "verb" | "query">): number {
  if (verb !== "list" && verb !== "deletecollection") return 1;
  const terms = termsOf(query.get("labelSelector")) + termsOf(query.get("fieldSelector"));
  return 1 + Math.floor(terms / termsPerSeat);
}

/** The values of a set are found by a hash, so a set is one term. The selector is not valid yet. */
function termsOf(selector: string | undefined): number {
  if (selector === undefined || selector === "") return 0;
  let terms = 1;
  let isInSet = false;
  for (const [mark] of selector.matchAll(/[,()]/g)) {
    if (mark !== ",") isInSet = mark === "(";
    else if (!isInSet) terms++;
  }
  return terms;
}

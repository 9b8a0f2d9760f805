/** How many seats of its priority level a request holds: lists with long selectors, or questions, cost as much as several requests. */

import type { RequestInfo } from "../request/request-info.ts";

/** Each object is compared with all terms of a selector; a list holds one more seat for each so many of them. */
export const termsPerSeat = 100;
/** Seats of a list that asks a question: it reads all objects, and a sorted one does so for each chunk. */
export const questionSeats = 5;
/** A list holds one more seat for each so many characters of a question: it is compiled meanwhile. */
export const questionCharsPerSeat = 1_000;

const questions = ["where", "orderBy", "select", "count"] as const;

export function widthOf({ verb, query }: Pick<RequestInfo, "verb" | "query">): number {
  if (verb !== "list" && verb !== "deletecollection") return 1;
  const terms = termsOf(query.get("labelSelector")) + termsOf(query.get("fieldSelector"));
  const asked = questions.flatMap((name) => query.get(name) ?? []);
  const chars = asked.reduce((sum, text) => sum + text.length, 0);
  const seats = asked.length === 0 ? 1 : questionSeats + Math.floor(chars / questionCharsPerSeat);
  return seats + Math.floor(terms / termsPerSeat);
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

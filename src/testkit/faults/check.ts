/** Whether a fault can be. A misspelled member would match every request or do nothing, so it is refused. */

import { didYouMean } from "../../base/suggest.ts";
import { requestVerbs } from "../request-verbs.ts";
import type { Fault, FaultMatch } from "./contract.ts";

/** Each action, with the members that may stand beside it. */
const actions: Readonly<Record<string, readonly string[]>> = {
  latencyMs: [],
  status: ["reason", "message", "retryAfterSeconds", "when"],
  connection: [],
  events: ["delayMs"],
  expireAfterEvents: [],
  bookmarks: [],
  list: [],
};

const choices: Readonly<Record<string, readonly string[]>> = {
  connection: ["refuse", "cut"],
  events: ["drop", "duplicate", "reorder", "delay"],
  bookmarks: ["silent"],
  list: ["stale"],
  when: ["before", "after"],
};

const texts = ["user", "verb", "resource", "subresource", "name", "namespace"] as const;
const matchMembers: readonly string[] = [...texts, "nth", "every", "probability", "seed"];
/** Those of requests for objects, and the methods of other paths. */
const verbs: readonly string[] = requestVerbs;

/** Throws an Error that says what is wrong. */
export function checkFault(fault: Fault): void {
  checkMembers("a fault", fault, ["match", "do"]);
  checkAction(fault.do);
  checkMatch(fault.match ?? {});
}

function checkAction(action: Fault["do"]): void {
  const known = Object.keys(actions);
  const named = known.filter((kind) => kind in action);
  const [kind] = named;
  if (kind === undefined || named.length > 1)
    throw new Error(`a fault does one of ${known.join(", ")}, not ${JSON.stringify(action)}`);
  checkMembers(`a fault with ${kind}`, action, [kind, ...(actions[kind] ?? [])]);
  if ("status" in action && !(action.status >= 400 && action.status <= 599))
    throw new Error(`the status of a fault is from 400 to 599, not ${action.status}`);
  for (const [member, value] of Object.entries(action)) {
    const allowed = choices[member];
    if (allowed !== undefined && !allowed.includes(String(value)))
      throw new Error(`${member} of a fault is ${allowed.join(" or ")}, not ${JSON.stringify(value)}`);
  }
}

function checkMatch(match: FaultMatch): void {
  checkMembers("match of a fault", match, matchMembers);
  for (const member of texts) {
    const values: readonly unknown[] = [match[member] ?? []].flat();
    if (values.some((value) => typeof value !== "string"))
      throw new Error(`${member} of a fault is a text or a list of texts, not ${JSON.stringify(match[member])}`);
  }
  for (const verb of [match.verb ?? []].flat())
    if (!verbs.includes(verb)) throw new Error(`a fault cannot match the verb "${verb}"${didYouMean(verb, verbs)}`);
  for (const count of [match.nth, match.every])
    if (count !== undefined && !(Number.isInteger(count) && count >= 1))
      throw new Error(`nth and every of a fault begin with 1, not ${count}`);
  const { probability = 1 } = match;
  if (!(probability >= 0 && probability <= 1))
    throw new Error(`the probability of a fault is from 0 to 1, not ${probability}`);
}

function checkMembers(what: string, given: object, known: readonly string[]): void {
  for (const member of Object.keys(given))
    if (!known.includes(member)) throw new Error(`${what} has no member "${member}"${didYouMean(member, known)}`);
}

/** Which live requests are kept and shown. */

import { type Json, text } from "../server/json.ts";
import type { RequestFilter } from "./route.ts";

/** How many requests the page keeps: the newest. */
export const keptRequestsMax = 5_000;

/** One with the number of a known one takes its place: a watch that has ended. */
export function withRequests(known: readonly Json[], recorded: readonly Json[]): readonly Json[] {
  const at = new Map(known.map((request, index) => [text(request, "number"), index] as const));
  const all = [...known];
  for (const request of recorded) {
    const index = at.get(text(request, "number"));
    if (index === undefined) at.set(text(request, "number"), all.push(request) - 1);
    else all[index] = request;
  }
  return all.slice(-keptRequestsMax);
}

/** `isConsoleShown`: requests of consoles, such as of this page, are shown as well. */
export const isShown = (request: Json, filter: RequestFilter, isConsoleShown: boolean): boolean =>
  isPart(text(request, "user"), filter.user) &&
  isPart(text(request, "verb"), filter.verb) &&
  (isPart(text(request, "target"), filter.target) || namesOf(request).includes(filter.target)) &&
  isCode(text(request, "code"), filter.code) &&
  (isConsoleShown || !isOfConsole(request));

const isPart = (value: string, wanted: string): boolean => value.toLowerCase().includes(wanted.trim().toLowerCase());

const namesOf = (request: Json): string[] => {
  const [resource, group] = [text(request, "resource"), text(request, "group")];
  return [resource, `${resource}.${group}`];
};

/** "4xx" is any code of that hundred. */
const isCode = (code: string, wanted: string): boolean => code.startsWith(wanted.trim().replace(/x+$/i, ""));

/** A browser cannot change what it calls itself. */
const isOfConsole = (request: Json): boolean => /^(console|Mozilla)\b/.test(text(request, "userAgent"));

/** Indented, if it is JSON. */
export function readableBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

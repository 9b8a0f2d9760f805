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

/** What is left out of the requests unless somebody asks for it. */
export interface ShownSorts {
  /** Requests of consoles, such as of this page. */
  readonly consoles: boolean;
  /** What the system does by itself: controllers, nodes, and leases that are renewed. */
  readonly system: boolean;
}

/** A filter that names a user or leases asks for these. */
export const isShown = (request: Json, filter: RequestFilter, sorts: ShownSorts): boolean =>
  isPart(text(request, "user"), filter.user) &&
  isPart(text(request, "verb"), filter.verb) &&
  (isPart(text(request, "target"), filter.target) || namesOf(request).includes(filter.target)) &&
  isCode(text(request, "code"), filter.code) &&
  (sorts.consoles || !isOfConsole(request)) &&
  (sorts.system || filter.user.trim() !== "" || !isOfSystem(request)) &&
  (sorts.system || /lease/i.test(filter.target) || text(request, "resource") !== "leases");

/** Components, nodes, and accounts of the system's own namespaces. */
const isOfSystem = (request: Json): boolean =>
  /^system:(node:|apiserver\b|(\w+-)?(controller-manager|scheduler)\b|serviceaccount:\w+-(system|node-lease|public):)/.test(
    text(request, "user"),
  );

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

/** The members of an event as JSON text, printed one by one. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import { latestAnswer } from "../base/latest-answer.ts";
import type { User } from "../machinery/meta/user.ts";
import type { AuditedAnswer } from "./contract.ts";

/** Most texts of an event need no escapes, and looking for one is cheaper than JSON.stringify. */
const needsEscape = /[^ !#-[\]-~]/;

export function quote(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Empty members are not shown. */
export function member(name: string, value: string | undefined): string {
  return value === undefined || value === "" ? "" : `,"${name}":${quote(value)}`;
}

/** `pairs`: key, value, key, value. Most requests have the annotations of the one before: that they are allowed, and why. */
export const printMap = latestAnswer("the latest annotations", printPairs, isSame);

function printPairs(pairs: readonly string[]): string {
  const members: string[] = [];
  for (let at = 0; at < pairs.length; at += 2) members.push(`${quote(pairs[at]!)}:${quote(pairs[at + 1]!)}`);
  return `{${members.join(",")}}`;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
}

export function printAnswer({ code, status, reason }: AuditedAnswer): string {
  return `{"metadata":{}${member("status", status)}${member("reason", reason)},"code":${code}}`;
}

/** Users are never changed, and the same one sends many requests. */
const printedUsers = new WeakMap<User, string>();

export function printUser(user: User): string {
  const known = printedUsers.get(user);
  if (known !== undefined) {
    if (checksCaches) checkAnswer("printed users", known, textOf(user));
    return known;
  }
  const made = textOf(user);
  printedUsers.set(user, made);
  return made;
}

function textOf({ name, uid, groups, extra }: User): string {
  return JSON.stringify({
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  });
}

/** Most events are of the second of the one before, and both times of a fast request of the same millisecond. */
const textOfSecond = latestAnswer("seconds of events", (second: number) =>
  new Date(second * 1_000).toISOString().slice(0, 20),
);
const textOfMillisecond = latestAnswer("times of events", (ms: number) => {
  const second = Math.floor(ms / 1_000);
  return `${textOfSecond(second)}${String(ms - second * 1_000).padStart(3, "0")}000Z`;
});

/** 2021-06-01T12:00:00.123000Z: the clock has milliseconds, the format microseconds. */
export const microTime = (ms: number): string => textOfMillisecond(Math.floor(ms));

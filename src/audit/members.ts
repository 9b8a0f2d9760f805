/** The members of an event as JSON text, printed one by one. */

import type { User } from "../authn/contract.ts";
import type { Answer, AuditedRequest } from "./contract.ts";

/** Longer user agents are cut, as in v1.21. */
export const userAgentCharsMax = 1_024;

/** What all events of a request show alike: before the impersonated user, and after it. */
export interface Origin {
  readonly user: string;
  readonly client: string;
}

export function printOrigin({ uri, verb, user, sourceIps, userAgent }: AuditedRequest): Origin {
  const agent =
    userAgent.length > userAgentCharsMax ? `${userAgent.slice(0, userAgentCharsMax)}...TRUNCATED` : userAgent;
  return {
    user: `"requestURI":${JSON.stringify(uri)},"verb":${JSON.stringify(verb)},"user":${user === undefined ? "{}" : printUser(user)}`,
    client: (sourceIps.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(sourceIps)}`) + member("userAgent", agent),
  };
}

/** Empty members are not shown. */
export function member(name: string, value: string | undefined): string {
  return value === undefined || value === "" ? "" : `,"${name}":${JSON.stringify(value)}`;
}

/** `pairs`: key, value, key, value. */
export function printMap(pairs: readonly string[]): string {
  let text = "";
  for (let at = 0; at < pairs.length; at += 2) {
    text += `${at === 0 ? "{" : ","}${JSON.stringify(pairs[at])}:${JSON.stringify(pairs[at + 1])}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

export function printAnswer({ code, status, reason }: Answer): string {
  return `{"metadata":{}${member("status", status)}${member("reason", reason)},"code":${code}}`;
}

/** Users are never changed, and the same one sends many requests. */
const printedUsers = new WeakMap<User, string>();

export function printUser(user: User): string {
  const known = printedUsers.get(user);
  if (known !== undefined) return known;
  const { name, uid, groups, extra } = user;
  const made = JSON.stringify({
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  });
  printedUsers.set(user, made);
  return made;
}

/** Most events are of the second of the one before, and both times of a fast request of the same millisecond. */
let lastSecond = { second: Number.NaN, text: "" };
let lastTime = { ms: Number.NaN, text: "" };

/** 2021-06-01T12:00:00.123000Z: the clock has milliseconds, the format microseconds. */
export function microTime(ms: number): string {
  const whole = Math.floor(ms);
  if (whole === lastTime.ms) return lastTime.text;
  const second = Math.floor(whole / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: new Date(second * 1_000).toISOString().slice(0, 20) };
  lastTime = { ms: whole, text: `${lastSecond.text}${String(whole - second * 1_000).padStart(3, "0")}000Z` };
  return lastTime.text;
}

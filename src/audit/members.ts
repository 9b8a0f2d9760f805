/** The members of an event as JSON text, printed one by one. */

import type { User } from "../authn/contract.ts";
import type { Answer, AuditedRequest, AuditedTarget, ObjectNames } from "./contract.ts";

/** Longer user agents are cut, as in v1.21. */
export const userAgentCharsMax = 1_024;

/** Most texts of an event need no escapes, and looking for one is cheaper than JSON.stringify. */
const needsEscape = /[^ !#-[\]-~]/;

export function quote(text: string): string {
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Empty members are not shown. */
export function member(name: string, value: string | undefined): string {
  return value === undefined || value === "" ? "" : `,"${name}":${quote(value)}`;
}

/** How an event shows what a request is for. */
export interface PrintedTarget {
  readonly uri: string;
  /** The member `objectRef`; empty for a path that is not of a resource. */
  readonly reference: string;
}

/** URIs whose text is remembered, since programs read the same few again and again. When there are more, all are forgotten. */
export const rememberedUrisMax = 1_000;
const rememberedUriCharsMax = 300;
const printedTargets = new Map<string, PrintedTarget>();

/** Depends on the URI only, unless that has a query. */
export function printTarget({ uri, target }: AuditedRequest): PrintedTarget {
  const known = printedTargets.get(uri);
  if (known !== undefined) return known;
  const made = { uri: quote(uri), reference: printReference(target, target) };
  if (uri.length <= rememberedUriCharsMax && !uri.includes("?")) {
    if (printedTargets.size >= rememberedUrisMax) printedTargets.clear();
    printedTargets.set(uri, made);
  }
  return made;
}

/** The member `objectRef`, with a comma before it. `names` are those of the object, as far as they are known. */
export function printReference(target: AuditedTarget, names: ObjectNames): string {
  if (!target.isResource) return "";
  const { resource, group, version, subresource } = target;
  const { namespace, name, uid, resourceVersion } = names;
  const members =
    member("resource", resource) +
    member("namespace", namespace) +
    member("name", name) +
    member("uid", uid) +
    member("apiGroup", group) +
    member("apiVersion", version) +
    member("resourceVersion", resourceVersion) +
    member("subresource", subresource);
  return `,"objectRef":{${members.slice(1)}}`;
}

/** The client of the request before, which is often that of the next. */
let lastClient = { ip: "", agent: "", text: "" };

/** The members `sourceIPs` and `userAgent`, with a comma before them. */
export function printClient({ sourceIps, userAgent }: AuditedRequest): string {
  const ip = sourceIps.length === 1 ? sourceIps[0]! : "";
  if (ip !== "" && ip === lastClient.ip && userAgent === lastClient.agent) return lastClient.text;
  const agent =
    userAgent.length > userAgentCharsMax ? `${userAgent.slice(0, userAgentCharsMax)}...TRUNCATED` : userAgent;
  const text = (sourceIps.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(sourceIps)}`) + member("userAgent", agent);
  lastClient = { ip, agent: userAgent, text };
  return text;
}

/** `pairs`: key, value, key, value. */
export function printMap(pairs: readonly string[]): string {
  let text = "";
  for (let at = 0; at < pairs.length; at += 2) {
    text += `${at === 0 ? "{" : ","}${quote(pairs[at]!)}:${quote(pairs[at + 1]!)}`;
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

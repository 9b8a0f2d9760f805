/** How an event is printed: as JSON of a version of the audit API, or as a line of the legacy format. */

import type { AuditEvent } from "./contract.ts";

export type AuditVersion = "v1" | "v1beta1" | "v1alpha1";

/** One line of JSON, without the end of the line. `group` is the server's name of the audit group. */
export function printEvent(event: AuditEvent, group: string, version: AuditVersion): string {
  const { requestObject, responseObject } = event;
  const text = version === "v1alpha1" ? withJoinedGroup(event) : event.text;
  const head = version === "v1" ? "" : olderMembers(event);
  const request = requestObject === undefined ? "" : `,"requestObject":${requestObject}`;
  const response = responseObject === undefined ? "" : `,"responseObject":${responseObject}`;
  return `{"kind":"Event","apiVersion":"${group}/${version}",${head}${text}${request}${response}}`;
}

/** The members of an event without its objects, for what is not printed as it stands. */
export function membersOf({ text }: AuditEvent): EventMembers {
  return JSON.parse(`{${text}}`) as EventMembers; // printed by us
}

interface EventMembers {
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: EventUser;
  readonly impersonatedUser?: EventUser;
  readonly sourceIPs?: readonly string[];
  readonly objectRef?: { readonly namespace?: string; readonly apiGroup?: string; readonly apiVersion?: string };
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface EventUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** Members that versions before v1 had, and that v1.21 still fills in for them. */
function olderMembers(event: AuditEvent): string {
  const seconds = membersOf(event).requestReceivedTimestamp.replace(/\.\d+Z$/, "Z");
  return `"metadata":{"creationTimestamp":"${seconds}"},"timestamp":"${seconds}",`;
}

/** In v1alpha1 the apiVersion of an object reference contains its group. */
function withJoinedGroup(event: AuditEvent): string {
  const members = membersOf(event);
  const { apiGroup = "", apiVersion = "", ...rest } = members.objectRef ?? {};
  if (apiGroup === "") return event.text;
  const objectRef = { ...rest, apiVersion: `${apiGroup}/${apiVersion}` };
  return JSON.stringify({ ...members, objectRef }).slice(1, -1);
}

/** 2021-06-01T12:00:00.123Z AUDIT: id="…" stage="…" ip="…" method="…" … */
export function printLegacy(event: AuditEvent): string {
  const members = membersOf(event);
  const { user, impersonatedUser, sourceIPs, objectRef, responseStatus } = members;
  const values: readonly (readonly [string, string])[] = [
    ["id", members.auditID],
    ["stage", members.stage],
    ["ip", sourceIPs?.[0] ?? "<unknown>"],
    ["method", members.verb],
    ["user", user.username ?? "<none>"],
    ["groups", groupsOf(user.groups) ?? "<none>"],
    ["as", impersonatedUser === undefined ? "<self>" : (impersonatedUser.username ?? "")],
    ["asgroups", groupsOf(impersonatedUser?.groups) ?? "<lookup>"],
    ["namespace", objectRef?.namespace ?? "<none>"],
    ["uri", members.requestURI],
    ["response", responseStatus === undefined ? "<deferred>" : String(responseStatus.code)],
  ];
  return `${members.stageTimestamp} AUDIT: ${values.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(" ")}`;
}

function groupsOf(groups: readonly string[] | undefined): string | undefined {
  return groups === undefined || groups.length === 0
    ? undefined
    : groups.map((group) => JSON.stringify(group)).join(",");
}

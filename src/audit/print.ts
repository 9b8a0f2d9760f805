/** How an event is printed: as JSON of a version of the audit API, or as a line of the legacy format. */

import type { AuditEvent } from "./contract.ts";

export type AuditVersion = "v1" | "v1beta1" | "v1alpha1";

/** One line of JSON, without the end of the line. `group` is the server's name of the audit group. */
export function printEvent(event: AuditEvent, group: string, version: AuditVersion): string {
  const { members, requestObject, responseObject } = event;
  const text = JSON.stringify({
    kind: "Event",
    apiVersion: `${group}/${version}`,
    ...older(version, members),
    ...members,
  });
  const objects =
    (requestObject === undefined ? "" : `,"requestObject":${requestObject}`) +
    (responseObject === undefined ? "" : `,"responseObject":${responseObject}`);
  return objects === "" ? text : `${text.slice(0, -1)}${objects}}`;
}

/** Members that versions before v1 had, and that v1.21 still fills in for them. */
function older(version: AuditVersion, { requestReceivedTimestamp }: AuditEvent["members"]): Record<string, unknown> {
  if (version === "v1") return {};
  const seconds = String(requestReceivedTimestamp).replace(/\.\d+Z$/, "Z");
  return { metadata: { creationTimestamp: seconds }, timestamp: seconds };
}

/** 2021-06-01T12:00:00.123Z AUDIT: id="…" stage="…" ip="…" method="…" … */
export function printLegacy({ members }: AuditEvent): string {
  const { user, impersonatedUser, sourceIPs, objectRef, responseStatus } = members as Partial<{
    user: { username?: string; groups?: readonly string[] };
    impersonatedUser: { username?: string; groups?: readonly string[] };
    sourceIPs: readonly string[];
    objectRef: { namespace?: string };
    responseStatus: { code: number };
  }>;
  const values: readonly (readonly [string, string])[] = [
    ["id", String(members["auditID"])],
    ["stage", String(members["stage"])],
    ["ip", sourceIPs?.[0] ?? "<unknown>"],
    ["method", String(members["verb"])],
    ["user", user?.username ?? "<none>"],
    ["groups", groupsOf(user?.groups) ?? "<none>"],
    ["as", impersonatedUser === undefined ? "<self>" : (impersonatedUser.username ?? "")],
    ["asgroups", groupsOf(impersonatedUser?.groups) ?? "<lookup>"],
    ["namespace", objectRef?.namespace ?? "<none>"],
    ["uri", String(members["requestURI"])],
    ["response", responseStatus === undefined ? "<deferred>" : String(responseStatus.code)],
  ];
  const time = String(members["stageTimestamp"]);
  return `${time} AUDIT: ${values.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(" ")}`;
}

function groupsOf(groups: readonly string[] | undefined): string | undefined {
  return groups === undefined || groups.length === 0
    ? undefined
    : groups.map((group) => JSON.stringify(group)).join(",");
}

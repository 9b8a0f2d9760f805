/** The state of all levels as tables for people: /debug/api_priority_and_fairness/dump_priority_levels, dump_queues, dump_requests. */

import type { Clock } from "../base/clock.ts";
import type { PriorityLevel } from "./level.ts";
import type { RequestTicket } from "./request-ticket.ts";

/** Queues of one level that dump_queues lists. */
export const dumpedQueuesMax = 1_000;

const none = "<none>";
type Row = readonly (string | number | boolean)[];

export function dumpLevels(levels: readonly PriorityLevel[]): string {
  const head = ["PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests", "ExecutingRequests"];
  return table(head, levels, ({ name, queueSet, isQuiescing }) => {
    const active = queueSet.active().filter(({ waiting }) => waiting > 0).length;
    return [[name, active, queueSet.isIdle, isQuiescing, queueSet.waiting, queueSet.executing]];
  });
}

export function dumpQueues(levels: readonly PriorityLevel[]): string {
  const head = ["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "VirtualStart"];
  return table(head, levels, ({ name, queues, queueSet }) => {
    const active = new Map(queueSet.active().map((queue) => [queue.index, queue]));
    const indexes = new Set([...active.keys(), ...Array(Math.min(queues, dumpedQueuesMax)).keys()]);
    return [...indexes]
      .sort((a, b) => a - b)
      .slice(0, dumpedQueuesMax)
      .map((index) => {
        const { waiting = 0, executing = 0, virtualStart = 0 } = active.get(index) ?? {};
        return [name, index, waiting, executing, virtualStart.toFixed(4)];
      });
  });
}

/** The waiting requests. `details`: with their attributes. */
export function dumpRequests(levels: readonly PriorityLevel[], clock: Clock, details: boolean): string {
  const head = [
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher", // spelled as in v1.21
    "ArriveTime",
  ];
  const more = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];
  const timeOf = (monotonicMs: number) => new Date(clock.now() - (clock.monotonic() - monotonicMs)).toISOString();
  const rowsOf = ({ name, queueSet }: PriorityLevel) =>
    queueSet.active().flatMap(({ index, first }) =>
      [...chain(first)].map((ticket, at) => {
        const { flow, distinguisher, arrivedMs, request } = ticket;
        const row = [name, flow.name, index, at, distinguisher, timeOf(arrivedMs)];
        if (!details) return row;
        const { user, verb, path, namespace, name: object, version, resource, subresource } = request;
        return [...row, user.name, verb, path, namespace, object, version, resource, subresource];
      }),
    );
  return table(head, levels, rowsOf, details ? more : []);
}

function* chain(first: RequestTicket | undefined): Iterable<RequestTicket> {
  for (let ticket = first; ticket !== undefined; ticket = ticket.next) yield ticket;
}

const columnCharsMin = 8;

/** Columns are as wide as their widest cell. An exempt level has one row without values, and, as in v1.21, without columns of `more`. */
function table(
  head: readonly string[],
  levels: readonly PriorityLevel[],
  rowsOf: (level: PriorityLevel) => Row[],
  more: readonly string[] = [],
): string {
  const columns = [...head, ...more];
  const rows: Row[] = [columns];
  for (const level of levels) {
    if (level.isExempt) rows.push([level.name, ...head.slice(1).map(() => none)]);
    else rows.push(...rowsOf(level));
  }
  const cells = rows.map((row) => row.map((cell) => `${String(cell).replace(/\p{Cc}/gu, " ")},`));
  const widths = columns.map((_, at) =>
    cells.reduce((most, row) => Math.max(most, (row[at] ?? "").length + 1), columnCharsMin),
  );
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join("");
  return cells.map((row) => `${line(row)}\n`).join("");
}

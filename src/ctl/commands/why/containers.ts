/** Why a container of a pod does not run, or is not ready. */

import { objectPath } from "../../../client/requests/address.ts";
import type { Context } from "../../context.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, number, object, text } from "../../json.ts";
import { duration, since } from "./explanation.ts";

interface ContainerTrouble {
  readonly lines: readonly string[];
  /** "c: CrashLoopBackOff". */
  readonly trouble: string;
}

/** Init containers come first: the others wait for them. */
export async function containerTroubles(context: Context, pod: Json): Promise<ContainerTrouble[]> {
  const troubles: ContainerTrouble[] = [];
  for (const field of ["initContainerStatuses", "containerStatuses"])
    for (const status of list(pod, "status", field)) {
      const found = await troubleOf(context, pod, status);
      if (found !== undefined) troubles.push(found);
    }
  return troubles;
}

async function troubleOf(context: Context, pod: Json, status: Json): Promise<ContainerTrouble | undefined> {
  const name = text(status, "name");
  const waiting = object(status, "state", "waiting");
  const reason = text(waiting, "reason");
  const last = object(status, "lastState", "terminated");
  const ended = object(status, "state", "terminated");
  if (reason === "CrashLoopBackOff") {
    const lines = [
      `container ${name} ended with ${endingOf(context, last)}, was restarted ${times(status)}, and ${again(context, waiting, last)}`,
    ];
    return { lines: [...lines, ...(await lastWords(context, pod, name, last))], trouble: `${name}: ${reason}` };
  }
  // What waits for init containers, or was not started yet, has no trouble of its own.
  if (reason !== "" && !["PodInitializing", "ContainerCreating"].includes(reason)) {
    const message = text(waiting, "message");
    const told = `container ${name} waits: ${reason}${message === "" ? "" : `, ${message}`}`;
    const image =
      /image/i.test(reason) && !told.includes(imageOf(pod, name)) ? [`  its image is ${imageOf(pod, name)}`] : [];
    return { lines: [told, ...image], trouble: `${name}: ${reason}` };
  }
  if ((number(ended, "exitCode") ?? 0) !== 0) {
    const line = `container ${name} ended with ${endingOf(context, ended)}`;
    return {
      lines: [line, ...(await lastWords(context, pod, name, ended))],
      trouble: `${name}: ${text(ended, "reason")}`,
    };
  }
  if (Object.keys(object(status, "state", "running")).length === 0 || status["ready"] === true) return undefined;
  return { lines: [`container ${name} runs, but ${unready(pod, status)}`], trouble: `${name}: not ready` };
}

/** A probe decides about starting and readiness; without one a container that runs is ready. */
function unready(pod: Json, status: Json): string {
  const spec = list(pod, "spec", "containers").find((one) => one["name"] === status["name"]);
  if (status["started"] === false && Object.keys(object(spec, "startupProbe")).length > 0)
    return "its startup probe has not succeeded yet";
  return Object.keys(object(spec, "readinessProbe")).length > 0 ? "its readiness probe fails" : "is not ready";
}

/** "exit code 137 (Error, killed by SIGKILL) 12s ago". */
function endingOf(context: Context, ended: Json): string {
  const code = number(ended, "exitCode") ?? 0;
  const details = [text(ended, "reason"), signals[code] === undefined ? "" : `killed by ${signals[code]}`].filter(
    Boolean,
  );
  const ago = since(context, text(ended, "finishedAt"));
  return `exit code ${code}${details.length === 0 ? "" : ` (${details.join(", ")})`}${ago === "" ? "" : ` ${ago} ago`}`;
}

/** Exit codes above 128 stand for a signal. */
const signals: Readonly<Record<number, string>> = { 134: "SIGABRT", 137: "SIGKILL", 139: "SIGSEGV", 143: "SIGTERM" };

function times(status: Json): string {
  const count = number(status, "restartCount") ?? 0;
  return count === 1 ? "once" : `${count} times`;
}

/** The agent of the node says how long it waits after the end: "back-off 1m20s restarting failed container=c …". */
function again(context: Context, waiting: Json, last: Json): string {
  const [, minutes = "0", seconds = "0"] = /back-off (?:(\d+)m)?(?:(\d+)s)?/.exec(text(waiting, "message")) ?? [];
  const waitMs = (Number(minutes) * 60 + Number(seconds)) * 1000;
  const leftMs = Date.parse(text(last, "finishedAt")) + waitMs - context.environment.clock.now();
  if (waitMs === 0 || Number.isNaN(leftMs)) return "will be started again";
  return leftMs <= 0 ? "is due to start again" : `starts again in ${duration(leftMs)}`;
}

const imageOf = (pod: Json, name: string): string =>
  text(
    [...list(pod, "spec", "containers"), ...list(pod, "spec", "initContainers")].find((one) => one["name"] === name),
    "image",
  );

/** How much of a log is read for its last line. */
export const logBytesMax = 4096;

/** What the container left behind: its termination message, or else the last line of its log. */
async function lastWords(context: Context, pod: Json, container: string, ended: Json): Promise<string[]> {
  const message = text(ended, "message").trim();
  if (message !== "") return [`  it said: ${message.split("\n").at(-1)}`];
  for (const previous of [true, false]) {
    const line = await lastLine(context, pod, container, previous);
    if (line !== undefined) return [`  last line of its log: ${line}`];
  }
  return [];
}

/** Undefined: there is none, or it cannot be read. */
async function lastLine(
  context: Context,
  pod: Json,
  container: string,
  previous: boolean,
): Promise<string | undefined> {
  try {
    const pods = await findResource(context, "pods");
    const path = objectPath(pods, { namespace: namespaceOf(pod), name: nameOf(pod) }, "log");
    const query = { container, previous, tailLines: 1, limitBytes: logBytesMax };
    const response = await context.session.send.open(path, { query, accept: "text/plain, */*" });
    return (await response.text()).trim().split("\n").at(-1) || undefined;
  } catch {
    return undefined; // logs need rights and an agent
  }
}

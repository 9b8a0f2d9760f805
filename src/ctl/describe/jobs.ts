/** Descriptions of jobs and of what creates them on a schedule. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { type Json, list, number, object, text } from "../json.ts";
import { controllerOf, describePodTemplate, time } from "./pod-template.ts";
import { selectorText } from "./selector.ts";
import { describeLabels, describeName } from "./workloads.ts";
import type { DescriptionWriter } from "./writer.ts";

export function describeJob(w: DescriptionWriter, value: Json, { behaviour }: Context): void {
  const spec = object(value, "spec");
  const status = object(value, "status");
  describeName(w, value);
  if (spec["selector"] !== undefined) w.field(0, "Selector", selectorText(spec["selector"]));
  describeLabels(w, value);
  if (controllerOf(value) !== "") w.field(0, "Controlled By", controllerOf(value));
  w.field(0, "Parallelism", text(spec, "parallelism") || "<unset>");
  w.field(0, "Completions", text(spec, "completions") || "<unset>");
  if (text(spec, "completionMode") !== "") w.field(0, "Completion Mode", text(spec, "completionMode"));
  if (text(spec, "suspend") !== "") w.field(0, "Suspend", text(spec, "suspend"));
  describeBackoff(w, spec, behaviour.describesBackoff);
  if (text(status, "startTime") !== "") w.field(0, "Start Time", time(text(status, "startTime")));
  if (text(status, "completionTime") !== "") {
    w.field(0, "Completed At", time(text(status, "completionTime")));
    w.field(
      0,
      "Duration",
      humanDuration(Date.parse(text(status, "completionTime")) - Date.parse(text(status, "startTime"))),
    );
  }
  if (text(spec, "activeDeadlineSeconds") !== "")
    w.field(0, "Active Deadline Seconds", `${text(spec, "activeDeadlineSeconds")}s`);
  const count = (key: string) => number(status, key) ?? 0;
  const ready = number(status, "ready");
  const active = ready === undefined ? `${count("active")} Running` : `${count("active")} Active (${ready} Ready)`;
  w.field(0, "Pods Statuses", `${active} / ${count("succeeded")} Succeeded / ${count("failed")} Failed`);
  if (text(spec, "completionMode") === "Indexed") {
    w.field(0, "Completed Indexes", shortIndexes(text(status, "completedIndexes")));
    if (text(spec, "backoffLimitPerIndex") !== "")
      w.field(0, "Failed Indexes", shortIndexes(text(status, "failedIndexes")));
  }
  describePodTemplate(w, object(spec, "template"));
}

/** How many failures end the job, or one of its indexes. `withLimit`: also the limit of the whole job, which every job has. */
function describeBackoff(w: DescriptionWriter, spec: Json, withLimit: boolean): void {
  for (const [title, key] of [
    ...(withLimit ? [["Backoff Limit", "backoffLimit"] as const] : []),
    ["Backoff Limit Per Index", "backoffLimitPerIndex"],
    ["Max Failed Indexes", "maxFailedIndexes"],
  ] as const)
    if (text(spec, key) !== "") w.field(0, title, text(spec, key));
}

/** "1-3,7,…" cut behind a comma once it is long. */
function shortIndexes(indexes: string): string {
  const end = indexes.indexOf(",", indexTextChars);
  return end === -1 ? indexes || "<none>" : `${indexes.slice(0, end + 1)}...`;
}

const indexTextChars = 50;

export function describeCronJob(w: DescriptionWriter, value: Json): void {
  const spec = object(value, "spec");
  describeName(w, value);
  describeLabels(w, value);
  w.field(0, "Schedule", text(spec, "schedule"));
  if (text(spec, "timeZone") !== "") w.field(0, "Time Zone", text(spec, "timeZone"));
  w.field(0, "Concurrency Policy", text(spec, "concurrencyPolicy"));
  w.field(0, "Suspend", spec["suspend"] === true ? "True" : "False");
  w.field(0, "Successful Job History Limit", text(spec, "successfulJobsHistoryLimit") || "<unset>");
  w.field(0, "Failed Job History Limit", text(spec, "failedJobsHistoryLimit") || "<unset>");
  w.field(
    0,
    "Starting Deadline Seconds",
    text(spec, "startingDeadlineSeconds") === "" ? "<unset>" : `${text(spec, "startingDeadlineSeconds")}s`,
  );
  const job = object(spec, "jobTemplate", "spec");
  w.field(0, "Selector", job["selector"] === undefined ? "<unset>" : selectorText(job["selector"]));
  w.field(0, "Parallelism", text(job, "parallelism") || "<unset>");
  w.field(0, "Completions", text(job, "completions") || "<unset>");
  describePodTemplate(w, object(job, "template"));
  w.field(
    0,
    "Last Schedule Time",
    text(value, "status", "lastScheduleTime") === "" ? "<unset>" : time(text(value, "status", "lastScheduleTime")),
  );
  w.field(
    0,
    "Active Jobs",
    list(value, "status", "active")
      .map((one) => text(one, "name"))
      .join(", ") || "<none>",
  );
}

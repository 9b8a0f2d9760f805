/** Descriptions of jobs and of what creates them on a schedule. */

import { humanDuration } from "../../machinery/table/human-duration.ts";
import type { Context } from "../context.ts";
import { dig, type Json, number, text } from "../json.ts";
import { controlledBy, heading, labelsAndAnnotations, names } from "./metadata.ts";
import { podTemplate } from "./pods.ts";
import { at, count, flag, joinedOf, or, phrase, time } from "./readers.ts";
import { field, given, type Rows, when, within } from "./row.ts";
import { selector } from "./selector.ts";

export const job: Rows = [
  ...names,
  when(hasSelector, [field("Selector", selector("spec.selector"))]),
  ...labelsAndAnnotations,
  controlledBy,
  field("Parallelism", or("spec.parallelism", "<unset>")),
  field("Completions", or("spec.completions", "<unset>")),
  given("Completion Mode", "spec.completionMode"),
  given("Suspend", "spec.suspend"),
  given("Backoff Limit", backoffLimit),
  given("Backoff Limit Per Index", "spec.backoffLimitPerIndex"),
  given("Max Failed Indexes", "spec.maxFailedIndexes"),
  given("Start Time", at("status.startTime", time)),
  when(
    (one) => text(one, "status", "completionTime") !== "",
    [field("Completed At", at("status.completionTime", time)), field("Duration", durationText)],
  ),
  given(
    "Active Deadline Seconds",
    at("spec.activeDeadlineSeconds", (seconds) => `${seconds}s`),
  ),
  field(
    "Pods Statuses",
    phrase`${activeText} / ${count("status.succeeded")} Succeeded / ${count("status.failed")} Failed`,
  ),
  when(
    (one) => text(one, "spec", "completionMode") === "Indexed",
    [
      field("Completed Indexes", or(at("status.completedIndexes", shortIndexes), "<none>")),
      when(
        (one) => text(one, "spec", "backoffLimitPerIndex") !== "",
        [field("Failed Indexes", or(at("status.failedIndexes", shortIndexes), "<none>"))],
      ),
    ],
  ),
  within("spec.template", [podTemplate]),
];

export const cronJob: Rows = [
  ...heading,
  field("Schedule", "spec.schedule"),
  given("Time Zone", "spec.timeZone"),
  field("Concurrency Policy", "spec.concurrencyPolicy"),
  field("Suspend", flag("spec.suspend", "True", "False")),
  field("Successful Job History Limit", or("spec.successfulJobsHistoryLimit", "<unset>")),
  field("Failed Job History Limit", or("spec.failedJobsHistoryLimit", "<unset>")),
  field(
    "Starting Deadline Seconds",
    or(
      at("spec.startingDeadlineSeconds", (seconds) => `${seconds}s`),
      "<unset>",
    ),
  ),
  within("spec.jobTemplate", [
    when(hasSelector, [field("Selector", selector("spec.selector"))]),
    when((one) => !hasSelector(one), ["Selector:\t<unset>"]),
    field("Parallelism", or("spec.parallelism", "<unset>")),
    field("Completions", or("spec.completions", "<unset>")),
    within("spec.template", [podTemplate]),
  ]),
  field("Last Schedule Time", or(at("status.lastScheduleTime", time), "<unset>")),
  field("Active Jobs", or(joinedOf("status.active", ["name"], ", "), "<none>")),
];

function hasSelector(one: Json): boolean {
  return dig(one, "spec", "selector") !== undefined;
}

/** Every job has a limit. */
function backoffLimit(one: Json, { behaviour }: Context): string {
  return behaviour.describesBackoff ? text(one, "spec", "backoffLimit") : "";
}

function durationText({ status }: Json): string {
  return humanDuration(Date.parse(text(status, "completionTime")) - Date.parse(text(status, "startTime")));
}

function activeText({ status }: Json): string {
  const active = number(status, "active") ?? 0;
  const ready = number(status, "ready");
  return ready === undefined ? `${active} Running` : `${active} Active (${ready} Ready)`;
}

/** "1-3,7,…" cut behind a comma once it is long. */
function shortIndexes(indexes: string): string {
  const end = indexes.indexOf(",", indexTextChars);
  return end === -1 ? indexes : `${indexes.slice(0, end + 1)}...`;
}

const indexTextChars = 50;

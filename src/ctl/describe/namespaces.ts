/** Descriptions of namespaces, quotas and limits. */

import type { Context } from "../context.ts";
import { entries, type Json, list, nameOf, object, text, texts } from "../json.ts";
import { clusterHeading, names } from "./metadata.ts";
import { moment, or } from "./readers.ts";
import { align, type ColumnReaders, each, field, given, plainTable, type Rows, table, when, within } from "./row.ts";

const quotaColumns: ColumnReaders = { Resource: "name", Used: "used", Hard: "hard" };

export const resourceQuota: Rows = [
  ...names,
  given("Scopes", ({ spec }) => texts(spec, "scopes").sort().join(", ")),
  plainTable(quotaItems, quotaColumns),
];

const limitColumns: ColumnReaders = {
  Type: "type",
  Resource: "name",
  Min: or("min", "-"),
  Max: or("max", "-"),
  "Default Request": or("defaultRequest", "-"),
  "Default Limit": or("default", "-"),
  "Max Limit/Request Ratio": or("maxLimitRequestRatio", "-"),
};

export const limitRange: Rows = [...names, plainTable(limitItems, limitColumns)];

export const namespace: Rows = [
  ...clusterHeading,
  field("Status", "status.phase"),
  table("Conditions", "status.conditions", {
    Type: "type",
    Status: "status",
    LastTransitionTime: moment("lastTransitionTime"),
    Reason: "reason",
    Message: "message",
  }),
  within(contentOf("resourcequotas"), [
    align,
    "",
    when(isEmpty, ["No resource quota."]),
    when((found) => !isEmpty(found), ["Resource Quotas"]),
    each(
      "items",
      [field("Name", "metadata.name"), plainTable(quotaItems, quotaColumns, ["--------", "---", "---"])],
      1,
    ),
  ]),
  within(contentOf("limitranges"), [
    align,
    "",
    when(isEmpty, ["No LimitRange resource."]),
    when((found) => !isEmpty(found), ["Resource Limits"]),
    each("items", [plainTable(limitItems, limitColumns)], 1),
  ]),
];

function contentOf(type: string): (namespace: Json, context: Context) => Promise<Json> {
  return async (namespace, context) => {
    const resource = (await context.discovery()).find(type);
    const items: Json[] = [];
    if (resource !== undefined)
      for await (const one of context.at(resource).items({ namespace: nameOf(namespace) })) items.push(one);
    return { items };
  };
}

function isEmpty(found: Json): boolean {
  return list(found, "items").length === 0;
}

function quotaItems({ status }: Json): Json[] {
  return entries(status, "hard").map(([name, hard]) => ({ name, hard, used: text(status, "used", name) }));
}

/** One item for each resource that a limit names. */
function limitItems(range: Json): Json[] {
  return list(range, "spec", "limits").flatMap((limit) => {
    const resources = new Set(limitKinds.flatMap((kind) => Object.keys(object(limit, kind))));
    return [...resources].sort().map((name) => ({
      type: text(limit, "type"),
      name,
      ...Object.fromEntries(limitKinds.map((kind) => [kind, text(limit, kind, name)])),
    }));
  });
}

const limitKinds = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"];

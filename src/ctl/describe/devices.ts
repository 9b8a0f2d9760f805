/** Descriptions of device classes, of claims to devices and their templates, and of the slices that offer devices. */

import { dig, entries, isJson, type Json, list, object, text } from "../json.ts";
import { clusterHeading, heading } from "./metadata.ts";
import { flag, phrase } from "./readers.ts";
import { field, given, group, line, type Rows, section, table, when, within } from "./row.ts";

const selectors = (path: string) => group("Selectors", path, [line(phrase`CEL: ${"cel.expression"}`)]);

export const deviceClass: Rows = [
  ...clusterHeading,
  given("Extended Resource", "spec.extendedResourceName"),
  selectors("spec.selectors"),
  group("Config", "spec.config", [field("Driver", "opaque.driver")]),
];

/** The members of a request for one kind of devices. */
const wanted: Rows = [
  field("Device Class", "deviceClassName"),
  field("Allocation", (request) => amountOf(request)),
  when((request) => dig(request, "adminAccess") === true, [field("Admin Access", flag("adminAccess"))]),
  selectors("selectors"),
];

const requests = group(
  "Requests",
  "devices.requests",
  [
    field("Name", "name"),
    when((request) => isJson(dig(request, "exactly")), [within("exactly", wanted)]),
    group("First Available", "firstAvailable", [field("Name", "name"), ...wanted]),
  ],
  { none: "<none>" },
);

export const resourceClaim: Rows = [
  ...heading,
  within("spec", [requests]),
  field("State", claimState),
  table("Allocated Devices", "status.allocation.devices.results", {
    Request: "request",
    Driver: "driver",
    Pool: "pool",
    Device: "device",
  }),
  table("Reserved For", "status.reservedFor", { Resource: consumerResource, Name: "name", UID: "uid" }),
];

export const resourceClaimTemplate: Rows = [...heading, section("Claim", [within("spec.spec", [requests])])];

export const resourceSlice: Rows = [
  ...clusterHeading,
  field("Driver", "spec.driver"),
  field(
    "Pool",
    phrase`${"spec.pool.name"} (generation ${"spec.pool.generation"}, slices ${"spec.pool.resourceSliceCount"})`,
  ),
  field("Nodes", nodesOf),
  group(
    "Devices",
    "spec.devices",
    [
      field("Name", "name"),
      when(
        (device) => entries(device, "attributes").length > 0,
        [section("Attributes", [line((device) => attributesOf(device))])],
      ),
      when(
        (device) => entries(device, "capacity").length > 0,
        [section("Capacity", [line((device) => capacityOf(device))])],
      ),
      group("Taints", "taints", [line((taint) => taintText(taint))]),
    ],
    { none: "<none>" },
  ),
];

/** "ExactCount, 2" or "All". */
function amountOf(request: Json): string {
  const mode = text(request, "allocationMode");
  return mode === "All" ? mode : `${mode}, ${text(request, "count")}`;
}

/** As the column STATE of a Table says it. */
function claimState(claim: Json): string {
  const states = text(claim, "metadata", "deletionTimestamp") === "" ? [] : ["deleted"];
  if (!isJson(dig(claim, "status", "allocation"))) return states[0] ?? "pending";
  states.push("allocated");
  if (list(claim, "status", "reservedFor").length > 0) states.push("reserved");
  return states.join(",");
}

function consumerResource(consumer: Json): string {
  const apiGroup = text(consumer, "apiGroup");
  return apiGroup === "" ? text(consumer, "resource") : `${text(consumer, "resource")}.${apiGroup}`;
}

function nodesOf(slice: Json): string {
  const { nodeName, allNodes, nodeSelector, perDeviceNodeSelection } = object(slice, "spec");
  if (typeof nodeName === "string" && nodeName !== "") return nodeName;
  if (allNodes === true) return "<all>";
  if (perDeviceNodeSelection === true) return "<by device>";
  return isJson(nodeSelector) ? "<by selector>" : "<none>";
}

/** `model: "A100"`: each attribute has one member that says its type. */
const attributesOf = (device: Json): string[] =>
  Object.entries(object(device, "attributes")).map(
    ([name, value]) => `${name}:\t${isJson(value) ? JSON.stringify(Object.values(value)[0]) : ""}`,
  );

const capacityOf = (device: Json): string[] =>
  Object.entries(object(device, "capacity")).map(
    ([name, value]) => `${name}:\t${isJson(value) ? text(value, "value") : ""}`,
  );

function taintText(taint: Json): string {
  const value = text(taint, "value");
  return `${text(taint, "key")}${value === "" ? "" : `=${value}`}:${text(taint, "effect")}`;
}

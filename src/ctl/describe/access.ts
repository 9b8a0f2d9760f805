/** Descriptions of roles, bindings, accounts, certificates, secrets and config maps. */

import { entries, type Json, list, nameOf, object, text, texts } from "../json.ts";
import { csrSubject } from "./certificate.ts";
import { time } from "./pod-template.ts";
import { head, marks } from "./workloads.ts";
import type { Writer } from "./writer.ts";

export function describeSecret(w: Writer, value: Json): void {
  head(w, value);
  marks(w, value);
  w.line(0, "");
  w.field(0, "Type", text(value, "type"));
  w.line(0, "");
  w.line(0, "Data");
  w.line(0, "====");
  for (const [key, data] of entries(value, "data")) {
    const bytes = Buffer.from(data, "base64");
    const isToken = /service-account-token$/.test(text(value, "type")) && key === "token";
    w.line(0, isToken ? `${key}:\t${bytes.toString("utf8")}` : `${key}:\t${bytes.length} bytes`);
  }
}

export function describeConfigMap(w: Writer, value: Json): void {
  head(w, value);
  marks(w, value);
  w.flush();
  w.line(0, "");
  w.line(0, "Data");
  w.line(0, "====");
  for (const [key, data] of entries(value, "data")) {
    w.line(0, `${key}:`);
    w.line(0, "----");
    w.line(0, data);
  }
  const binary = entries(value, "binaryData");
  if (binary.length > 0) {
    w.line(0, "");
    w.line(0, "BinaryData");
    w.line(0, "====");
    for (const [key, data] of binary) w.line(0, `${key}: ${Buffer.from(data, "base64").length} bytes`);
  }
}

export function describeServiceAccount(w: Writer, value: Json): void {
  head(w, value);
  marks(w, value);
  const names = (title: string, all: readonly string[]) => {
    if (all.length === 0) return w.field(0, title, "<none>");
    all.forEach((name, at) => {
      w.text += `${at === 0 ? `${title}:` : ""}\t${name}\n`;
    });
  };
  names(
    "Image pull secrets",
    list(value, "imagePullSecrets").map((one) => text(one, "name")),
  );
  names(
    "Mountable secrets",
    list(value, "secrets").map((one) => text(one, "name")),
  );
  names(
    "Tokens",
    list(value, "secrets")
      .map((one) => text(one, "name"))
      .filter((name) => name.includes("-token-")),
  );
}

export function describeRole(w: Writer, value: Json): void {
  w.field(0, "Name", nameOf(value));
  marks(w, value);
  w.line(0, "PolicyRule:");
  w.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
  w.line(1, "---------\t-----------------\t--------------\t-----");
  const rows = list(value, "rules").flatMap(broken);
  for (const row of rows.sort((a, b) => (ruleKey(a) < ruleKey(b) ? -1 : 1))) w.line(1, row.join("\t"));
}

/** By verbs, then by group and resource, as other tools sort rules. */
function ruleKey([resource = "", urls = "", names = "", verbs = ""]: readonly string[]): string {
  const at = resource.indexOf(".");
  return `${verbs},[${at < 0 ? "" : resource.slice(at + 1)}],[${at < 0 ? resource : resource.slice(0, at)}],${names},${urls}`;
}

/** One line for each resource of a rule. */
function broken(rule: Json): string[][] {
  const verbs = `[${texts(rule, "verbs").join(" ")}]`;
  const names = `[${texts(rule, "resourceNames").join(" ")}]`;
  const urls = texts(rule, "nonResourceURLs");
  if (urls.length > 0) return urls.map((url) => ["", `[${url}]`, "[]", verbs]);
  return texts(rule, "apiGroups").flatMap((group) =>
    texts(rule, "resources").map((resource) => [
      group === "" ? resource : withGroup(resource, group),
      "[]",
      names,
      verbs,
    ]),
  );
}

function withGroup(resource: string, group: string): string {
  const at = resource.indexOf("/");
  return at < 0 ? `${resource}.${group}` : `${resource.slice(0, at)}.${group}${resource.slice(at)}`;
}

export function describeBinding(w: Writer, value: Json): void {
  w.field(0, "Name", nameOf(value));
  marks(w, value);
  w.line(0, "Role:");
  w.line(1, `Kind:\t${text(value, "roleRef", "kind")}`);
  w.line(1, `Name:\t${text(value, "roleRef", "name")}`);
  w.line(0, "Subjects:");
  w.line(1, "Kind\tName\tNamespace");
  w.line(1, "----\t----\t---------");
  for (const subject of list(value, "subjects"))
    w.line(1, `${text(subject, "kind")}\t${text(subject, "name")}\t${text(subject, "namespace")}`);
}

export function describeSigningRequest(w: Writer, value: Json): void {
  const spec = object(value, "spec");
  w.field(0, "Name", nameOf(value));
  w.field(
    0,
    "Labels",
    entries(value, "metadata", "labels")
      .map(([key, label]) => `${key}=${label}`)
      .join(",") || "<none>",
  );
  w.field(
    0,
    "Annotations",
    entries(value, "metadata", "annotations")
      .map(([key, label]) => `${key}=${label}`)
      .join(",") || "<none>",
  );
  w.field(0, "CreationTimestamp", time(text(value, "metadata", "creationTimestamp")));
  w.field(0, "Requesting User", text(spec, "username"));
  if (text(spec, "signerName") !== "") w.field(0, "Signer", text(spec, "signerName"));
  const types = list(value, "status", "conditions").map((one) => text(one, "type"));
  w.field(
    0,
    "Status",
    [
      types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending",
      ...(text(value, "status", "certificate") === "" ? [] : ["Issued"]),
    ].join(","),
  );
  w.line(0, "Subject:");
  for (const [title, part] of csrSubject(text(spec, "request"))) w.line(1, `${title}:\t${part}`);
}

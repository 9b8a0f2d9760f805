/** The rules of a field in words, for documentation. What a function checks has none. */

import type { AtLevel } from "./field-level.ts";
import type { NameFormat, Rule } from "./rule.ts";
import type { Field } from "./schema.ts";

/** "required", "at least 1", "each item: a DNS label"; in the order in which they are checked. */
export function wordsOfRules(declared: Field, level: AtLevel): string[] {
  const field = level.field(declared);
  if (field === undefined || field.isUnchecked) return [];
  const { schema } = field;
  const words = field.rules.flatMap((rule) => wordsOf(rule, field) ?? []);
  if ((schema.type !== "list" && schema.type !== "map") || schema.ruled === undefined) return words;
  const each = schema.type === "list" ? "each item" : "each value";
  return [...words, ...wordsOfRules(schema.ruled, level).map((one) => `${each}: ${one}`)];
}

function wordsOf(rule: Rule, { presence, fallback, schema: { type } }: Field): string | undefined {
  switch (rule.rule) {
    case "required":
      // A client may omit what has a default. What is always there is shown as required anyway.
      return (presence === "optional" || presence === "nullable") && fallback === undefined ? "required" : undefined;
    case "filled":
      return "not empty";
    case "oneOf":
      return `one of ${rule.values.map((value) => value || '""').join(", ")}`;
    case "range":
      if (rule.above !== undefined) return `more than ${rule.above}`;
      if (rule.least === undefined) return `at most ${rule.most}`;
      return rule.most === undefined ? `at least ${rule.least}` : `from ${rule.least} to ${rule.most}`;
    case "named":
      return typeof rule.format === "string" ? forms[rule.format] : undefined;
    case "max":
      return `at most ${rule.max} ${type === "list" ? "items" : type === "map" ? "entries" : "bytes"}`;
    case "unique":
      return rule.key === "" ? "no two items are the same" : `no two items have the same ${rule.key}`;
    case "alone":
      return `${rule.item} is the only item`;
    case "immutable":
      return rule.isOnce ? "cannot be changed once it is set" : "cannot be changed";
    case "checked":
      return undefined;
  }
}

const forms: Readonly<Record<NameFormat & string, string>> = {
  label: "a DNS label",
  label1035: "a DNS label that begins with a letter",
  subdomain: "a DNS subdomain",
  qualified: "a qualified name",
  fullyQualified: "a domain name of several labels",
  pathSegment: "a segment of a path",
  labelValue: "the value of a label",
  configKey: "a key of a ConfigMap",
  envName: "the name of an environment variable",
  portName: "the name of a port",
  headerName: "the name of an HTTP header",
  absolutePath: "an absolute path",
  relativePath: "a relative path without ..",
  filePath: "the relative path of a file",
  pathWithoutParents: "a path without ..",
  ip: "an IP address",
  cidr: "a range of IP addresses",
  port: "the number or name of a port",
};

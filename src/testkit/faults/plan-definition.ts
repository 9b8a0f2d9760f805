/** The definition of FaultPlan. It stays in a store, so servers without testing must know its name, in order not to serve it. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

const group = "testing.orch.io";
const version = "v1alpha1";

export const planApiVersion = `${group}/${version}`;
export const planDefinitionName = `faultplans.${group}`;

/** Members that take a text or a list, and those that do not exist, are checked when the plan becomes active: its status names them. */
export function planDefinition(vocabulary: Vocabulary): object {
  const any = { [vocabulary.word("x-orch-preserve-unknown-fields")]: true };
  const whole = { type: "integer", minimum: 0 };
  const from1 = { type: "integer", minimum: 1 };
  const choice = (...values: string[]) => ({ type: "string", enum: values });
  const match = {
    ...Object.fromEntries(["user", "verb", "resource", "subresource", "name", "namespace"].map((key) => [key, any])),
    nth: from1,
    every: from1,
    probability: { type: "number", minimum: 0, maximum: 1 },
    seed: { type: "integer" },
  };
  const action = {
    latencyMs: whole,
    status: { type: "integer", minimum: 400, maximum: 599 },
    reason: { type: "string" },
    message: { type: "string" },
    retryAfterSeconds: whole,
    when: choice("before", "after"),
    connection: choice("refuse", "cut"),
    events: choice("drop", "duplicate", "reorder", "delay"),
    delayMs: whole,
    expireAfterEvents: whole,
    bookmarks: choice("silent"),
    list: choice("stale"),
  };
  const spec = {
    type: "object",
    ...any,
    required: ["do"],
    properties: {
      match: { type: "object", ...any, properties: match },
      do: { type: "object", ...any, properties: action },
    },
  };
  const status = {
    type: "object",
    properties: { active: { type: "boolean" }, hits: whole, message: { type: "string" } },
  };
  return {
    apiVersion: `${vocabulary.word("apiextensions.orch.io")}/v1`,
    kind: "CustomResourceDefinition",
    metadata: {
      name: planDefinitionName,
      annotations: { [vocabulary.word("api-approved.orch.io")]: "unapproved, served for tests only" },
    },
    spec: {
      group,
      scope: "Cluster",
      names: { plural: "faultplans", singular: "faultplan", kind: "FaultPlan" },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec, status } } },
          additionalPrinterColumns: [
            { name: "Active", type: "boolean", jsonPath: ".status.active" },
            { name: "Hits", type: "integer", jsonPath: ".status.hits" },
            { name: "Message", type: "string", jsonPath: ".status.message" },
          ],
        },
      ],
    },
  };
}

/** `create namespace`, `serviceaccount`, `quota`, `poddisruptionbudget` and `priorityclass`. */

import { bool, int, string } from "../../../base/flags/flag.ts";
import { parseLabelSelector } from "../../../machinery/selectors/label-selector.ts";
import { CtlError } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { generator } from "./generator.ts";

export const namespace = generator({
  name: "namespace",
  aliases: ["ns"],
  summary: "Create a namespace with the specified name",
  usage: "NAME [--dry-run=server|client|none]",
  examples: `ctl create namespace my-namespace`,
  isNamespaced: false,
  build: (_, name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { creationTimestamp: null, name },
    spec: {},
    status: {},
  }),
});

export const serviceAccount = generator({
  name: "serviceaccount",
  aliases: ["sa"],
  summary: "Create a service account with the specified name",
  usage: "NAME [--dry-run=server|client|none]",
  examples: `ctl create serviceaccount my-service-account`,
  isNamespaced: true,
  failure: "failed to create serviceaccount: ",
  build: (_, name) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { creationTimestamp: null, name } }),
});

/** The form of a quantity, in the words of v1.21. */
const quantityForm = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

/** "cpu=1,pods=2" as an object. */
export function hardOf(text: string): Json {
  return Object.fromEntries(
    text.split(",").map((word) => {
      const [resource = "", amount, ...more] = word.split("=");
      if (resource === "" || amount === undefined || more.length > 0)
        throw new CtlError(`Invalid argument syntax ${word}, expected <resource>=<value>`);
      if (!quantityForm.test(amount))
        throw new CtlError(`quantities must match the regular expression '${quantityForm.source}'`);
      return [resource, amount];
    }),
  );
}

export const quota = generator({
  name: "quota",
  aliases: ["resourcequota"],
  summary: "Create a quota with the specified name",
  usage: "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2]",
  examples: `ctl create quota my-quota --hard=cpu=1,memory=1G,pods=2,services=3
ctl create quota best-effort --hard=pods=100 --scopes=BestEffort`,
  flags: {
    hard: string("Limits, as resource=quantity pairs separated by commas"),
    scopes: string("Scopes, separated by commas"),
  },
  isNamespaced: true,
  failure: "failed to create quota: ",
  build({ flags }, name) {
    const hard = flags.hard;
    const scopes = flags.scopes.split(",").filter((scope) => scope !== "");
    const spec: Json = {
      ...(hard === "" ? {} : { hard: hardOf(hard) }),
      ...(scopes.length === 0 ? {} : { scopes }),
    };
    return { apiVersion: "v1", kind: "ResourceQuota", metadata: { creationTimestamp: null, name }, spec, status: {} };
  },
});

const numberOrText = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

export const podDisruptionBudget = generator({
  name: "poddisruptionbudget",
  aliases: ["pdb"],
  summary: "Create a pod disruption budget with the specified name",
  usage: "NAME --selector=SELECTOR --min-available=N",
  examples: `ctl create poddisruptionbudget my-pdb --selector=app=rails --min-available=1
ctl create pdb my-pdb --selector=app=nginx --min-available=50%`,
  flags: {
    selector: string("The selector of the pods"),
    "min-available": string("How many pods must be available, as a number or a percentage"),
    "max-unavailable": string("How many pods may be unavailable, as a number or a percentage"),
  },
  isNamespaced: true,
  failure: "failed to create poddisruptionbudgets: ",
  async build(context, name) {
    const { flags } = context;
    const [min, max] = [flags["min-available"], flags["max-unavailable"]];
    if (flags.selector === "") throw new CtlError("a selector must be specified");
    if (min !== "" && max !== "") throw new CtlError("min-available and max-unavailable cannot be both specified");
    if (min === "" && max === "") throw new CtlError("one of min-available or max-unavailable must be specified");
    return {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { creationTimestamp: null, name },
      spec: {
        ...(min === "" ? { maxUnavailable: numberOrText(max) } : { minAvailable: numberOrText(min) }),
        selector: selectorObject(flags.selector),
      },
      status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
    };
  },
});

/** "a=b,c in (d)" as a selector object. */
export function selectorObject(text: string): Json {
  const operators: Readonly<Record<string, string>> = {
    in: "In",
    notin: "NotIn",
    exists: "Exists",
    "!exists": "DoesNotExist",
    "!=": "NotIn",
  };
  const labels: Json = {};
  const expressions: Json[] = [];
  for (const { key, operator, values } of parseLabelSelector(text).requirements) {
    const all = [...values];
    if (operator === "=") labels[key] = all[0] ?? "";
    else
      expressions.push({
        key,
        operator: operators[operator] ?? operator,
        ...(all.length === 0 ? {} : { values: all }),
      });
  }
  return {
    ...(Object.keys(labels).length === 0 ? {} : { matchLabels: labels }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}

export const priorityClass = generator({
  name: "priorityclass",
  aliases: ["pc"],
  summary: "Create a priority class with the specified name",
  usage: "NAME --value=VALUE --global-default=BOOL",
  examples: `ctl create priorityclass high-priority --value=1000 --description="high priority"
ctl create priorityclass default-priority --value=1000 --global-default=true`,
  flags: {
    value: int("The priority"),
    "global-default": bool("Whether pods without a class get this one"),
    description: string("When the class is to be used"),
    "preemption-policy": string("PreemptLowerPriority or Never", "PreemptLowerPriority"),
  },
  isNamespaced: false,
  failure: "failed to create priorityclass: ",
  async build(context, name) {
    const { flags } = context;
    return {
      apiVersion: `${(await context.vocabulary()).group("scheduling.orch.io")}/v1`,
      kind: "PriorityClass",
      metadata: { creationTimestamp: null, name },
      description: flags.description,
      ...(flags["global-default"] ? { globalDefault: true } : {}),
      preemptionPolicy: flags["preemption-policy"],
      value: flags.value,
    };
  },
});

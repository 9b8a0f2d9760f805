import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { absentControllers } from "./choose.ts";
import { controllers } from "./list.ts";
import { withShortNames } from "./names.ts";

describe("names of controllers", () => {
  const known = [...controllers.map(({ name }) => name), ...Object.keys(absentControllers)];

  const cases = [
    { why: "a short name stays", given: "deployment", name: "deployment" },
    { why: "most later names are the short one with a suffix", given: "deployment-controller", name: "deployment" },
    { why: "the dash stays", given: "-garbage-collector-controller", name: "-garbagecollector" },
    { why: "a name that changed", given: "endpoints-controller", name: "endpoint" },
    { why: "what is not there has both names too", given: "service-lb-controller", name: "service" },
    { why: "a suffix does not make a name of what was renamed", given: "podgc-controller", name: "podgc-controller" },
    { why: "an unknown name stays for the message", given: "toy-controller", name: "toy-controller" },
    { why: "all", given: "*", name: "*" },
  ];
  for (const { why, given, name } of cases)
    test(`${given}: ${why}`, () => assert.deepEqual(withShortNames([given], known), [name]));
});

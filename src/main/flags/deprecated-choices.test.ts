import { expect, test } from "vitest";
import { deprecatedChoices } from "./deprecated-choices.ts";

test("each deprecated plugin that is enabled is named, with what to do", () => {
  expect(deprecatedChoices(["NodeRestriction", "AlwaysAdmit", "PodSecurityPolicy", "constructor"])).toEqual([
    "the admission plugin AlwaysAdmit is deprecated: it has no effect; remove it from --enable-admission-plugins",
    "the admission plugin PodSecurityPolicy is deprecated: it is unavailable in v1.25+",
  ]);
});

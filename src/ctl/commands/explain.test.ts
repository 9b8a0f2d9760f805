import { expect, test } from "vitest";
import { openSession } from "../session.suite.ts";
import { rulesLine, valuesOf } from "./explain-rules.ts";

test("of a field it shows the values that the server names, and its rules in one line", async () => {
  await using session = await openSession("ctl", { emulatedVersion: "1.35" });
  expect(await session.ok("explain pods.spec.containers.imagePullPolicy")).toContain(`
FIELD:    imagePullPolicy <string>
ENUM:
     Always
     IfNotPresent
     Never

DESCRIPTION:
`);
  const ports = await session.ok("explain service.spec.ports");
  expect(ports).toContain("   protocol\t<string>\n   enum: SCTP, TCP, UDP\n");
  expect(ports).toContain("     Rules: from 1 to 65535\n");
});

test("at the level of v1.21 and in the vocabulary of its clients it shows what they know, and no more", async () => {
  await using session = await openSession("kubectl");
  expect(await session.ok("explain service.spec.ports")).not.toMatch(/enum:|Rules:/);
});

test("the keywords of a custom kind are its rules", () => {
  expect(rulesLine({ type: "integer", minimum: 1, maximum: 9, exclusiveMaximum: true })).toBe(
    "Rules: at least 1; less than 9",
  );
  expect(rulesLine({ type: "string", pattern: "^a$", maxLength: 3 })).toBe("Rules: at most 3 characters; matches ^a$");
  expect(rulesLine({ type: "array", uniqueItems: false })).toBeUndefined();
  expect(valuesOf({ type: "array", items: { enum: ["", 1] } })).toEqual(['""', "1"]);
});

test("values that are named are not repeated as a rule", () => {
  expect(rulesLine({ enum: ["A"], "x-orch-rules": ["required", "one of A"] })).toBe("Rules: required");
});

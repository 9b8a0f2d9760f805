import { describe, expect, it } from "vitest";
import { finish } from "../../src/base/time-slice.ts";
import { requestCostMax } from "../../src/cel/limits.ts";
import { ruleProblems } from "../../src/cel/schema/rule-problems.ts";
import { ruleTreeSteps } from "../../src/cel/schema/rule-tree.ts";
import { decodeJson } from "../../src/machinery/json/json.ts";
import type { JsonSchema } from "../../src/machinery/json/json-schema.ts";
import { recordedLines, whyNoPartners } from "./partner.ts";
import { canonical } from "./values.suite.ts";

/** An object with its rules, and what the reference said. */
interface Recorded {
  readonly schema: JsonSchema;
  readonly isRoot: boolean;
  readonly self: unknown;
  readonly oldSelf: unknown;
  readonly budget: number;
  readonly errors: readonly string[];
  readonly isRatcheted: boolean;
}

const signature =
  "_ *schema.Structural, obj, oldObj interface{}, costBudget int64, opts ...Option) (errs field.ErrorList";
const begin = "\topt := options{}\n";

describe.skipIf(whyNoPartners !== undefined)(
  `rules as the reference's own tests try them ${whyNoPartners ?? ""}`,
  () => {
    it("refuses the same objects with the same words", { timeout: 600_000 }, () => {
      const recorded = recordedLines({
        of: "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel",
        tests: "TestValidation|TestCel|TestCEL|TestMessage|TestReason|TestRatcheting|TestOptional",
        recorder: "rules/record.go",
        file: "validation.go",
        replaced: [
          [signature, signature.replace("_ *", "given *")],
          [begin, `\tdefer func() { record(s, given, obj, oldObj, costBudget, errs, len(opts) > 0) }()\n${begin}`],
        ],
      });
      expect(recorded.length).toBeGreaterThan(1_000);
      const asked = recorded.map((line) => decodeJson(Buffer.from(line)) as unknown as Recorded); // written by our recorder
      const kept = asked.filter((one) => Number(one.budget) === requestCostMax && !isLeftOut(one));
      expect(
        kept.filter((one) => text(told(one)) !== text(said(one))).map((one) => ({ ...one, told: told(one) })),
      ).toEqual([]);
    });
  },
);

const text = (value: unknown) => JSON.stringify(value);

/** Tests with limits of their own, texts that are Go's own sentences (docs/differences.md), and a float32, which JSON does not have. */
function isLeftOut({ schema, errors }: Recorded): boolean {
  const rules = JSON.stringify(schema["x-kubernetes-validations" as keyof JsonSchema] ?? ""); // as the reference writes it
  return (
    errors.some((error) => /deadline exceeded|call cost exceeds|max recursion depth/.test(error)) ||
    /format\.\w+\(\)\.validate\(.*\.value\(\)\[0\]|340282346638528859811704183484516925440/.test(rules)
  );
}

/** Some tests call the object root, others nothing; and what does not compile, or has another type, is told in words of our own. */
const plain = (error: string) =>
  canonical
    .error(error)
    .replace(/^(?:<nil>|root\.?)/, "")
    .replace(/(invalid data), .*( evaluating rule)/, "$1$2")
    .replace(/(rule compile error:).*/s, "$1");

const said = ({ errors }: Recorded) => errors.map(plain).sort();

function told({ schema, isRoot, self, oldSelf, isRatcheted }: Recorded): string[] {
  const tree = finish(ruleTreeSteps(schema, { prefix: "x-kubernetes-", release: "1.35" }, isRoot));
  if (tree === undefined) return [];
  const problems = finish(ruleProblems(tree, self, oldSelf ?? undefined, { isRatcheted, tellsUncompiled: true }));
  return problems.map(({ field, message }) => plain(`${field}: ${message}`)).sort();
}

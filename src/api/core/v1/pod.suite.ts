/** Pods for the tables of their tests, and how rows are checked. */

import { expect, test } from "vitest";
import { inspect } from "./core.suite.ts";
import { Pod } from "./pod.ts";

export const { make, problems, problemsOfUpdate, problemsOfStatus, cells } = inspect(Pod);
export const container = { name: "c", image: "i" };
export const pod = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "x", ...metadata },
  spec: { containers: [container], ...spec },
});
export const one = (given: object) => pod({ containers: [{ ...container, ...given }] });
export const short = (lines: readonly string[]) => lines.map((line) => line.replace("FieldValue", ""));

export interface Row {
  readonly why: string;
  readonly spec: object;
  /** Without `spec.`, in which all of them are. */
  readonly expected: readonly string[];
}
export function check(rows: readonly Row[]): void {
  for (const { why, spec, expected } of rows) {
    test(why, () => {
      const found = short(problems(pod(spec))).map((line) => line.replace(" spec.", " "));
      expect(found).toEqual(expected);
    });
  }
}
/** Rows about the one container of a pod. */
export function checkContainer(
  rows: readonly { why: string; given: object; expected: readonly string[]; spec?: object }[],
) {
  check(
    rows.map(({ why, given, expected, spec }) => ({
      why,
      spec: { ...spec, containers: [{ ...container, ...given }] },
      expected: expected.map((line) => line.replace(" ", " containers[0].")),
    })),
  );
}

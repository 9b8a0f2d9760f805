/** The same questions to the reference's library and to our code. */

import fc from "fast-check";
import type { Partner } from "./partner.ts";

type Difference = { readonly question: unknown; readonly theirs: unknown; readonly ours: unknown };

/** As many as a test prints: one cause has many examples. */
const shownMax = 20;

/** Other questions at every run, or those of `PROPERTY_SEED`; `COMPARE=100` asks a hundred times as many. */
export function questions<T>(arbitrary: fc.Arbitrary<T>, usual: number): T[] {
  const { seed } = fc.readConfigureGlobal();
  const numRuns = usual * Number(process.env["COMPARE"] ?? 1);
  return fc.sample(arbitrary, { numRuns, ...(seed === undefined ? {} : { seed }) });
}

/** Likewise, each question made from a number of its own: no number comes twice, small ones no more often than others. */
export function seededQuestions<T>(make: (seed: number) => T, usual: number): T[] {
  return [...new Set(questions(fc.noBias(fc.integer()), usual))].map(make);
}

/** What differs, each with its question. Answers are compared as JSON, so absent and undefined members are the same. */
export async function differences<Question>(
  partner: Partner,
  asked: readonly Question[],
  answer: (question: Question) => unknown,
): Promise<Difference[]> {
  const found: Difference[] = [];
  const answers = await partner.ask(asked);
  for (const [index, question] of asked.entries()) {
    const theirs = sorted(answers[index]);
    const ours = sorted(JSON.parse(JSON.stringify(answer(question))));
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) found.push({ question, theirs, ours });
    if (found.length === shownMax) break;
  }
  return found;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

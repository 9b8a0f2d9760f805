/** The last answer of a function, for callers that mostly ask what the one before them asked. */

import { checkAnswer, checksCaches } from "./cache-check.ts";

/**
 * A function that gives its last answer again while the question is the same. `answer` must follow from the question alone, and both stay
 * as they are; `name` is for the check of caches. `isSame` is for questions that are not one value.
 *
 *   const timestamp = latestAnswer("seconds", (second: number) => new Date(second * 1_000).toISOString());
 */
export function latestAnswer<Question, Answer>(
  name: string,
  answer: (question: Question) => Answer,
  isSame: (one: Question, other: Question) => boolean = Object.is,
): (question: Question) => Answer {
  let latest: { readonly question: Question; readonly answer: Answer } | undefined;
  return (question) => {
    if (latest !== undefined && isSame(latest.question, question)) {
      if (checksCaches) checkAnswer(name, latest.answer, answer(question));
      return latest.answer;
    }
    latest = { question, answer: answer(question) };
    return latest.answer;
  };
}

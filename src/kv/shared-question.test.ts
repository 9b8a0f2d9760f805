import { expect, test } from "vitest";
import { createManualClock } from "../base/clock.ts";
import { SharedQuestion } from "./shared-question.ts";

/** Answers each question by its number, on demand. */
function open() {
  const clock = createManualClock(0);
  const asked: { answer(): void; fail(): void }[] = [];
  const question = new SharedQuestion(() => {
    const number = asked.length + 1;
    return new Promise<number>((resolve, reject) => {
      asked.push({ answer: () => resolve(number), fail: () => reject(new Error(`question ${number}`)) });
    });
  }, clock);
  return { clock, asked, question };
}
const settle = () => new Promise((done) => setImmediate(done));

test("callers that arrive while a request is in progress share the next one", async () => {
  const { asked, question } = open();
  const first = question.answer();
  const [second, third] = [question.answer(), question.answer()];
  expect(asked).toHaveLength(1);
  asked[0]?.answer();
  expect(await first).toBe(1);
  await settle();
  // It was sent before this call, so its answer may be too old.
  const late = question.answer();
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await settle();
  asked[2]?.answer();
  expect(await late).toBe(3);
});

test("a request without an answer does not delay the next", async () => {
  const { clock, asked, question } = open();
  const first = question.answer();
  const second = question.answer();
  clock.advance(5);
  await settle();
  asked[1]?.answer();
  expect(await second).toBe(2);
  asked[0]?.fail();
  await expect(first).rejects.toThrow("question 1");
});

test("a failed request is not repeated for others", async () => {
  const { asked, question } = open();
  const first = question.answer();
  const second = question.answer();
  asked[0]?.fail();
  await expect(first).rejects.toThrow("question 1");
  await settle();
  asked[1]?.answer();
  expect(await second).toBe(2);
});

import { expect, test } from "vitest";
import { type Clock, createManualClock, systemClock } from "../../base/clock.ts";
import { suspendedBodyBytesMax, workedOnBytesMax } from "../request/request-body.ts";
import { bodiesBytesIn, bodiesBytesMin, defaultLimits } from "../server/context.ts";
import { openTestServer } from "../server.fixture.ts";

const questions = "/apis/toys.example.com/v1/questions";

/** A server whose reviews are answered when `answer` is called; `running` is how many are being processed. */
async function openSlowServer(clock: Clock = systemClock) {
  const waiting: (() => void)[] = [];
  const state = { running: 0 };
  const server = await openTestServer({
    clock,
    actions: new Map([
      [
        "questions",
        {
          async create({ body }) {
            state.running++;
            await new Promise<void>((resolve) => waiting.push(resolve));
            state.running--;
            return { object: { ...body, text: "" }, code: 201 };
          },
        },
      ],
    ]),
  });
  const ask = async (bytes: number) => {
    const body = JSON.stringify({ text: "x".repeat(bytes) });
    return (await server.fetch(questions, { method: "POST", body })).status;
  };
  return { server, state, ask, answer: () => waiting.shift()?.() };
}

test("the number of large bodies processed at once is limited; the others wait, small ones do not", async () => {
  const { server, state, ask, answer } = await openSlowServer();
  const large = Array.from({ length: 5 }, () => ask(workedOnBytesMax / 2 - 1_000));
  await expect.poll(() => state.running).toBe(2);
  const small = ask(1_000);
  await expect.poll(() => state.running).toBe(3);
  let most = 3;
  const done = Promise.all([...large, small]);
  let over = false;
  void done.finally(() => {
    over = true;
  });
  while (!over) {
    answer();
    await new Promise((resolve) => setTimeout(resolve, 5));
    most = Math.max(most, state.running);
  }
  expect([await done, most]).toEqual([[201, 201, 201, 201, 201, 201], 3]);
  await server.close();
});

/** Two of them do not fit. */
const aboveHalf = workedOnBytesMax / 2 + 1;

test("a body that waited longer than its request may take is not processed", async () => {
  const clock = createManualClock(Date.parse("2024-01-01T00:00:00Z"));
  const { server, state, ask, answer } = await openSlowServer(clock);
  const first = ask(aboveHalf);
  await expect.poll(() => state.running).toBe(1);
  const second = ask(aboveHalf);
  const both = Promise.all([first, second]);
  let isOver = false;
  void both.finally(() => {
    isOver = true;
  });
  // A scan finds what has expired; the second request may begin after the first step of the clock.
  await expect
    .poll(() => {
      clock.advance(30_000);
      return isOver;
    })
    .toBe(true);
  expect(await both).toEqual([504, 504]);
  answer();
  await expect.poll(() => state.running).toBe(0);
  const third = ask(aboveHalf);
  await expect.poll(() => state.running).toBe(1);
  answer();
  expect(await third).toBe(201);
  await server.close();
});

test("bodies whose objects wait for admission do not delay others, and have their own limit", async () => {
  const waiting: (() => void)[] = [];
  const server = await openTestServer({
    limits: { mutatingMax: 1_000 },
    admission: {
      mutate: ({ object }) =>
        object?.metadata.labels?.["hang"] === undefined
          ? undefined
          : new Promise<void>((resolve) => waiting.push(resolve)),
      validate() {},
    },
  });
  const bytes = 1_000_000;
  const post = async (labels: object, notes: string) => {
    const body = JSON.stringify({ metadata: { generateName: "s", labels, annotations: { notes } } });
    const path = "/apis/toys.example.com/v1/shelves";
    return (await server.fetch(path, { method: "POST", body })).status;
  };
  const isHung = (count: number) => expect.poll(() => waiting.length).toBe(count);
  const fit = Math.floor(suspendedBodyBytesMax / (bytes + 1_000));
  const hung = Array.from({ length: fit }, () => post({ hang: "x" }, "x".repeat(bytes)));
  await isHung(fit);
  const others = Array.from({ length: 100 }, (_, at) => post({}, "x".repeat(at % 10 === 0 ? 100_000 : 10)));
  expect(new Set(await Promise.all(others))).toEqual(new Set([201]));
  expect(await post({ hang: "x" }, "x".repeat(bytes))).toBe(429);
  for (const go of waiting.splice(0)) go();
  // Annotations are not that long: they are validated once plugins have answered.
  expect(new Set(await Promise.all(hung))).toEqual(new Set([422]));
  await server.close();
});

test("in a process with little memory the bodies in flight take little of it, and everywhere a few of the largest fit", () => {
  const mib = 2 ** 20;
  expect([256, 1_024, 65_536].map((memory) => bodiesBytesIn(memory * mib) / mib)).toEqual([16, 64, 256]);
  expect(bodiesBytesIn(32 * mib)).toBe(bodiesBytesMin);
  expect(bodiesBytesMin).toBeGreaterThan(4 * defaultLimits.bodyBytesMax);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { estimatedServiceSeconds, type Queue, type QueuedRequest, QueueSet } from "./queue-set.ts";

/** A flow that always has requests waiting, each of which takes one of these times. */
interface Flow {
  readonly hand: readonly number[];
  readonly outstanding: number;
  readonly serviceSeconds: readonly number[];
}

class Request implements QueuedRequest<Request> {
  queue: Queue<Request> | undefined;
  next: Request | undefined;
  previous: Request | undefined;
  seatedMs = 0;
  seatsHeld = 0;
  isAside = false;
  width = 1;
  readonly flow: number;
  readonly seconds: number;
  endsMs = 0;
  readonly #begin: (request: Request, nowMs: number) => void;
  constructor(flow: number, seconds: number, begin: (request: Request, nowMs: number) => void) {
    this.flow = flow;
    this.seconds = seconds;
    this.#begin = begin;
  }
  begin(nowMs: number): void {
    this.#begin(this, nowMs);
  }
}

/** Runs the level until `requests` have ended. Returns the seconds that each flow has used, and how often it was refused. */
function simulate(seats: number, queues: number, flows: readonly Flow[], requests: number) {
  const set = new QueueSet<Request>({ waiting: 0 });
  set.configure({ seats, queues, queueLengthMax: 5 }, 0);
  const executing = new Set<Request>();
  const used = flows.map(() => 0);
  const sent = flows.map(() => 0);
  const refused = flows.map(() => 0);
  let nowMs = 0;
  let most = 0;
  const begin = (request: Request, atMs: number) => {
    request.endsMs = atMs + request.seconds * 1_000;
    executing.add(request);
    most = Math.max(most, executing.size);
  };
  const send = (at: number) => {
    const { hand, serviceSeconds } = flows[at]!;
    const request = new Request(at, serviceSeconds[sent[at]!++ % serviceSeconds.length]!, begin);
    const entry = set.enter(request, hand, nowMs);
    if (entry === "executing") begin(request, nowMs);
    if (entry === "queue-full") refused[at]!++;
  };
  flows.forEach(({ outstanding }, at) => {
    for (let count = 0; count < outstanding; count++) send(at);
  });
  for (let ended = 0; ended < requests; ended++) {
    const next = [...executing].reduce((first, one) => (one.endsMs < first.endsMs ? one : first));
    executing.delete(next);
    nowMs = next.endsMs;
    used[next.flow]! += next.seconds;
    set.leave(next, nowMs);
    send(next.flow);
  }
  return { used, refused, most };
}

const seconds = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
const secondsMax = 100;
/** Two queues that always have requests never differ by more: the estimate that is charged in advance, and one request. */
const differenceMax = (seats: number) => (seats + 1) * estimatedServiceSeconds + secondsMax;

test("queues that always have requests get the same time, so that none starves", () => {
  const flow = fc.record({ outstanding: fc.integer({ min: 7, max: 20 }), serviceSeconds: seconds });
  const level = fc.record({
    seats: fc.integer({ min: 1, max: 5 }),
    flows: fc.array(flow, { minLength: 2, maxLength: 6 }),
  });
  fc.assert(
    fc.property(level, ({ seats, flows }) => {
      const alone = flows.map((one, at) => ({ ...one, hand: [at] }));
      const { used, most } = simulate(seats, flows.length, alone, 1_000);
      expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(differenceMax(seats));
      expect(Math.min(...used)).toBeGreaterThan(0);
      expect(most).toBe(seats);
    }),
    { numRuns: 60 },
  );
});

test("a flow that floods all its queues gets the share of those queues at most, and is refused beyond their length", () => {
  const level = fc.record({
    seats: fc.integer({ min: 1, max: 5 }),
    handSize: fc.integer({ min: 1, max: 4 }),
    honest: fc.array(seconds, { minLength: 1, maxLength: 6 }),
    flood: seconds,
  });
  fc.assert(
    fc.property(level, ({ seats, handSize, honest, flood }) => {
      const hand = Array.from({ length: handSize }, (_, at) => at);
      const flows = [
        { hand, outstanding: 500, serviceSeconds: flood },
        ...honest.map((serviceSeconds, at) => ({ hand: [handSize + at], outstanding: 7, serviceSeconds })),
      ];
      const { used, refused } = simulate(seats, handSize + honest.length, flows, 1_000);
      const total = used.reduce((sum, one) => sum + one, 0);
      const share = (total * handSize) / (handSize + honest.length);
      expect(used[0]).toBeLessThanOrEqual(share + handSize * differenceMax(seats));
      expect(refused[0]).toBeGreaterThan(0);
      // An honest flow sends no more requests than its queue and a seat can hold.
      for (const each of used.slice(1)) expect(each).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

test("requests of any width that arrive in any order are all served, and nothing is left", () => {
  const arrival = fc.record({
    queue: fc.integer({ min: 0, max: 3 }),
    width: fc.integer({ min: 1, max: 5 }),
    leaves: fc.boolean(),
    gives: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.array(arrival, { maxLength: 200 }),
      (seats, areWide, arrivals) => {
        const total = { waiting: 0 };
        const set = new QueueSet<Request>(total);
        set.configure({ seats, queues: 4, queueLengthMax: 20 }, 0);
        const executing = new Set<Request>();
        const waiting = new Set<Request>();
        const begin = (request: Request) => {
          waiting.delete(request);
          executing.add(request);
        };
        const endOne = (nowMs: number) => {
          const [request] = executing;
          if (request === undefined) return;
          executing.delete(request);
          set.leave(request, nowMs);
        };
        arrivals.forEach(({ queue, width, leaves, gives }, nowMs) => {
          const request = new Request(0, 1, begin);
          if (areWide) request.width = width;
          const entry = set.enter(request, [queue], nowMs);
          if (entry === "executing") executing.add(request);
          if (entry === "waiting") waiting.add(request);
          if (entry === "waiting" && gives) {
            waiting.delete(request);
            set.withdraw(request, nowMs);
          }
          if (leaves) endOne(nowMs);
          expect([set.executing, set.waiting]).toEqual([executing.size, waiting.size]);
          const held = [...executing].reduce((sum, { seatsHeld }) => sum + seatsHeld, 0);
          expect(held).toBeLessThanOrEqual(seats);
          // Seats are kept free only until a wide request can have them.
          const isBusy = areWide ? executing.size > 0 : held === seats;
          expect(waiting.size === 0 || isBusy).toBe(true);
        });
        while (executing.size > 0) endOne(arrivals.length);
        expect([waiting.size, set.isIdle, total.waiting, set.active()]).toEqual([0, true, 0, []]);
      },
    ),
  );
});

import { describe, expect, test } from "vitest";
import { estimatedServiceSeconds, type Queue, type QueuedRequest, QueueSet, waitingRequestsMax } from "./queue-set.ts";

class Request implements QueuedRequest<Request> {
  queue: Queue<Request> | undefined;
  next: Request | undefined;
  previous: Request | undefined;
  seatedMs = 0;
  seatsHeld = 0;
  isAside = false;
  readonly width: number;
  readonly #began: (name: string) => void;
  readonly name: string;
  constructor(name: string, began: (name: string) => void = () => {}, width = 1) {
    this.name = name;
    this.width = width;
    this.#began = began;
  }
  begin(): void {
    this.#began(this.name);
  }
}

/** A level with a clock of its own; `began` has the requests that waited, in the order in which they got seats. */
function open({ seats = 1, queues = 8, queueLengthMax = 10, total = { waiting: 0 } } = {}) {
  const set = new QueueSet<Request>(total);
  set.configure({ seats, queues, queueLengthMax }, 0);
  const began: string[] = [];
  const scene = {
    set,
    began,
    nowMs: 0,
    enter(name: string, hand: number[] = [0], width = 1) {
      const request = new Request(name, (one) => began.push(one), width);
      return { request, entry: set.enter(request, hand, scene.nowMs) };
    },
    leave: (request: Request) => set.leave(request, scene.nowMs),
  };
  return scene;
}

describe("seats", () => {
  test("are used until none is left; then requests wait", () => {
    const { enter, set } = open({ seats: 2 });
    expect([enter("a"), enter("b"), enter("c")].map(({ entry }) => entry)).toEqual([
      "executing",
      "executing",
      "waiting",
    ]);
    expect([set.executing, set.waiting, set.isIdle]).toEqual([2, 1, false]);
  });
  test("of a level without queues are its only capacity", () => {
    const { enter, leave } = open({ queues: 0 });
    const first = enter("a");
    expect([first.entry, enter("b").entry]).toEqual(["executing", "concurrency-limit"]);
    leave(first.request);
    expect(enter("c").entry).toBe("executing");
  });
  test("that are added are used at once by waiting requests", () => {
    const { enter, set, began } = open();
    for (const name of ["a", "b", "c", "d"]) enter(name);
    set.configure({ seats: 3, queues: 8, queueLengthMax: 10 }, 0);
    expect(began).toEqual(["b", "c"]);
  });
  test("that are removed are not taken from executing requests", () => {
    const { enter, leave, set, began } = open({ seats: 2 });
    const [a, b] = [enter("a"), enter("b")];
    enter("c");
    set.configure({ seats: 1, queues: 8, queueLengthMax: 10 }, 0);
    leave(a.request);
    expect(began).toEqual([]);
    leave(b.request);
    expect(began).toEqual(["c"]);
  });
});

describe("queues", () => {
  test("are first in, first out", () => {
    const { enter, leave, began } = open();
    const { request } = enter("a");
    for (const name of ["b", "c"]) enter(name);
    leave(request);
    expect(began).toEqual(["b"]);
  });
  test("reject requests over their length", () => {
    const { enter } = open({ queueLengthMax: 2 });
    const entries = ["a", "b", "c", "d"].map((name) => enter(name).entry);
    expect(entries).toEqual(["executing", "waiting", "waiting", "queue-full"]);
  });
  test("of a hand are filled evenly", () => {
    const { enter, set } = open({ queues: 8 });
    enter("a", [5, 2, 7]);
    for (let count = 0; count < 6; count++) enter("x", [5, 2, 7]);
    expect(set.active().map(({ index, waiting }) => [index, waiting])).toEqual([
      [2, 2],
      [5, 2],
      [7, 2],
    ]);
  });
  test("are left by requests whose callers have gone, also from the middle", () => {
    const { enter, leave, set, began } = open();
    const { request } = enter("a");
    const waiting = ["b", "c", "d"].map((name) => enter(name).request);
    set.withdraw(waiting[1]!, 0);
    set.withdraw(waiting[0]!, 0);
    expect(set.waiting).toBe(1);
    leave(request);
    expect(began).toEqual(["d"]);
  });
  test("that are no longer configured are served to their end", () => {
    const { enter, leave, set, began } = open({ queues: 8 });
    const { request } = enter("a", [7]);
    enter("b", [7]);
    set.configure({ seats: 1, queues: 2, queueLengthMax: 1 }, 0);
    enter("c", [1]);
    leave(request);
    expect(began.length).toBe(1);
    expect(set.active().map(({ index }) => index)).toContain(7);
  });
  test("of all levels together are bounded", () => {
    const { enter } = open({ total: { waiting: waitingRequestsMax } });
    expect([enter("a").entry, enter("b").entry]).toEqual(["executing", "queue-full"]);
  });
  test("are removed when their last request has ended", () => {
    const { enter, leave, set } = open();
    leave(enter("a", [3]).request);
    expect([set.active(), set.isIdle]).toEqual([[], true]);
  });
});

describe("virtual time", () => {
  test("a queue is charged the estimate when a request begins, and the time it took when it ends", () => {
    const scene = open({ seats: 2 });
    const first = scene.enter("a").request;
    scene.enter("b");
    const virtualStart = () => scene.set.active()[0]!.virtualStart;
    expect(virtualStart()).toBe(2 * estimatedServiceSeconds);
    scene.nowMs = 3_000;
    scene.leave(first);
    expect(virtualStart()).toBe(estimatedServiceSeconds + 3);
  });
  test("passes at the rate of seats in use, divided by the queues that have requests", () => {
    const scene = open({ seats: 4 });
    scene.enter("a", [0]);
    scene.enter("a", [0]);
    scene.enter("b", [1]);
    scene.nowMs = 10_000; // 3 seats, 2 queues: 15 virtual seconds
    scene.enter("c", [2]);
    expect(scene.set.active()[2]!.virtualStart).toBe(15 + estimatedServiceSeconds);
  });
  test("a seat goes to the queue that has used least", () => {
    const scene = open({ seats: 1 });
    const long = scene.enter("long", [0]).request;
    scene.enter("long again", [0]);
    scene.nowMs = 30_000;
    scene.enter("short", [1]);
    scene.leave(long);
    expect(scene.began).toEqual(["short"]);
  });
  test("queues that have used the same are served in rotation", () => {
    const scene = open({ seats: 1 });
    let current = scene.enter("first", [3]).request;
    const all = new Map<string, Request>();
    for (const round of [1, 2]) {
      for (const queue of [0, 1, 2]) {
        const name = `${queue}-${round}`;
        all.set(name, scene.enter(name, [queue]).request);
      }
    }
    for (let count = 0; count < 6; count++) {
      scene.nowMs += 1_000;
      scene.leave(current);
      current = all.get(scene.began.at(-1)!)!;
    }
    expect(scene.began.map((name) => name.slice(0, 1)).join("")).toBe("012012");
  });
});

describe("a request that waits for another server", () => {
  test("keeps its seat from its own flow, and lends it to flows without a request in progress", () => {
    const { enter, set, began } = open({ seats: 1 });
    const a = enter("a", [0]).request;
    expect(enter("a2", [0]).entry).toBe("waiting");
    expect(enter("b", [1]).entry).toBe("waiting");
    set.releaseSeat(a, 0);
    expect(began).toEqual(["b"]);
    expect(enter("b2", [1]).entry).toBe("waiting");
    expect(enter("c", [2]).entry).toBe("waiting");
  });
  test("lends it at once to a flow that arrives later", () => {
    const { enter, set } = open({ seats: 1 });
    set.releaseSeat(enter("a", [0]).request, 0);
    expect(enter("b", [1]).entry).toBe("executing");
  });
  test("lends nothing once it has come back", () => {
    const { enter, set } = open({ seats: 1 });
    const { request } = enter("a", [0]);
    set.releaseSeat(request, 0);
    set.comeBack(request);
    expect(enter("b", [1]).entry).toBe("waiting");
  });
  test("leaves nothing behind when it ends without coming back", () => {
    const { enter, leave, set } = open({ seats: 1 });
    const { request } = enter("a", [0]);
    set.releaseSeat(request, 0);
    leave(request);
    enter("b", [0]);
    expect(enter("c", [1]).entry).toBe("waiting");
  });
});

describe("a wide request", () => {
  test("holds as many seats as it is wide, and gives all of them back", () => {
    const { enter, leave, began, set } = open({ seats: 4 });
    const wide = enter("wide", [0], 3);
    expect([wide.entry, enter("a", [1]).entry, enter("b", [2]).entry]).toEqual(["executing", "executing", "waiting"]);
    for (const [at, name] of ["c", "d", "e"].entries()) enter(name, [3 + at]);
    expect([set.executing, set.waiting]).toEqual([2, 4]);
    leave(wide.request);
    expect(began).toEqual(["b", "c", "d"]);
  });
  test("holds all seats of a level that has fewer", () => {
    const { enter, leave, set } = open({ seats: 2 });
    const { request, entry } = enter("wide", [0], 9);
    expect([entry, enter("a", [1]).entry]).toEqual(["executing", "waiting"]);
    set.configure({ seats: 4, queues: 8, queueLengthMax: 10 }, 0);
    expect(set.executing).toBe(2);
    leave(request);
    expect(set.executing).toBe(1);
    expect(["b", "c", "d", "e"].map((name) => enter(name, [2]).entry)).toEqual([
      "executing",
      "executing",
      "executing",
      "waiting",
    ]);
  });
  test("is refused where a level without queues has too few seats", () => {
    const { enter, leave } = open({ seats: 3, queues: 0 });
    const first = enter("a");
    expect([enter("wide", [0], 3).entry, enter("wide", [0], 2).entry]).toEqual(["concurrency-limit", "executing"]);
    leave(first.request);
    expect(enter("b").entry).toBe("executing");
  });
  test("gets its seats when it is its turn: what comes later does not overtake it", () => {
    const { enter, leave, began } = open({ seats: 3 });
    const [a, b] = [enter("a", [0]), enter("b", [0])];
    const later = [enter("wide", [1], 3), enter("same flow", [1]), enter("other flow", [2])];
    expect(later.map(({ entry }) => entry)).toEqual(["waiting", "waiting", "waiting"]);
    leave(a.request);
    expect(began).toEqual([]);
    leave(b.request);
    expect(began).toEqual(["wide"]);
  });
  test("leaves the free seats to a flow that comes before it", () => {
    const { enter } = open({ seats: 3 });
    enter("a", [1]);
    expect([enter("wide", [1], 3).entry, enter("b", [2]).entry]).toEqual(["waiting", "executing"]);
  });
  test("that no longer waits leaves the seats that were kept for it to others", () => {
    const { enter, set, began } = open({ seats: 3 });
    enter("a", [0]);
    const wide = enter("wide", [1], 3);
    for (const [at, name] of ["b", "c", "d"].entries()) expect(enter(name, [2 + at]).entry).toBe("waiting");
    set.withdraw(wide.request, 0);
    expect(began).toEqual(["b", "c"]);
  });
  test("is charged to its flow for each of its seats", () => {
    const scene = open({ seats: 2 });
    const wide = scene.enter("wide", [0], 2);
    scene.enter("next", [0], 2);
    const virtualStart = () => scene.set.active()[0]?.virtualStart;
    expect(virtualStart()).toBe(2 * estimatedServiceSeconds);
    scene.nowMs = 10_000;
    scene.leave(wide.request);
    expect(scene.began).toEqual(["next"]);
    expect(virtualStart()).toBe(2 * 10 + 2 * estimatedServiceSeconds);
  });
  test("that waits for another server lends all its seats", () => {
    const { enter, set } = open({ seats: 2 });
    const { request } = enter("wide", [0], 2);
    set.releaseSeat(request, 0);
    expect([enter("a", [1]), enter("b", [2]), enter("c", [3])].map(({ entry }) => entry)).toEqual([
      "executing",
      "executing",
      "waiting",
    ]);
    set.comeBack(request);
    expect(enter("d", [4]).entry).toBe("waiting");
  });
});

import { afterEach, expect, test } from "vitest";
import { createManualClock } from "../../base/clock.ts";
import type { Fairness, Phase, Ticket } from "../../flowcontrol/contract.ts";
import type { HandlerOptions } from "../contract/handler-options.ts";
import { ask, openTestServer, type TestServer } from "../server.fixture.ts";

class StubTicket implements Ticket {
  readonly schemaUid = "schema";
  readonly levelUid = "level";
  phase: Phase = "waiting";
  settle: () => void = () => {};
  onSettled(callback: () => void): void {
    this.settle = callback;
  }
  end(): void {
    this.phase = "ended";
  }
  releaseSeat(): () => void {
    return () => {};
  }
}

let server: TestServer | undefined;
afterEach(() => server?.close());

/** A server whose requests all wait until the test decides. */
async function open(options: Partial<HandlerOptions> = {}) {
  const tickets: StubTicket[] = [];
  const fairness: Fairness = {
    admit() {
      const ticket = new StubTicket();
      tickets.push(ticket);
      return ticket;
    },
  };
  server = await openTestServer({ fairness, ...options });
  const first = async () => {
    await expect.poll(() => tickets.length).toBe(1);
    return tickets[0]!;
  };
  return { fetch: server.fetch, tickets, first };
}
const path = "/apis/toys.example.com/v1/namespaces/a/gadgets";

test("a waiting request continues when it gets a seat, and releases the seat", async () => {
  const { fetch, first } = await open();
  const answer = fetch(path);
  const ticket = await first();
  ticket.phase = "executing";
  ticket.settle();
  const { status, headers } = await answer;
  expect([status, headers.get("x-orch-pf-flowschema-uid"), headers.get("x-orch-pf-prioritylevel-uid")]).toEqual([
    200,
    "schema",
    "level",
  ]);
  await expect.poll(() => ticket.phase).toBe("ended");
});

test("a request that never gets a seat gets 429", async () => {
  const { fetch, first } = await open();
  const answer = ask(fetch, "GET", path);
  const ticket = await first();
  ticket.phase = "rejected";
  ticket.settle();
  expect(await answer).toEqual([429, "Too many requests, please try again later.\n"]);
});

test("a request that times out while it waits gets 504, and no longer waits", async () => {
  const clock = createManualClock(0);
  const { fetch, first } = await open({ clock });
  const answer = fetch(`${path}?timeout=1s`);
  const ticket = await first();
  clock.advance(2_000);
  expect((await answer).status).toBe(504);
  expect(await (await answer).text()).toContain("request did not complete within");
  await expect.poll(() => ticket.phase).toBe("ended");
});

test("a request whose caller leaves no longer waits", async () => {
  const { fetch, first } = await open();
  const leaving = new AbortController();
  const answer = fetch(path, { signal: leaving.signal });
  const ticket = await first();
  leaving.abort();
  await expect(answer).rejects.toThrow();
  await expect.poll(() => ticket.phase).toBe("ended");
});

test("watches do not need a seat", async () => {
  const { fetch, tickets } = await open();
  const leaving = new AbortController();
  expect((await fetch(`${path}?watch=1`, { signal: leaving.signal })).status).toBe(200);
  expect(tickets).toEqual([]);
  leaving.abort();
});

test("the number of waiting requests is bounded in all modes", async () => {
  const { fetch, tickets } = await open({ limits: { arrivedMax: 2 } });
  const waiting = [fetch(path), fetch(path)];
  expect((await fetch(path)).status).toBe(429);
  for (const ticket of tickets) {
    ticket.phase = "executing";
    ticket.settle();
  }
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
});

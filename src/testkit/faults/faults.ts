/** The faults of one server: each request is compared with all of them, in the order in which they were added. */

import { type Clock, sleep } from "../../base/clock.ts";
import { type Log, silentLog } from "../../base/log.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { SeenRequest } from "../../http/contract/interventions.ts";
import { overrideExchange } from "../../http/contract/override-exchange.ts";
import { StatusError, type StatusReason, statusReasons } from "../../machinery/status/status.ts";
import { checkFault } from "./check.ts";
import type { FaultAction, Faults, PlannedFault, RefusedStatus } from "./contract.ts";
import { createTurns, matches } from "./match.ts";
import { createStaleLists, type StaleLists } from "./stale-lists.ts";
import { type EventAction, withEventFaults } from "./watch-events.ts";

export interface OpenFaults extends Faults {
  readonly isActive: boolean;
  /** Throws a StatusError to refuse the request. */
  enter(request: SeenRequest): void | Promise<void>;
}

interface Planned extends PlannedFault {
  hits: number;
  readonly lists: StaleLists;
  isTurn(): boolean;
}

export function createFaults(clock: () => Clock, log: Log = silentLog): OpenFaults {
  let planned: Planned[] = [];
  const plan = (next: Planned[]): void => {
    if (next.length > planned.length) log.warn("faults are active: requests fail on purpose", { count: next.length });
    else if (next.length === 0 && planned.length > 0) log.info("faults are no longer active");
    planned = next;
  };

  const act = (request: SeenRequest, one: Planned, action: FaultAction): void | Promise<void> => {
    one.hits++;
    if ("latencyMs" in action) return sleep(clock(), action.latencyMs, request.exchange.signal);
    if ("status" in action) {
      if (action.when !== "after") throw refusalOf(action);
      request.exchange = failingAfter(request.exchange, action);
    }
    if ("connection" in action) {
      if (action.connection === "cut") request.exchange = cutting(request.exchange);
      else {
        request.exchange.destroy();
        throw new StatusError("ServiceUnavailable", "a fault has refused the connection");
      }
    }
  };

  return {
    get isActive() {
      return planned.length > 0;
    },
    get all() {
      return planned;
    },
    add(fault) {
      checkFault(fault);
      const isTurn = createTurns(fault.match ?? {});
      const one: Planned = {
        fault,
        hits: 0,
        isTurn,
        lists: createStaleLists(),
        remove() {
          plan(planned.filter((each) => each !== one));
        },
      };
      plan([...planned, one]);
      return one;
    },
    clear() {
      plan([]);
    },
    async enter(request) {
      if (request.path === "/version") request.exchange = tellingOfFaults(request.exchange, planned.length);
      const ofEvents: EventAction[] = [];
      // All of them count the request before one of them refuses it.
      const due: Planned[] = [];
      for (const one of planned) {
        const { match = {}, do: action } = one.fault;
        if (!matches(match, request)) continue;
        if (isOfEvents(action)) {
          const hit = () => {
            one.hits++;
          };
          if (request.verb === "watch") ofEvents.push({ action, isTurn: one.isTurn, hit });
        } else if ("list" in action) {
          const hit = () => {
            one.hits++;
          };
          if (request.verb === "list")
            request.exchange = one.lists.pass(request.exchange, { isTurn: one.isTurn(), hit });
        } else if (one.isTurn()) due.push(one);
      }
      for (const one of due) await act(request, one, one.fault.do);
      if (ofEvents.length > 0) request.exchange = withEventFaults(request.exchange, ofEvents, clock());
    },
  };
}

function isOfEvents(action: FaultAction): action is EventAction["action"] {
  return "events" in action || "expireAfterEvents" in action || "bookmarks" in action;
}

function reasonOf({ status, reason }: RefusedStatus): StatusReason | undefined {
  // Of several reasons with one code the last is the usual one, but for 500: a ServerTimeout asks clients to try again.
  const known =
    status === statusReasons.InternalError
      ? "InternalError"
      : Object.entries(statusReasons).findLast(([, code]) => code === status)?.[0];
  return (reason ?? known) as StatusReason | undefined; // a test may name any
}

function refusalOf(action: RefusedStatus): StatusError {
  const { status, message = "a fault of the test", retryAfterSeconds } = action;
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new StatusError(reasonOf(action), message, { code: status, ...details });
}

/** What /version says while faults are active, so that clients can see that this server injects faults. */
function tellingOfFaults(exchange: Exchange, activeFaults: number): Exchange {
  return overrideExchange(exchange, {
    send(status, headers, body = "") {
      if (status !== 200) return exchange.send(status, headers, body);
      const version = JSON.parse(body.toString()) as object; // as the server has printed it
      exchange.send(status, headers, JSON.stringify({ ...version, activeFaults }, undefined, 2));
    },
  });
}

/** Reports the success of a request as a failure. */
function failingAfter(exchange: Exchange, action: RefusedStatus): Exchange {
  const { status, retryAfterSeconds } = action;
  let isReplaced = false;
  const fail = () => {
    isReplaced = true;
    const retry = retryAfterSeconds === undefined ? {} : { "retry-after": retryAfterSeconds };
    const body = JSON.stringify(refusalOf(action).toStatus());
    exchange.send(status, { "content-type": "application/json", ...retry }, body);
  };
  return overrideExchange(exchange, {
    send(code, headers, body) {
      if (code < 300) fail();
      else exchange.send(code, headers, body);
    },
    respond: () => fail(),
    write: (chunk) => isReplaced || exchange.write(chunk),
    end() {
      if (!isReplaced) exchange.end();
    },
  });
}

/** Carries the request out, and loses its answer. */
function cutting(exchange: Exchange): Exchange {
  const cut = () => exchange.destroy();
  return overrideExchange(exchange, { send: cut, respond: cut, respondEvents: cut });
}

/** The faults of one server: each request is compared with all of them, in the order in which they were added. */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { SeenRequest } from "../../http/contract/interventions.ts";
import { overrideExchange } from "../../http/contract/override-exchange.ts";
import { StatusError, type StatusReason, statusReasons } from "../../machinery/status/status.ts";
import type { Fault, FaultAction, Faults, PlannedFault, RefusedStatus } from "./contract.ts";
import { createTurns, matches } from "./match.ts";
import { type EventAction, withEventFaults } from "./watch-events.ts";

export interface OpenFaults extends Faults {
  readonly isActive: boolean;
  /** Throws a StatusError to refuse the request. */
  enter(request: SeenRequest): void | Promise<void>;
}

interface Planned extends PlannedFault {
  hits: number;
  isTurn(): boolean;
}

export function createFaults(clock: () => Clock): OpenFaults {
  let planned: Planned[] = [];

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
      check(fault);
      const isTurn = createTurns(fault.match ?? {});
      const one: Planned = {
        fault,
        hits: 0,
        isTurn,
        remove() {
          planned = planned.filter((each) => each !== one);
        },
      };
      planned = [...planned, one];
      return one;
    },
    clear() {
      planned = [];
    },
    async enter(request) {
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

function check({ do: action, match = {} }: Fault): void {
  const kinds = ["latencyMs", "status", "connection", "events", "expireAfterEvents", "bookmarks"];
  const named = kinds.filter((kind) => kind in action);
  if (named.length !== 1) throw new Error(`a fault does one of ${kinds.join(", ")}, not ${JSON.stringify(action)}`);
  if ("status" in action && !(action.status >= 400 && action.status <= 599))
    throw new Error(`the status of a fault is from 400 to 599, not ${action.status}`);
  for (const count of [match.nth, match.every])
    if (count !== undefined && !(Number.isInteger(count) && count >= 1))
      throw new Error(`nth and every of a fault begin with 1, not ${count}`);
}

function reasonOf({ status, reason }: RefusedStatus): StatusReason | undefined {
  const known = Object.entries(statusReasons).findLast(([, code]) => code === status)?.[0];
  return (reason ?? known) as StatusReason | undefined; // a test may name any
}

function refusalOf(action: RefusedStatus): StatusError {
  const { status, message = "a fault of the test", retryAfterSeconds } = action;
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new StatusError(reasonOf(action), message, { code: status, ...details });
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

import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { AuditRecord } from "../../audit/contract.ts";
import type { Exchange } from "../contract/exchange.ts";
import { overrideExchange } from "../contract/override-exchange.ts";
import { Call } from "../request/call.ts";
import { createMemoryFetch } from "../transport/memory-exchange.ts";
import { announceStart } from "./stages.ts";

/** What happens in the order in which it does, while `answer` answers a request. */
async function happenings(answer: (exchange: Exchange, note: (what: string) => void) => void): Promise<string[]> {
  const happened: string[] = [];
  const audit: AuditRecord = {
    wantsRequest: false,
    wantsResponse: false,
    impersonates() {},
    annotate() {},
    refersTo() {},
    requestObject() {},
    responseObject() {},
    reach: (stage, reached) => void happened.push(`${stage} ${reached?.code}`),
  };
  const fetch = createMemoryFetch((exchange) => {
    const upgrade = { protocol: "SPDY/3.1", accept: () => new PassThrough() };
    const call = new Call(overrideExchange(exchange, { upgrade }), 0, { monotonic: () => 0 });
    call.audit = audit;
    answer(announceStart(call), (what) => happened.push(what));
    if (!exchange.responded) exchange.send(200, {});
    return undefined;
  });
  await fetch("/api/v1/namespaces/default/pods/web/exec");
  return happened;
}

test("the start of a long answer is recorded when it starts, not when it ends", async () => {
  const happened = await happenings((exchange, note) => {
    exchange.respond(206, {});
    note("hours pass");
    exchange.end();
  });
  expect(happened).toEqual(["ResponseStarted 206", "hours pass"]);
});

test("a connection that changes its protocol starts with code 101", async () => {
  const happened = await happenings((exchange, note) => {
    exchange.upgrade?.accept({}).end();
    note("hours pass");
  });
  expect(happened).toEqual(["ResponseStarted 101", "hours pass"]);
});

/** For tests of plans without a server: a client that keeps what it is sent, and the plan as it is carried out. */

import type { AnyObject, Client } from "../client/contract.ts";
import { carryOut } from "./carry-out.ts";
import type { Plan, PodWriter } from "./plan.ts";

export interface CarriedOut {
  /** In order: "create pods ns/a", "Normal Created: …", "again in 5". */
  readonly log: readonly string[];
  /** What was sent, in order. */
  readonly sent: readonly AnyObject[];
  readonly error: unknown;
}

/** `answer`: what the server does; by default it takes every write. A thrown error is its refusal. */
export async function carriedOut(
  plan: Plan | undefined,
  answer: (request: string) => AnyObject | undefined = () => undefined,
  pods?: PodWriter,
): Promise<CarriedOut> {
  const log: string[] = [];
  const sent: AnyObject[] = [];
  const call = (verb: string, resource: string, ref: { namespace?: string | undefined; name?: string | undefined }) => {
    const text = `${verb} ${resource} ${ref.namespace ? `${ref.namespace}/` : ""}${ref.name ?? ""}`;
    log.push(text);
    return answer(text);
  };
  const of = ({ resource }: { resource: string }) => {
    const write = (verb: string) => async (object: AnyObject) => {
      sent.push(object);
      return call(verb, resource, object.metadata) ?? object;
    };
    return {
      get: async (ref: { name: string }) => call("get", resource, ref),
      create: write("create"),
      update: write("update"),
      updateStatus: write("updateStatus"),
      patch: async (ref: { name: string }, patch: AnyObject) => {
        sent.push(patch);
        return call("patch", resource, ref) ?? patch;
      },
      delete: async (ref: { name: string }) => void call("delete", resource, ref),
      subresource: async (ref: { name: string }, name: string, body: AnyObject) => {
        sent.push(body);
        return call(`put ${name} of`, resource, ref) ?? body;
      },
    };
  };
  let error: unknown;
  try {
    await carryOut(plan ?? {}, {
      key: "key",
      client: { of, at: of } as unknown as Client, // the part that plans use
      recorder: { event: (_, type, reason, message) => void log.push(`${type} ${reason}: ${message}`) },
      queue: { addAfter: (_, ms) => void log.push(`again in ${ms}`) },
      pods,
    });
  } catch (thrown) {
    error = thrown;
  }
  return { log, sent, error };
}

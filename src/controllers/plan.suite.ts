/** For tests of plans without a server: a client that keeps what it is sent, and the plan as it is carried out. */

import type { AnyObject, Ref } from "../client/contract.ts";
import { StatusError } from "../machinery/status/status.ts";
import { carryOut } from "./carry-out.ts";
import type { Plan, PodWriter } from "./plan.ts";

export interface CarriedOut {
  /** In order: "create pods ns/a", "Normal Created: …", "again in 5". */
  readonly log: readonly string[];
  /** What was sent, in order. */
  readonly sent: readonly AnyObject[];
  readonly error: unknown;
}

/**
 * `answer`: what the server does; by default it takes every write, and has no object that is read. A thrown error is its refusal.
 * `listed`: the objects of all lists.
 */
export async function carriedOut(
  plan: Plan | undefined,
  answer: (request: string) => AnyObject | undefined = () => undefined,
  pods?: PodWriter,
  listed: readonly AnyObject[] = [],
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
      async get(ref: Ref) {
        const found = call("get", resource, ref);
        if (found === undefined) throw new StatusError("NotFound", `${ref.name} is not there`);
        return found;
      },
      async list({ namespace }: { readonly namespace?: string | undefined } = {}) {
        call("list", resource, { namespace });
        return { items: [...listed], resourceVersion: "1", continue: "" };
      },
      create: write("create"),
      update: write("update"),
      updateStatus: write("updateStatus"),
      async patch(ref: Ref, patch: unknown) {
        const changes = patch as AnyObject; // plans patch with objects
        sent.push(changes);
        return call("patch", resource, ref) ?? changes;
      },
      async delete(ref: Ref) {
        call("delete", resource, ref);
        return {};
      },
      async subresource(ref: Ref, name: string, body: AnyObject) {
        sent.push(body);
        return call(`put ${name} of`, resource, ref) ?? body;
      },
    };
  };
  let error: unknown;
  try {
    await carryOut(plan ?? {}, {
      key: "key",
      client: { of, at: of },
      recorder: { event: (_, type, reason, message) => void log.push(`${type} ${reason}: ${message}`) },
      queue: { addAfter: (_, ms) => void log.push(`again in ${ms}`) },
      pods,
    });
  } catch (thrown) {
    error = thrown;
  }
  return { log, sent, error };
}

/** Carries out a plan: sends its requests, records its Events, and adds the key of its object to the queue again. */

import type { WorkQueue } from "../base/queue/contract.ts";
import type { AnyObject, Ref, ResourceAddress, ResourceClient, WriteOptions } from "../client/contract.ts";
import type { Recorder } from "../client/events/contract.ts";
import { hasReason, isNamespaceTerminating } from "../client/requests/send.ts";
import type { Kind } from "../machinery/schema/kind.ts";
import type { ListRequest, Plan, PlannedEvent, PodOutcome, PodWriter, Request, Results } from "./plan.ts";

/** The calls of one resource that plans use. */
interface PlanCalls
  extends Pick<ResourceClient<AnyObject>, "get" | "list" | "create" | "update" | "updateStatus" | "patch" | "delete"> {
  subresource(
    ref: Ref,
    name: string,
    body: AnyObject,
    method: "PUT",
    options?: Pick<WriteOptions, "cause">,
  ): Promise<AnyObject>;
}

/** The part of a client that plans use. */
interface PlanClient {
  of(kind: Kind<AnyObject>): PlanCalls;
  at(address: ResourceAddress): PlanCalls;
}

interface CarryOutOptions {
  /** The key that the plan was made for. */
  readonly key: string;
  readonly client: PlanClient;
  readonly recorder: Recorder;
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** What the writes say that they were made for. Absent: nothing, or the client knows. */
  readonly cause?: string | undefined;
  /** Absent: plans of this queue have no pods. */
  readonly pods?: PodWriter | undefined;
}

/** Fails with the first failure that no part of the plan deals with. */
export async function carryOut(plan: Plan, options: CarryOutOptions): Promise<void> {
  const answers = new Answers();
  try {
    await send(plan, answers, options);
  } catch (error) {
    const after = plan.failed?.(error, answers);
    if (after === undefined) throw error;
    // The first failure is the one to report: if the queue tries the key again, this plan is repeated too.
    if (after.recovered !== true) await carryOut(after, options).catch(() => {});
    else return await carryOut(after, options);
    throw error;
  }
  const next = plan.next?.(answers);
  if (next !== undefined) await carryOut(next, options);
  if (plan.failure !== undefined) throw plan.failure;
}

async function send(plan: Plan, answers: Answers, options: CarryOutOptions): Promise<void> {
  const { key, client, recorder, queue, pods, cause } = options;
  const record = ({ about = plan.about, type, reason, message }: PlannedEvent) => {
    if (about !== undefined) recorder.event(about, type, reason, message, cause);
  };
  for (const request of plan.reads ?? []) answers.set(request, await answerTo(client, request, cause));
  for (const request of plan.lists ?? []) {
    const { items } = await client.of(request.kind).list({ namespace: request.namespace });
    answers.setList(request, items);
  }
  if (plan.pods !== undefined) {
    if (pods === undefined) throw new Error("a plan with pods needs the PodWriter of its queue");
    const { error, ...outcome } = await pods.change(key, plan.about as AnyObject, plan.pods, cause); // an owner of pods
    answers.pods = outcome;
    if (error !== undefined) throw error;
  }
  for (const request of [...(plan.writes ?? []), ...(plan.status === undefined ? [] : [plan.status])]) {
    if (request.announce !== undefined) record(request.announce);
    const answer = await answerTo(client, request, cause).catch((error: unknown) => {
      const event = request.refused?.(error);
      if (event !== undefined) record(event);
      throw error;
    });
    answers.set(request, answer);
    if (answer !== undefined) for (const event of request.events ?? []) record(event);
  }
  for (const event of plan.events ?? []) record(event);
  if (plan.reviewInMs !== undefined) queue.addAfter(key, plan.reviewInMs);
}

/** Undefined: refused for a reason that the request tolerates. */
async function answerTo(
  client: PlanClient,
  { kind, call, tolerates = [], ignoresAnswer = false }: Request<AnyObject>,
  cause: string | undefined,
): Promise<AnyObject | undefined> {
  const resource = "namespaced" in kind ? client.at(kind) : client.of(kind);
  const isPlain = cause === undefined && !ignoresAnswer;
  const withBoth = <O extends WriteOptions>(options?: O) =>
    isPlain ? options : { ...options, ...(ignoresAnswer && { ignoresAnswer }), cause };
  try {
    switch (call.verb) {
      case "get":
        return await resource.get(call.ref);
      case "create":
      case "update":
      case "updateStatus":
        return await resource[call.verb](call.object, withBoth(call.options));
      case "patch":
        return await resource.patch(call.ref, call.patch, withBoth(call.options));
      case "delete":
        await resource.delete(call.ref, withBoth(call.options));
        return deleted;
      case "put":
        return await resource.subresource(call.ref, call.subresource, call.body, "PUT", withBoth());
    }
  } catch (error) {
    const isTolerated = tolerates.some((reason) =>
      reason === "NamespaceTerminating" ? isNamespaceTerminating(error) : hasReason(error, reason),
    );
    if (isTolerated) return undefined;
    throw error;
  }
}

/** The answer to a delete that succeeded: the server may still have the object. */
const deleted: AnyObject = { metadata: {} };

class Answers implements Results {
  pods: PodOutcome = { created: 0, deleted: 0 };
  readonly #objects = new Map<Request<AnyObject>, AnyObject | undefined>();

  readonly #lists = new Map<ListRequest<AnyObject>, readonly AnyObject[]>();

  set(request: Request<AnyObject>, object: AnyObject | undefined): void {
    this.#objects.set(request, object);
  }
  setList(request: ListRequest<AnyObject>, items: readonly AnyObject[]): void {
    this.#lists.set(request, items);
  }
  listed<T extends AnyObject>(request: ListRequest<T>): readonly T[] {
    return (this.#lists.get(request) ?? []) as readonly T[]; // what the server answered to this very request
  }
  of<T extends AnyObject>(request: Request<T>): T | undefined {
    return this.#objects.get(request) as T | undefined; // what the server answered to this very request
  }
}

/** A client for users, on top of a `Fetch` that has its credentials. */

import { amount, anObject, checkOptions, filled, required, text } from "../base/check-options.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type FollowsWork, followWork } from "../base/queue/followed-work.ts";
import { createClient } from "../client/client.ts";
import type { AnyObject, Fetch, KindTraits, ServedKind } from "../client/contract.ts";
import { discoverVersion } from "../client/discovery/discover.ts";
import { createInformers } from "../client/informer/informers.ts";
import { keysAcross } from "../client/informer/keys.ts";
import { stalledAfterMsDefault } from "../client/informer/stalled.ts";
import { apiVersionOf } from "../client/requests/address.ts";
import { createSender, type Sender } from "../client/requests/send.ts";
import type { Upgrade } from "../client/streams/contract.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { Client, Resource, ResourceName } from "./contract.ts";
import { type AcrossWorkspaces, inWorkspaceOf } from "./in-workspace.ts";
import { createResource } from "./resource.ts";
import { type Traced, tracingOf } from "./tracing.ts";
import { runTransaction } from "./transaction.ts";
import { createUntypedObject } from "./untyped-object.ts";

export interface UserClientOptions extends FollowsWork, Traced, AcrossWorkspaces {
  readonly fetch: Fetch;
  readonly upgrade: Upgrade;
  readonly vocabulary: Vocabulary;
  readonly namespace: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: none. */
  readonly requestTimeoutMs?: number | undefined;
  close(): void;
}

export function createUserClient(options: UserClientOptions): Client {
  const { fetch, upgrade, vocabulary, namespace, userAgent, clock, log, requestTimeoutMs, close } = options;
  const sending = { fetch, clock, userAgent, requestTimeoutMs, retriesResets: true };
  const send = createSender(sending);
  // Programs that use the kit expect numbers, and print objects with JSON.stringify.
  const client = createClient({ ...sending, vocabulary, codec: JSON });
  const around = { namespace, vocabulary, send, upgrade };
  const keys = options[inWorkspaceOf] && keysAcross;
  const of = <T extends AnyObject, K extends KindTraits>(kind: ServedKind<T, K>) =>
    createResource<T>(client.of<T>(kind), around) as Resource<T, KindTraits> as Resource<T, K>; // fewer calls, more of the answers
  return {
    vocabulary: vocabulary.name,
    namespace,
    userAgent,
    clock,
    requestTimeoutMs,
    fetch,
    upgrade,
    [followWork]: options[followWork],
    [tracingOf]: options[tracingOf],
    [inWorkspaceOf]: options[inWorkspaceOf],
    of,
    transaction: async (change, given) => runTransaction({ namespace, send, clock, of }, change, given),
    async resource(wanted) {
      checkOptions("resource", wanted, {
        group: required(text),
        version: required(filled),
        resource: required(filled),
      });
      return createResource(client.at(await findResource(send, wanted)), around);
    },
    object: (object) =>
      createUntypedObject(object, {
        async resourceOf({ group, version, kind }) {
          const served = await discoverVersion(send, { group, version });
          const found = served.find((each) => each.kind === kind);
          if (found !== undefined) return createResource(client.at(found), around);
          throw new StatusError("NotFound", `the server has no kind "${kind}" in ${apiVersionOf({ group, version })}`);
        },
      }),
    informers(options = {}) {
      checkOptions("informers", options, { stalledAfterMs: amount(1), namespace: text, signal: anObject });
      const { stalledAfterMs = stalledAfterMsDefault, namespace, signal } = options;
      const made = createInformers({ client, clock, log, stalledAfterMs, namespace, listsByWatch: true, keys });
      if (signal?.aborted) void made.close();
      signal?.addEventListener("abort", () => void made.close(), { once: true });
      return made;
    },
    discover: async () => client.discover(),
    close,
    [Symbol.dispose]: close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

async function findResource(send: Sender, { group, version, resource: wanted }: ResourceName) {
  const found = (await discoverVersion(send, { group, version })).find(({ resource }) => resource === wanted);
  if (found !== undefined) return found;
  throw new StatusError("NotFound", `the server has no resource "${wanted}" in ${apiVersionOf({ group, version })}`);
}

/** A client for users, on top of a `Fetch` that has its credentials. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createClient } from "../client/client.ts";
import type { Fetch } from "../client/contract.ts";
import { discoverVersion } from "../client/discovery/discover.ts";
import { createInformers } from "../client/informer/informers.ts";
import { stalledAfterMsDefault } from "../client/informer/stalled.ts";
import { createSender, type Sender } from "../client/requests/send.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { Client, ResourceName } from "./contract.ts";
import { createResource } from "./resource.ts";

export interface UserClientOptions {
  readonly fetch: Fetch;
  readonly vocabulary: Vocabulary;
  readonly namespace: string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
  close(): void;
}

export function createUserClient(options: UserClientOptions): Client {
  const { fetch, vocabulary, namespace, userAgent, clock, log, close } = options;
  const send = createSender({ fetch, clock, userAgent });
  // Programs that use the kit expect numbers, and print objects with JSON.stringify.
  const client = createClient({ fetch, vocabulary, clock, userAgent, codec: JSON });
  const around = { namespace, vocabulary };
  return {
    vocabulary: vocabulary.name,
    namespace,
    userAgent,
    fetch,
    of: (kind) => createResource(client.of(kind), around),
    async resource(wanted) {
      return createResource(client.at(await findResource(send, wanted)), around);
    },
    informers: ({ stalledAfterMs = stalledAfterMsDefault, namespace } = {}) =>
      createInformers({ client, clock, log, stalledAfterMs, namespace, listsByWatch: true }),
    discover: () => client.discover(),
    close,
    [Symbol.dispose]: close,
  };
}

async function findResource(send: Sender, { group, version, plural }: ResourceName) {
  const found = (await discoverVersion(send, { group, version })).find(({ resource }) => resource === plural);
  if (found !== undefined) return found;
  const groupVersion = group === "" ? version : `${group}/${version}`;
  throw new StatusError("NotFound", `the server has no resource "${plural}" in ${groupVersion}`);
}

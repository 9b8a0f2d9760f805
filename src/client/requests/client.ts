/** A client of one server: typed calls by kind, in either vocabulary. */

import type { Clock } from "../../base/clock.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Client, Fetch } from "../contract.ts";
import { addressOf } from "./address.ts";
import { discover } from "./discovery.ts";
import { createResourceClient } from "./resource-client.ts";
import { createSender } from "./send.ts";

export interface ClientOptions {
  readonly fetch: Fetch;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** "orch-controller-manager/v1.21.0": servers name field managers after its first part. */
  readonly userAgent: string;
}

export function createClient({ fetch, vocabulary, clock, userAgent }: ClientOptions): Client {
  const send = createSender({ fetch, clock, userAgent });
  const shownAs = (kind: string) => `application/json;as=${kind};g=${vocabulary.group("meta.orch.io")};v=v1`;
  const metadataOnly = { one: shownAs("PartialObjectMetadata"), list: shownAs("PartialObjectMetadataList") };
  return {
    vocabulary,
    fetch,
    of: (kind) => createResourceClient({ address: addressOf(kind, vocabulary), send }),
    at: (address) => createResourceClient({ address, send }),
    metadata: (address) => createResourceClient({ address, send, metadataOnly }),
    discover: () => discover(send),
    addressOf: (kind) => addressOf(kind, vocabulary),
  };
}

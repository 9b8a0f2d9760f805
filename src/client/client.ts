/** A client of one server: typed calls by kind, in either vocabulary. */

import type { Clock } from "../base/clock.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { Client, DiscoveredResource, Fetch, ListWatch, ResourceAddress } from "./contract.ts";
import { discover, type GroupVersion } from "./discovery/discover.ts";
import { addressOf } from "./requests/address.ts";
import { exactJson } from "./requests/exact-json.ts";
import { listWatchOf } from "./requests/list-watch.ts";
import type { ObserveRequest } from "./requests/metrics.ts";
import { createResourceClient } from "./requests/resource-client.ts";
import { createSender, type JsonCodec, type UserAgent } from "./requests/send.ts";

interface ClientOptions {
  readonly fetch: Fetch;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  /** "orch-controller-manager/v1.21.0": servers name field managers after its first part. */
  readonly userAgent: UserAgent;
  /** The entries of a server in the same process. Undefined: this resource is not available there, and is read by requests. */
  readonly shared?: ((address: ResourceAddress) => ListWatch<ApiObject> | undefined) | undefined;
  /** The resources of a version that a server in the same process has. Undefined: they are asked for. */
  readonly sharedVersion?: ((version: GroupVersion) => readonly DiscoveredResource[] | undefined) | undefined;
  /** Absent: requests are not counted. */
  readonly observe?: ObserveRequest | undefined;
  /** Absent: integers beyond 2^53 are bigint, so that what is written again is what was read. */
  readonly codec?: JsonCodec | undefined;
  /** How long an answer may take, streams aside. Absent: no limit. */
  readonly requestTimeoutMs?: number | undefined;
  /** Whether a GET whose connection was reset is sent again. Default: false. */
  readonly retriesResets?: boolean | undefined;
}

export function createClient(options: ClientOptions): Client {
  const { fetch, vocabulary, clock, userAgent, shared, sharedVersion, observe, codec = exactJson } = options;
  const { requestTimeoutMs, retriesResets } = options;
  const send = createSender({ fetch, clock, userAgent, observe, codec, requestTimeoutMs, retriesResets });
  const shownAs = (kind: string) => `application/json;as=${kind};g=${vocabulary.group("meta.orch.io")};v=v1`;
  const metadataOnly = { one: shownAs("PartialObjectMetadata"), list: shownAs("PartialObjectMetadataList") };
  return {
    vocabulary,
    fetch,
    of: (kind) => createResourceClient({ address: addressOf(kind, vocabulary), send }),
    at: (address) => createResourceClient({ address, send }),
    metadata: (address) => createResourceClient({ address, send, metadataOnly }),
    listWatch(address, part) {
      const options = { address, send, ...(part === "metadata" ? { metadataOnly } : {}) };
      const asked = listWatchOf(createResourceClient<ApiObject>(options));
      // Looked up by each call: resources may be added and removed.
      const current = () => shared?.(address) ?? asked;
      return { address, list: (query) => current().list(query), watch: (query) => current().watch(query) };
    },
    discover: () => discover(send, { isAggregated: true, sharedVersion }),
    addressOf: (kind) => addressOf(kind, vocabulary),
  };
}

/** What every filter and handler of one server shares, made once when the server is constructed. */

import { bodyBytesMax } from "../../machinery/json/json-gate.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { HandlerOptions, RequestLimits } from "../contract/handler-options.ts";
import { createServerMetrics, type ServerMetrics } from "../metrics/server-metrics.ts";
import { createNegotiator, type Negotiators, type Views } from "../negotiation/choose.ts";
import { type Offer, offerAll } from "../negotiation/media.ts";
import { RequestBodies } from "../request/request-body.ts";
import { DeliveryWindows } from "./delivery-windows.ts";
import { OpenWatches } from "./open-watches.ts";
import { RepeatedApplies } from "./repeated-applies.ts";

export const defaultLimits: RequestLimits = {
  readingMax: 400,
  mutatingMax: 200,
  arrivedMax: 20_000,
  bodiesBytesMax: 256 * 1024 * 1024,
  bodyBytesMax,
  requestTimeoutMs: 60_000,
  watchTimeoutMinMs: 1_800_000,
  compressAboveBytes: 128 * 1024,
  slowRequestMs: 500,
};

/** The share of the memory that bodies in flight may take, at most `bodiesBytesMax`. */
const bodiesShare = 1 / 16;
/** Room for a few of the largest bodies, however little memory there is. */
export const bodiesBytesMin = 16 * 1024 * 1024;

/** What all bodies in flight may take in a process with so much memory. */
export const bodiesBytesIn = (memory: number): number =>
  Math.min(defaultLimits.bodiesBytesMax, Math.max(bodiesBytesMin, Math.floor(memory * bodiesShare)));

export interface ServerContext extends Omit<HandlerOptions, "metrics" | "limits">, Negotiators {
  readonly limits: RequestLimits;
  readonly vocabulary: Vocabulary;
  /** "meta.orch.io": the group of Table, Status, options and similar kinds. */
  readonly metaGroup: string;
  readonly offer: Offer;
  readonly metrics: ServerMetrics;
  readonly watches: OpenWatches;
  readonly deliveries: DeliveryWindows;
  readonly bodies: RequestBodies;
  readonly repeatedApplies: RepeatedApplies;
}

export function createContext(options: HandlerOptions): ServerContext {
  const { vocabulary } = options.catalog.environment;
  const offer = offerAll(vocabulary.protobufMediaType);
  const metaGroup = vocabulary.group("meta.orch.io");
  const isMetadata = (view: string) => view === "PartialObjectMetadata" || view === "PartialObjectMetadataList";
  const isText = (encoding: string) => encoding !== "protobuf";
  const views: Views = {
    group: metaGroup,
    allows: (view, encoding) => view === "" || (view === "Table" ? isText(encoding) : isMetadata(view)),
  };
  // The metadata of all kinds has a protobuf form, and clients that only need metadata request it for custom resources too.
  const textViews: Views = { group: metaGroup, allows: (view, encoding) => isText(encoding) || isMetadata(view) };
  const watches = new OpenWatches(options);
  options.lifecycle.onEndWatches(() => watches.endAll());
  options.onAccessChange?.(() => void watches.checkAccess());
  const limits = { ...defaultLimits, ...options.limits };
  const metrics = createServerMetrics(options);
  options.registry.batching.follow(metrics.inFlight.mutating);
  return {
    ...options,
    limits,
    vocabulary,
    metaGroup,
    offer,
    negotiator: createNegotiator(offer, views),
    metadataNegotiator: createNegotiator(offer, {
      group: metaGroup,
      allows: (view) => view === "" || isMetadata(view),
    }),
    textNegotiator: createNegotiator(offer, textViews, true, false),
    plainNegotiator: createNegotiator(offer, undefined),
    groupNegotiator: createNegotiator(offer, undefined, false),
    metrics,
    watches,
    deliveries: new DeliveryWindows(metrics.inFlight.mutating),
    bodies: new RequestBodies(limits),
    repeatedApplies: new RepeatedApplies(),
  };
}

/** How a test sees and disturbs requests. */

import type { User } from "../../machinery/meta/user.ts";
import type { AdmissionTrace } from "../../registry/contract/admission.ts";
import type { Exchange } from "./exchange.ts";

/** A request whose user is known. */
export interface SeenRequest {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly isResource: boolean;
  /** May be replaced by one that changes what is sent. */
  exchange: Exchange;
  /** May be set, to note what admission does to the request. */
  trace: AdmissionTrace | undefined;
}

export interface Interventions {
  /** False: requests pass by. */
  readonly isActive: boolean;
  /** Throws a StatusError to refuse the request; a promise delays it. */
  enter(request: SeenRequest): void | Promise<void>;
  /** The request is over; not called if `enter` has refused it. */
  leave(request: SeenRequest): void;
}

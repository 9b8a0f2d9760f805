/** What virtual kinds and acting subresources do. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectRef } from "./entry.ts";
import type { Registry } from "./registry.ts";
import type { WriteContext } from "./write-context.ts";

/** What a virtual kind or an acting subresource does; main hands http the table of them by name. */
export interface Action<Body extends ApiObject = ApiObject> {
  /** Makes of what was sent what plugins see and `create` is given: defaults, managed fields. Absent: nothing is to be done. */
  prepare?(request: ActionRequest<Body>): ActionRequest<Body>;
  /**
   * Answers a create (POST). `parent` is the object the subresource hangs under (undefined for virtual kinds). Gives the
   * object to print and the status code.
   */
  create?(request: ActionRequest<Body>): Promise<{ object: ApiObject; code: number }>;
  /**
   * Answers whatever verb would connect the client with something else (exec, log, proxy): with a refusal, or with nothing
   * where there is nothing to be heard yet.
   */
  connect?(request: ConnectRequest): Promise<void>;
}

/** An action that answers creates. */
export type CreateAction<Body extends ApiObject = ApiObject> = Action<Body> & Required<Pick<Action<Body>, "create">>;

export interface ConnectRequest {
  readonly kind: BoundKind;
  /** "exec". */
  readonly subresource: string;
  /** The name as the path has it: of a proxy it may hold a scheme and a port. */
  readonly ref: ObjectRef;
  readonly registry: Registry;
  /** One parameter of the query. */
  parameter(name: string): string | undefined;
}

export interface ActionRequest<Body extends ApiObject = ApiObject> {
  readonly kind: BoundKind;
  /** The kind of the body where it is not `kind`. */
  readonly accepted: BoundKind | undefined;
  readonly ref: ObjectRef;
  readonly body: Body;
  readonly context: WriteContext;
  readonly registry: Registry;
}

/** What virtual kinds and acting subresources do. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { ObjectRef } from "./entry.ts";
import type { Registry } from "./registry.ts";
import type { WriteContext } from "./write-context.ts";

/** What a virtual kind or an acting subresource does; main passes the table of them, by name, to http. */
export interface Action<Body extends ApiObject = ApiObject> {
  /** Prepares the sent object for plugins and `create`: defaults, managed fields. Absent: nothing needs to be done. */
  prepare?(request: ActionRequest<Body>): ActionRequest<Body>;
  /** Completes the sent object in place, after plugins that change it and before those that check it. Absent: nothing is added. */
  complete?(request: ActionRequest<Body>): Promise<void>;
  /**
   * Answers a create (POST). `parent` is the object of the subresource (undefined for virtual kinds). Returns the
   * object to print and the status code.
   */
  create?(request: ActionRequest<Body>): Promise<{ object: ApiObject; code: number }>;
  /**
   * Answers verbs that connect the client with another process (exec, log, proxy): with a refusal, with the backend that the
   * request is forwarded to, or with nothing (an empty answer) if there is no output yet.
   */
  connect?(request: ConnectRequest): Promise<Backend | undefined>;
}

/** An action that answers creates. */
export type CreateAction<Body extends ApiObject = ApiObject> = Action<Body> & Required<Pick<Action<Body>, "create">>;

export interface ConnectRequest {
  readonly kind: BoundKind;
  /** "exec". */
  readonly subresource: string;
  /** The name as in the path: for a proxy it may contain a scheme and a port. */
  readonly ref: ObjectRef;
  readonly registry: Registry;
  /** One parameter of the query. */
  parameter(name: string): string | undefined;
  /** All values of a parameter of the query. */
  parameters(name: string): readonly string[];
}

export interface ActionRequest<Body extends ApiObject = ApiObject> {
  readonly kind: BoundKind;
  /** The kind of the body if it is not `kind`. */
  readonly accepted: BoundKind | undefined;
  readonly ref: ObjectRef;
  readonly body: Body;
  readonly context: WriteContext;
  readonly registry: Registry;
}

/** Where a proxied request goes: an address that belongs to an object. */
export interface Backend {
  readonly scheme: "http" | "https";
  /** An IP address, or the DNS name of a node. */
  readonly host: string;
  readonly port: number;
  /** Whether the object still has this address: checked again when the connection is opened. */
  isCurrent(): boolean;
  /** The name that its certificate must have. */
  readonly serverName: string;
  /** The object says that any certificate is fine. */
  readonly anyCertificate: boolean;
  /** The agent of a node gets this server's own client certificate; a workload never does. */
  readonly isNodeAgent: boolean;
  /** What is asked of a node's agent on behalf of a pod. Absent: path and query of the request are forwarded as they are. */
  readonly agentCall?: AgentCall;
}

export interface AgentCall {
  /** Path and query at the agent: "/exec/a/web/main?command=ls". */
  readonly target: string;
  /** "stream": only a client that asks for another protocol (SPDY, WebSocket) is connected. "text": the answer is a text. */
  readonly answer: "stream" | "text";
}

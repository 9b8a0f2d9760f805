/** `import … from "orch/client"`: what programs that speak to a server are built with. It contains no part of the server. */

export type {
  AnyObject,
  DeleteOptions,
  Fetch,
  ListQuery,
  ObjectList,
  PatchOptions,
  Ref,
  ResourceAddress,
  ServedKind,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from "../client/contract.ts";
export type { Handler, Index, Informer, Informers, Selection } from "../client/informer/contract.ts";
export {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  UnexpectedAnswer,
} from "../client/requests/refusals.ts";
export { type RetryOptions, retryOnConflict } from "../client/requests/retry-on-conflict.ts";
export { StatusError } from "../machinery/status/status.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export type {
  Applied,
  ApplyOptions,
  CallOptions,
  Client,
  Listing,
  Part,
  Resource,
  ResourceName,
  ScaleCalls,
  StatusCalls,
  Target,
} from "./contract.ts";
export * from "./kinds.ts";

/** `import … from "orch/client"`: what programs that speak to a server are built with. It contains no part of the server. */

export type { Log } from "../base/log.ts";
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
export type { Index, Informer, InformerHandler, InformerSelection, Informers } from "../client/informer/contract.ts";
export { TryAgain } from "../client/reconcile/reconcile-queue.ts";
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
export {
  bool,
  bytes,
  double,
  duration,
  int32,
  int64,
  intOrString,
  json,
  list,
  map,
  optional,
  quantity,
  type Static,
  string,
  time,
} from "../machinery/schema/build.ts";
export type { ApiObject } from "../machinery/schema/kind.ts";
export { StatusError } from "../machinery/status/status.ts";
export { type ConnectOptions, connect } from "./connect.ts";
export type {
  Applied,
  ApplyOptions,
  CallOptions,
  Client,
  InformerOptions,
  Listing,
  Part,
  Resource,
  ResourceName,
  ScaleCalls,
  StatusCalls,
  Target,
} from "./contract.ts";
export {
  type Controller,
  type ControllerOptions,
  controller,
  generationChanged,
  type ObjectEvents,
  type Reconcile,
  type Retry,
  type Source,
  type Watched,
  watch,
} from "./controllers/controller.ts";
export { healthListener } from "./controllers/health.ts";
export { type LeaderElection, type RunningControllers, type RunOptions, runControllers } from "./controllers/run.ts";
export { convertOf } from "./define/conversions.ts";
export {
  type ConversionWebhook,
  type Converted,
  type DefinedColumn,
  type DefinedResource,
  type DefinitionOptions,
  defineResource,
  type FurtherVersion,
  type ResourceDeclaration,
  type VersionShape,
} from "./define/define-resource.ts";
export type { DefinedRule } from "./define/definition-schema.ts";
export { conditionList, object, oneOf } from "./define/fields.ts";
export { type InstallOptions, installResources } from "./define/install.ts";
export * from "./kinds.ts";
export { type Condition, conditionOf, withCondition } from "./objects/conditions.ts";
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from "./objects/finalizers.ts";
export { setOwner } from "./objects/owners.ts";
export { mergePatch } from "./objects/patches.ts";
export {
  reviewBytesMax,
  type ServedWebhook,
  type ServeWebhookOptions,
  serveWebhook,
  webhookListener,
} from "./webhooks/serve-webhook.ts";
export { type AdmissionCall, createWebhook, type Webhook, type WebhookHandlers } from "./webhooks/webhook.ts";

/** `import … from "orch/client"`: what programs that speak to a server are built with. It contains no part of the server. */

export type { Clock } from "../base/clock.ts";
export type { Log } from "../base/log.ts";
export type { Tracer } from "../base/tracing.ts";
export type {
  Answered,
  AnyObject,
  BareTraits,
  ClusterWide,
  Fetch,
  FetchResponse,
  FieldValidation,
  KindTraits,
  ListQuery,
  Namespaced,
  ObjectList,
  ReceivedHeaders,
  Ref,
  ResourceAddress,
  Sent,
  SentObject,
  ServedKind,
  Stored,
  StoredMetadata,
  WatchQuery,
} from "../client/contract.ts";
export type { ObjectReference } from "../client/events/contract.ts";
export type {
  Index,
  Informer,
  InformerHandler,
  InformerSelection,
  Informers,
  LabelMatcher,
  ListedObjects,
  ObjectChange,
} from "../client/informer/contract.ts";
export { TryAgain } from "../client/reconcile/reconcile-queue.ts";
export {
  alreadyExistsError,
  badRequestError,
  conflictError,
  expiredError,
  type FieldProblem,
  forbiddenError,
  internalError,
  invalidError,
  notFoundError,
  type RefusedKind,
  tooManyRequestsError,
  unavailableError,
} from "../client/requests/refusal-errors.ts";
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
export { type TransactionOperation, TransactionsUnknown } from "../client/requests/transactions.ts";
export type { PatchType } from "../machinery/patch/media-types.ts";
export type {
  Fields,
  Plain,
  Static,
  WrittenValue,
} from "../machinery/schema/build.ts";
export type { ApiObject, Scope } from "../machinery/schema/kind.ts";
export type { ObjectMeta } from "../machinery/schema/object-meta.ts";
export type { Defaulted, Field, Presence } from "../machinery/schema/schema.ts";
export { StatusError, type StatusReason } from "../machinery/status/status.ts";
export { type ConnectOptions, connect, type InProcessServer, type Kubeconfig } from "./connect.ts";
export type {
  Applied,
  ApplyOptions,
  Bookmark,
  CallOptions,
  ChangeEvent,
  Client,
  DeleteOptions,
  EvictionCalls,
  InformerOptions,
  Listing,
  PatchOptions,
  PathCalls,
  Resource,
  ResourceCalls,
  ResourceName,
  Scale,
  ScaleCalls,
  StatusCalls,
  Target,
  TokenCalls,
  TokenRequest,
  TransactionCalls,
  TransactionOptions,
  TransactionResource,
  UntypedObject,
  WatchEvent,
  WriteOptions,
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
export type { ListenAt, ListeningPorts, WantedListeners } from "./controllers/listeners.ts";
export { type LeaderElection, type RunningControllers, type RunOptions, runControllers } from "./controllers/run.ts";
export { convertOf } from "./define/conversions.ts";
export {
  type ConversionWebhook,
  type Converted,
  type DefinedColumn,
  type DefinedObject,
  type DefinedResource,
  type DefinedTraits,
  type DefinitionOptions,
  defineResource,
  type FurtherVersion,
  type PathsOf,
  type ResourceDeclaration,
  type ScalePaths,
  type VersionKinds,
  type VersionShape,
  type WrittenObject,
} from "./define/define-resource.ts";
export type { DefinedRule } from "./define/definition-schema.ts";
export * as field from "./define/field.ts";
export type { ReadFields, WrittenFields } from "./define/fields.ts";
export { type InstallOptions, installResources } from "./define/install.ts";
export * from "./kinds.ts";
export { type Condition, conditionOf, withCondition } from "./objects/conditions.ts";
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from "./objects/finalizers.ts";
export { setOwner } from "./objects/owners.ts";
export { mergePatch } from "./objects/patches.ts";
export type { JsonOperation, MergePatch, Part, Patch, StrategicDirectives, StrategicPatch } from "./patch-types.ts";
export type {
  AttachOptions,
  Copied,
  CopyOptions,
  ExecOptions,
  ForwardedPort,
  ForwardOptions,
  Input,
  LogOptions,
  Logs,
  PodCalls,
  PodPath,
  RemoteProcess,
} from "./pods/contract.ts";
export type {
  AdmissionCall,
  AdmissionUser,
  ConnectCall,
  CreateCall,
  DeleteCall,
  MutatingCall,
  UpdateCall,
} from "./webhooks/admission-call.ts";
export {
  reviewBytesMax,
  type ServedWebhook,
  type ServeWebhookOptions,
  serveWebhook,
  webhookHandler,
  webhookListener,
} from "./webhooks/serve-webhook.ts";
export { createWebhook, type Webhook, type WebhookHandlers } from "./webhooks/webhook.ts";

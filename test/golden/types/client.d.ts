// @ts-ignore
import type { Duplex } from "node:stream";
// @ts-ignore
import type { Buffer } from "node:buffer";
import type * as types from "./object-types.js";
// @ts-ignore
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnyObject, ApiObject, Clock, Log, Tracer, TransactionOperation, Vocabulary, WebhookHandlers } from "./shared.js";
export { AdmissionCall, AdmissionUser, AnyObject, ApiObject, Clock, ConnectCall, CreateCall, DeleteCall, FieldProblem, Log, MutatingCall, RefusedKind, StatusError, StatusReason, Tracer, TransactionOperation, UpdateCall, WebhookHandlers, alreadyExistsError, badRequestError, conflictError, expiredError, forbiddenError, internalError, invalidError, isAlreadyExists, isConflict, isExpired, isForbidden, isInvalid, isNotFound, isTooManyRequests, notFoundError, tooManyRequestsError, unavailableError } from "./shared.js";
export interface Answered<S extends Scope = Scope> {
    readonly scope: S;
    readonly paths: never;
    readonly isStored: false;
    readonly written: never;
}
export type Scope = "Namespaced" | "Cluster";
export interface BareTraits {
    readonly scope: Scope;
    readonly paths: never;
    readonly isStored: true;
    readonly written: never;
}
export interface ClusterWide<P extends string = never, W = never> {
    readonly scope: "Cluster";
    readonly paths: P;
    readonly isStored: true;
    readonly written: W;
}
export type Fetch = (path: string, init?: RequestInit) => Promise<FetchResponse>;
export interface FetchResponse {
    readonly status: number;
    readonly ok: boolean;
    readonly headers: ReceivedHeaders;
    readonly body: ReadableStream<Uint8Array> | null;
    text(): Promise<string>;
    json(): Promise<unknown>;
}
export interface ReceivedHeaders {
    get(name: string): string | null;
    has(name: string): boolean;
}
export type FieldValidation = "Strict" | "Warn" | "Ignore";
export interface KindTraits {
    readonly scope: Scope;
    readonly paths: string;
    readonly isStored: boolean;
    readonly written: unknown;
}
export interface ListQuery {
    readonly namespace?: string | undefined;
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
    readonly where?: string | undefined;
    readonly orderBy?: string | undefined;
    readonly limit?: number | undefined;
    readonly continue?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly signal?: AbortSignal | undefined;
}
export interface Namespaced<P extends string = never, W = never> {
    readonly scope: "Namespaced";
    readonly paths: P;
    readonly isStored: true;
    readonly written: W;
}
export interface ObjectList<T> {
    readonly items: T[];
    readonly resourceVersion: string;
    readonly continue: string;
}
export interface Ref {
    readonly namespace?: string | undefined;
    readonly name: string;
}
export interface ResourceAddress {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
    readonly namespaced: boolean;
}
export type Sent<Of extends ServedKind> = Of extends ServedKind<infer T, infer K> ? SentObject<T, K> : never;
export interface ServedKind<T = unknown, K extends KindTraits = KindTraits> {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly resource: string;
    readonly scope: K["scope"];
    readonly static?: T;
    readonly traits?: K;
}
export type SentObject<T, K extends KindTraits> = T | (unknown extends K["written"] ? never : K["written"]);
export type Stored<T, K extends KindTraits = BareTraits> = K["isStored"] extends false ? T : T & {
    apiVersion: string;
    kind: string;
    metadata: StoredMetadata & (K["scope"] extends "Namespaced" ? {
        namespace: string;
    } : unknown);
};
export interface StoredMetadata {
    name: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
}
export interface WatchQuery extends ListQuery {
    readonly timeoutSeconds?: number | undefined;
    readonly bookmarks?: boolean | undefined;
    readonly sendInitialEvents?: boolean | undefined;
}
export interface ObjectReference {
    readonly apiVersion?: string | undefined;
    readonly kind?: string | undefined;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly fieldPath?: string | undefined;
}
export interface Index<T> {
    get(value: string): readonly T[];
    select(value: string, selector: LabelMatcher): readonly T[];
    each(value: string, selector?: LabelMatcher): Iterable<T>;
    count(value: string): number;
    first(value: string): T | undefined;
    values(): readonly string[];
}
export interface LabelMatcher {
    matches(labels: ReadonlyMap<string, string>): boolean;
}
export interface Informer<T extends AnyObject> extends AsyncIterable<ObjectChange<T>> {
    readonly address: ResourceAddress;
    readonly synced: Promise<void>;
    hasSynced(): boolean;
    get(key: string): T | undefined;
    list(which?: string | ListedObjects): readonly T[];
    select(namespace: string | undefined, selector: LabelMatcher): readonly T[];
    index(name: string, valuesOf: (object: T) => readonly string[]): Index<T>;
    on(handler: InformerHandler<T>): () => void;
    changes(options?: {
        readonly signal?: AbortSignal | undefined;
    }): AsyncIterable<ObjectChange<T>>;
}
export type ObjectChange<T> = {
    readonly type: "add";
    readonly object: T;
} | {
    readonly type: "update";
    readonly object: T;
    readonly old: T;
} | {
    readonly type: "delete";
    readonly object: T;
};
export interface ListedObjects {
    readonly namespace?: string | undefined;
    readonly selector?: string | undefined;
}
export interface InformerHandler<T> {
    add?(object: T): void;
    update?(object: T, old: T): void;
    delete?(object: T): void;
    error?(error: unknown): void;
}
export interface InformerSelection {
    readonly namespace?: string | undefined;
    readonly labelSelector?: string | undefined;
    readonly fieldSelector?: string | undefined;
}
export interface Informers extends AsyncDisposable {
    of<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>, selection?: InformerSelection): Informer<Stored<T, K>>;
    at<T extends AnyObject>(address: ResourceAddress): Informer<T>;
    metadata(address: ResourceAddress): Informer<AnyObject>;
    peek(address: ResourceAddress, key: string): AnyObject | undefined;
    close(): Promise<void>;
}
export declare class TryAgain extends Error {
}
export declare class UnexpectedAnswer extends Error {
    constructor(request: string, expected: string, text: string, cause?: unknown);
}
export interface RetryOptions {
    readonly attempts?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Clock | undefined;
}
export declare function retryOnConflict<T>(change: () => Promise<T>, options?: RetryOptions): Promise<T>;
export declare class TransactionsUnknown extends Error {
    constructor();
}
export type PatchType = keyof typeof patchMediaTypes;
declare const patchMediaTypes: {
    readonly json: "application/json-patch+json";
    readonly merge: "application/merge-patch+json";
    readonly strategic: "application/strategic-merge-patch+json";
    readonly apply: "application/apply-patch+yaml";
};
export type Fields = Record<string, Field<unknown, Presence>>;
export declare class Field<T = unknown, P extends Presence = Presence, W = unknown> {
    #private;
    readonly static: T;
    readonly written: W;
    readonly presence: P;
    doc(description: string): Field<T, P, W>;
    default(fallback: T): Field<T, P, Defaulted<W>>;
    required(text?: string): Field<T, P, W>;
    filled(text?: string): Field<T, P, W>;
    oneOf(values: readonly (string | Dated<string>)[], text?: string): Field<T, P, W>;
    atLeast(least: number, text?: string): Field<T, P, W>;
    above(bound: number, text?: string): Field<T, P, W>;
    atMost(most: number, text?: string): Field<T, P, W>;
    named(format: NameFormat): Field<T, P, W>;
    max(max: number, text?: string): Field<T, P, W>;
    uniqueBy(key: string, more?: Omit<Unique, "rule" | "key">): Field<T, P, W>;
    unique(): Field<T, P, W>;
}
export type Presence = "required" | "elided" | "optional" | "nullable";
export interface Defaulted<W> {
    readonly defaulted: W;
}
declare class Dated<T> {
    readonly value: T;
    readonly span: Span;
    constructor(value: T, span: Span);
}
interface Span {
    readonly since?: Release | undefined;
    readonly until?: Release | undefined;
}
type Release = `${number}.${number}`;
type NameFormat = "label" | "label1035" | "subdomain" | "qualified" | "fullyQualified" | "pathSegment" | "labelValue" | "configKey" | "envName" | "portName" | "headerName" | "absolutePath" | "relativePath" | "filePath" | "pathWithoutParents" | "ip" | "cidr" | "port" | ((text: string) => readonly string[]);
interface Unique {
    readonly rule: "unique";
    readonly key: string;
    readonly isItemReported?: boolean;
    readonly isAbsentCompared?: boolean;
    readonly isOfValid?: boolean;
    readonly text?: string;
}
export type Plain<T> = T extends infer O ? {
    [K in keyof O]: O[K];
} : never;
export type Static<F> = F extends {
    readonly static?: infer T;
} ? T : never;
export type WrittenValue<T, W> = unknown extends W ? T : W extends Defaulted<infer Inner> ? unknown extends Inner ? T : Inner : W;
export interface ConnectOptions extends Omit<AccessOverrides, "server"> {
    readonly server?: string | InProcessServer;
    readonly kubeconfig?: string | Kubeconfig;
    readonly vocabulary?: "orch" | "kubernetes";
    readonly userAgent?: string;
    readonly log?: Log;
    readonly clock?: Clock;
    readonly requestTimeoutMs?: number;
    readonly tracing?: Tracer;
    readonly signal?: AbortSignal;
}
interface AccessOverrides {
    readonly context?: string;
    readonly cluster?: string;
    readonly user?: string;
    readonly server?: string;
    readonly namespace?: string;
    readonly token?: string;
    readonly username?: string;
    readonly password?: string;
    readonly certificateAuthority?: string;
    readonly clientCertificate?: string;
    readonly clientKey?: string;
    readonly insecureSkipTlsVerify?: boolean;
    readonly tlsServerName?: string;
    readonly as?: string;
    readonly asGroups?: readonly string[];
}
export interface InProcessServer extends FollowsWork {
    readonly fetch: Fetch;
    readonly clock?: Clock & {
        readonly isVirtual: boolean;
    };
    clientConfig?(): Promise<{
        readonly kubeconfig: Kubeconfig;
    }>;
}
interface FollowsWork {
    readonly [followWork]?: FollowWork | undefined;
}
declare const followWork: unique symbol;
type FollowWork = (queues: () => readonly QueueStats[]) => () => void;
interface QueueStats {
    readonly name: string;
    depth: number;
    adds: number;
    retries: number;
    readonly retrying: Set<string>;
    running: Map<string, number>;
    readonly waitedSeconds: QueueHistogram;
    readonly workedSeconds: QueueHistogram;
}
interface QueueHistogram {
    readonly counts: number[];
    sum: number;
    count: number;
}
export interface Kubeconfig {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly clusters?: readonly {
        readonly name: string;
        readonly cluster: object;
    }[];
    readonly users?: readonly {
        readonly name: string;
        readonly user: object;
    }[];
    readonly contexts?: readonly {
        readonly name: string;
        readonly context: object;
    }[];
    readonly "current-context"?: string;
}
export declare function connect(options?: ConnectOptions): Promise<Client>;
export interface Client extends Disposable, AsyncDisposable, FollowsWork, Traced, AcrossWorkspaces {
    readonly vocabulary: "orch" | "kubernetes";
    readonly namespace: string;
    readonly userAgent: string;
    readonly clock: Clock;
    readonly requestTimeoutMs?: number | undefined;
    readonly fetch: Fetch;
    readonly upgrade: Upgrade;
    of<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>): Resource<T, K>;
    resource(name: ResourceName): Promise<Resource<ApiObject, KindTraits>>;
    object(object: ApiObject): UntypedObject;
    transaction(change: readonly TransactionOperation[] | ((tx: TransactionCalls) => unknown), options?: TransactionOptions): Promise<readonly (Stored<ApiObject> | undefined)[]>;
    informers(options?: InformerOptions): Informers;
    discover(): Promise<Discovery>;
    close(): void;
}
interface Traced {
    readonly [tracingOf]?: object | undefined;
}
declare const tracingOf: unique symbol;
interface AcrossWorkspaces {
    readonly [inWorkspaceOf]?: object | undefined;
}
declare const inWorkspaceOf: unique symbol;
type Upgrade = (path: string, request: UpgradeRequest) => Promise<Upgraded | FetchResponse>;
interface UpgradeRequest {
    readonly method: "GET" | "POST";
    readonly headers: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal | undefined;
}
interface Upgraded {
    readonly socket: Duplex;
    readonly head: Buffer;
    readonly headers: ReceivedHeaders;
}
export type Resource<T extends AnyObject, K extends KindTraits = BareTraits> = ResourceCalls<T, K> & PathCalls<T, K>;
export interface ResourceCalls<T extends AnyObject, K extends KindTraits = BareTraits> {
    readonly address: ResourceAddress;
    get(target: Target, options?: CallOptions): Promise<Stored<T, K>>;
    find(target: Target, options?: CallOptions): Promise<Stored<T, K> | undefined>;
    list(query?: ListQuery): Listing<Stored<T, K>>;
    watch(query?: WatchQuery & {
        readonly bookmarks?: false | undefined;
    }): AsyncIterable<ChangeEvent<Stored<T, K>>>;
    watch(query: WatchQuery): AsyncIterable<WatchEvent<Stored<T, K>>>;
    create(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
    update(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
    patch<P extends PatchType = "merge">(target: Target, patch: Patch<T, P>, options?: PatchOptions<P>): Promise<Stored<T, K>>;
    apply(object: Applied<T>, options: ApplyOptions): Promise<Stored<T, K>>;
    delete(target: Target, options?: DeleteOptions): Promise<void>;
    deleteCollection(query: ListQuery, options?: DeleteOptions): Promise<void>;
    subresource<R>(target: Target, name: string, body?: unknown, options?: CallOptions & {
        readonly method?: "PUT" | "POST";
    }): Promise<R>;
}
export type Target = string | Ref | AnyObject;
export interface CallOptions {
    readonly signal?: AbortSignal | undefined;
}
export interface Listing<T> extends AsyncIterable<T> {
    all(): Promise<ObjectList<T>>;
    page(): Promise<ObjectList<T>>;
}
export interface ChangeEvent<T> {
    readonly type: "ADDED" | "MODIFIED" | "DELETED";
    readonly object: T;
}
export type WatchEvent<T> = ChangeEvent<T> | {
    readonly type: "BOOKMARK";
    readonly object: Bookmark;
};
export interface Bookmark {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: {
        readonly resourceVersion: string;
        readonly annotations?: Readonly<Record<string, string>>;
    };
}
export interface WriteOptions extends CallOptions {
    readonly dryRun?: boolean | undefined;
    readonly manager?: string | undefined;
    readonly fieldValidation?: FieldValidation | undefined;
}
export type Patch<T, P extends PatchType = "merge"> = P extends "json" ? readonly JsonOperation[] : P extends "strategic" ? StrategicPatch<T> : P extends "apply" ? Part<T> : MergePatch<T>;
export type JsonOperation = {
    readonly op: "add" | "replace" | "test";
    readonly path: string;
    readonly value: unknown;
} | {
    readonly op: "remove";
    readonly path: string;
} | {
    readonly op: "move" | "copy";
    readonly from: string;
    readonly path: string;
};
export type StrategicPatch<T> = T extends readonly (infer Item)[] ? readonly StrategicPatch<Item>[] : T extends object ? {
    [K in keyof T]?: StrategicPatch<T[K]> | null;
} & StrategicDirectives : T;
export interface StrategicDirectives {
    readonly $patch?: "replace" | "merge" | "delete";
    readonly $retainKeys?: readonly string[];
    readonly [order: `$setElementOrder/${string}`]: readonly unknown[];
    readonly [deletion: `$deleteFromPrimitiveList/${string}`]: readonly unknown[];
}
export type Part<T> = T extends readonly unknown[] ? T : T extends object ? {
    [K in keyof T]?: Part<T[K]>;
} : T;
export type MergePatch<T> = T extends readonly unknown[] ? T : T extends object ? {
    [K in keyof T]?: MergePatch<T[K]> | null;
} : T;
export interface PatchOptions<P extends PatchType = PatchType> extends WriteOptions {
    readonly type?: P | undefined;
    readonly force?: boolean | undefined;
}
export type Applied<T extends AnyObject> = Part<Omit<T, "metadata">> & {
    readonly metadata: T["metadata"];
};
export interface ApplyOptions extends CallOptions {
    readonly manager: string;
    readonly force?: boolean | undefined;
    readonly dryRun?: boolean | undefined;
}
export interface DeleteOptions extends CallOptions {
    readonly dryRun?: boolean | undefined;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
    readonly gracePeriodSeconds?: number | undefined;
}
export type PathCalls<T extends AnyObject, K extends KindTraits> = ("status" extends K["paths"] ? {
    readonly status: StatusCalls<T, K>;
} : unknown) & ("scale" extends K["paths"] ? {
    readonly scale: ScaleCalls;
} : unknown) & ("log" extends K["paths"] ? PodCalls<Target> & EvictionCalls : unknown) & ("token" extends K["paths"] ? TokenCalls : unknown);
export interface StatusCalls<T extends AnyObject, K extends KindTraits = BareTraits> {
    get(target: Target, options?: CallOptions): Promise<Stored<T, K>>;
    update(object: SentObject<T, K>, options?: WriteOptions): Promise<Stored<T, K>>;
    patch<P extends PatchType = "merge">(target: Target, patch: Patch<T, P>, options?: PatchOptions<P>): Promise<Stored<T, K>>;
    apply(object: Applied<T>, options: ApplyOptions): Promise<Stored<T, K>>;
}
export interface ScaleCalls {
    get(target: Target, options?: CallOptions): Promise<Scale>;
    set(target: Target, replicas: number, options?: WriteOptions): Promise<Scale>;
}
export interface Scale extends types.Scale {
}
export interface PodCalls<Target> {
    logs(target: Target, options?: LogOptions): Logs;
    exec(target: Target, command: readonly string[], options?: ExecOptions): Promise<RemoteProcess>;
    attach(target: Target, options?: AttachOptions): Promise<RemoteProcess>;
    portForward(target: Target, port: number, options?: ForwardOptions): Promise<ForwardedPort>;
    cp(source: string, destination: PodPath<Target>, options?: CopyOptions): Promise<Copied>;
    cp(source: PodPath<Target>, destination: string, options?: CopyOptions): Promise<Copied>;
}
export interface LogOptions extends Ending {
    readonly container?: string;
    readonly follow?: boolean;
    readonly previous?: boolean;
    readonly sinceSeconds?: number;
    readonly sinceTime?: string;
    readonly tailLines?: number;
    readonly limitBytes?: number;
    readonly timestamps?: boolean;
}
interface Ending {
    readonly signal?: AbortSignal | undefined;
}
export interface Logs extends AsyncIterable<string> {
    text(): Promise<string>;
    stream(): Promise<ReadableStream<Uint8Array>>;
}
export type ExecOptions = AttachOptions;
export interface AttachOptions extends Ending {
    readonly container?: string;
    readonly stdin?: Input;
    readonly tty?: boolean;
}
export type Input = string | Uint8Array | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;
export interface RemoteProcess extends AsyncDisposable {
    readonly stdout: ReadableStream<Uint8Array>;
    readonly stderr: ReadableStream<Uint8Array>;
    readonly exitCode: Promise<number>;
    output(): Promise<{
        readonly stdout: string;
        readonly stderr: string;
        readonly exitCode: number;
    }>;
    resize(size: {
        readonly columns: number;
        readonly rows: number;
    }): Promise<void>;
    close(): Promise<void>;
}
export interface ForwardOptions extends Ending {
    readonly localPort?: number;
    readonly host?: string;
}
export interface ForwardedPort extends AsyncDisposable {
    readonly host: string;
    readonly port: number;
    close(): Promise<void>;
}
export interface PodPath<Target> {
    readonly pod: Target;
    readonly path: string;
}
export interface CopyOptions extends Ending {
    readonly container?: string;
}
export interface Copied {
    readonly skipped: readonly string[];
}
export interface EvictionCalls {
    evict(target: Target, options?: CallOptions & Pick<types.Eviction, "deleteOptions">): Promise<void>;
}
export interface TokenCalls {
    token(target: Target, spec?: Partial<TokenRequest["spec"]>, options?: CallOptions): Promise<TokenRequest>;
}
export interface TokenRequest extends types.TokenRequest {
}
export interface ResourceName {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
}
export interface UntypedObject {
    get(options?: CallOptions): Promise<Stored<ApiObject>>;
    find(options?: CallOptions): Promise<Stored<ApiObject> | undefined>;
    create(options?: WriteOptions): Promise<Stored<ApiObject>>;
    update(options?: WriteOptions): Promise<Stored<ApiObject>>;
    apply(options: ApplyOptions): Promise<Stored<ApiObject>>;
    patch<P extends PatchType = "merge">(patch: Patch<ApiObject, P>, options?: PatchOptions<P>): Promise<Stored<ApiObject>>;
    delete(options?: DeleteOptions): Promise<void>;
    list(query?: ListQuery): Listing<Stored<ApiObject>>;
    watch(query?: WatchQuery & {
        readonly bookmarks?: false | undefined;
    }): AsyncIterable<ChangeEvent<Stored<ApiObject>>>;
    watch(query: WatchQuery): AsyncIterable<WatchEvent<Stored<ApiObject>>>;
    resource(): Promise<Resource<ApiObject, KindTraits>>;
}
export interface TransactionCalls {
    of<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>): TransactionResource<T, K>;
    add(operation: TransactionOperation): void;
}
export interface TransactionResource<T extends AnyObject, K extends KindTraits = BareTraits> {
    get(target: Target): Promise<Stored<T, K>>;
    find(target: Target): Promise<Stored<T, K> | undefined>;
    create(object: SentObject<T, K>): void;
    update(object: SentObject<T, K>): void;
    apply(object: Applied<T>, options: {
        readonly manager: string;
        readonly force?: boolean | undefined;
    }): void;
    patch<P extends Exclude<PatchType, "apply"> = "merge">(target: Target, patch: Patch<T, P>, options?: {
        readonly type?: P | undefined;
    }): void;
    delete(target: Target, options?: Pick<DeleteOptions, "uid" | "resourceVersion" | "propagationPolicy" | "gracePeriodSeconds">): void;
}
export interface TransactionOptions extends WriteOptions {
    readonly attempts?: number | undefined;
}
export interface InformerOptions {
    readonly stalledAfterMs?: number | undefined;
    readonly namespace?: string | undefined;
    readonly signal?: AbortSignal | undefined;
}
declare class Discovery implements DiscoveryContent {
    #private;
    readonly groups: readonly DiscoveredGroup[];
    readonly resources: readonly DiscoveredResource[];
    readonly failed: DiscoveryContent["failed"];
    readonly isAggregated: boolean;
    constructor({ groups, resources, failed, isAggregated }: DiscoveryContent);
    get vocabulary(): Vocabulary;
    get preferred(): DiscoveredResource[];
    find(word: string): DiscoveredResource | undefined;
    byKind(apiVersion: string, kind: string): DiscoveredResource | undefined;
    inGroup(resource: string, group: string, version?: string): DiscoveredResource | undefined;
    inCategory(word: string): DiscoveredResource[];
    words(): string[];
}
interface DiscoveryContent {
    readonly groups: readonly DiscoveredGroup[];
    readonly resources: readonly DiscoveredResource[];
    readonly failed: readonly {
        readonly groupVersion: string;
        readonly error: unknown;
    }[];
    readonly isAggregated?: boolean | undefined;
}
interface DiscoveredGroup {
    readonly name: string;
    readonly preferred: string;
    readonly versions: readonly string[];
}
interface DiscoveredResource extends ResourceAddress {
    readonly singularName: string;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly subresources: readonly string[];
}
export interface Controller extends Omit<ControllerOptions<AnyObject>, "name" | "for" | "reconcile"> {
    readonly name: string;
    readonly for: ServedKind<AnyObject>;
    reconcile(request: Reconcile<AnyObject>): Promise<void>;
}
export interface ControllerOptions<T extends AnyObject, K extends KindTraits = KindTraits> {
    readonly name?: string;
    readonly for: ServedKind<T, K>;
    readonly selection?: InformerSelection;
    when?(object: Stored<T, K>, old: Stored<T, K> | undefined): boolean;
    readonly owns?: readonly ServedKind<any>[];
    readonly watches?: readonly Watched[];
    readonly workers?: number;
    readonly sources?: readonly Source[];
    readonly retry?: Retry;
    readonly timeoutMs?: number;
    readonly resyncMs?: number;
    reconcile(request: Reconcile<T, K>): Promise<void>;
}
export interface Watched {
    follow(informers: Informers, enqueue: (target: Target) => void): Pick<Informer<AnyObject>, "synced">;
}
export type Source = (enqueue: (target: Target) => void, signal: AbortSignal) => void | Promise<void>;
export interface Retry {
    readonly firstMs?: number;
    readonly longestMs?: number;
    readonly attempts?: number;
    readonly perSecond?: number;
    readonly burst?: number;
}
export interface Reconcile<T extends AnyObject, K extends KindTraits = BareTraits> {
    readonly object: Stored<T, K>;
    readonly client: Client;
    readonly informers: Informers;
    readonly events: ObjectEvents;
    readonly log: Log;
    readonly signal: AbortSignal;
    requeueAfter(ms: number): void;
}
export interface ObjectEvents {
    normal(reason: string, message: string, about?: AnyObject | ObjectReference): void;
    warning(reason: string, message: string, about?: AnyObject | ObjectReference): void;
}
export declare function controller<T extends AnyObject, K extends KindTraits = KindTraits>(given: ControllerOptions<T, K>): Controller;
export declare function generationChanged({ metadata }: AnyObject, old: AnyObject | undefined): boolean;
export declare function watch<T extends AnyObject, K extends KindTraits = KindTraits>(kind: ServedKind<T, K>, concerns: (object: Stored<T, K>) => readonly Target[], selection?: InformerSelection, when?: (object: Stored<T, K>, old: Stored<T, K> | undefined) => boolean): Watched;
export declare function healthListener(running: Pick<RunningControllers, "ready" | "isHealthy" | "metrics">): (request: IncomingMessage, response: ServerResponse) => void;
export interface RunningControllers extends AsyncDisposable {
    readonly ready: Promise<void>;
    readonly ended: Promise<void>;
    isHealthy(): boolean;
    metrics(): string;
    readonly listening: Promise<ListeningPorts>;
    close(): Promise<void>;
}
export interface ListeningPorts {
    readonly health?: number;
    readonly metrics?: number;
    readonly webhooks?: number;
}
export interface ListenAt {
    readonly port: number;
    readonly host?: string;
}
export interface WantedListeners {
    readonly health?: ListenAt;
    readonly metrics?: ListenAt;
    readonly webhooks?: ServeWebhookOptions<any>;
}
export interface ServeWebhookOptions<T extends AnyObject = ApiObject> extends WebhookHandlers<T> {
    readonly certFile?: string;
    readonly keyFile?: string;
    readonly tls?: {
        readonly cert: string;
        readonly key: string;
    };
    readonly host?: string;
    readonly port?: number;
    readonly log?: Log;
}
export interface LeaderElection {
    readonly name: string;
    readonly namespace?: string;
    readonly identity?: string;
    readonly leaseDurationMs?: number;
    readonly renewDeadlineMs?: number;
    readonly retryPeriodMs?: number;
}
export interface RunOptions extends WantedListeners {
    readonly client: Client;
    readonly controllers: readonly Controller[];
    readonly leaderElection?: LeaderElection;
    readonly stalledAfterMs?: number;
    readonly namespace?: string;
    readonly log?: Log;
    readonly signal?: AbortSignal;
    readonly clock?: Clock;
}
export declare function runControllers(options: RunOptions): RunningControllers;
export declare function convertOf(resources: readonly DefinedResource<unknown>[]): Convert;
export interface DefinedResource<T, V = unknown, K extends KindTraits = KindTraits> extends ServedKind<T, K> {
    readonly versions: V;
    definition(vocabulary: "orch" | "kubernetes", options?: DefinitionOptions): types.CustomResourceDefinition;
    convert(object: ApiObject, apiVersion: string): ApiObject;
}
export interface DefinitionOptions {
    readonly conversion?: ConversionWebhook | undefined;
}
export interface ConversionWebhook {
    readonly url?: string;
    readonly service?: {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string;
        readonly port?: number;
    };
    readonly authority?: string;
}
type Convert = (object: ApiObject, apiVersion: string) => ApiObject;
export type Converted<F extends Fields> = WrittenFields<F> & {
    metadata?: Pick<types.ObjectMeta, "labels" | "annotations">;
};
export type WrittenFields<F> = {
    [K in AlwaysSent<F>]: SentValue<F[K]>;
} & {
    [K in Exclude<keyof F, AlwaysSent<F>>]?: SentValue<F[K]>;
};
type AlwaysSent<F> = {
    [K in keyof F]: [IsRequired<F[K]>, IsDefaulted<F[K]>] extends [true, false] ? K : never;
}[keyof F];
type IsRequired<G> = G extends Field<unknown, "required"> ? true : false;
type IsDefaulted<G> = G extends Field<unknown, Presence, infer W> ? unknown extends W ? false : W extends Defaulted<unknown> ? true : false : false;
type SentValue<G> = G extends Field<infer T, Presence, infer W> ? WrittenValue<T, W> : never;
export interface DefinedColumn {
    readonly name: string;
    readonly type: "string" | "integer" | "number" | "boolean" | "date";
    readonly path: string;
    readonly doc?: string;
    readonly priority?: number;
}
export type DefinedObject<F extends Fields> = Plain<{
    apiVersion?: string;
    kind?: string;
    metadata: types.ObjectMeta;
} & ReadFields<F>>;
export type ReadFields<F> = {
    [K in AlwaysRead<F>]: Static<F[K]>;
} & {
    [K in Exclude<keyof F, AlwaysRead<F>>]?: Static<F[K]>;
};
type AlwaysRead<F> = {
    [K in keyof F]: true extends IsRequired<F[K]> | IsDefaulted<F[K]> ? K : never;
}[keyof F];
export type DefinedTraits<S extends Scope, P extends string, F extends Fields> = S extends "Cluster" ? ClusterWide<P, ObjectsApart<F>> : Namespaced<P, ObjectsApart<F>>;
type ObjectsApart<F extends Fields> = WrittenObject<F> extends DefinedObject<F> ? never : WrittenObject<F>;
export type WrittenObject<F extends Fields> = Plain<{
    apiVersion?: string;
    kind?: string;
    metadata: types.ObjectMeta;
} & WrittenFields<F>>;
export declare function defineResource<const F extends Fields, const V extends Record<string, Fields> = {}, const S extends Scope = "Namespaced", const R extends ScalePaths | undefined = undefined>(declared: ResourceDeclaration<F, V, S, R>): DefinedResource<DefinedObject<F>, VersionKinds<V, S>, DefinedTraits<S, PathsOf<F, R>, F>>;
export interface ScalePaths {
    readonly spec: string;
    readonly status: string;
    readonly selector?: string;
}
export interface ResourceDeclaration<F extends Fields, V extends Record<string, Fields>, S extends Scope = Scope, R extends ScalePaths | undefined = ScalePaths | undefined> extends Omit<VersionShape<F>, "scale"> {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly resource: string;
    readonly singular?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly scope?: S;
    readonly scale?: R;
    readonly versions?: {
        readonly [N in keyof V]: FurtherVersion<V[N], F>;
    };
    readonly storage?: string;
}
export interface VersionShape<F extends Fields> {
    readonly doc?: string;
    readonly fields: F;
    readonly columns?: readonly DefinedColumn[];
    readonly scale?: ScalePaths | undefined;
    readonly selectable?: readonly string[];
    readonly rules?: readonly DefinedRule[];
    readonly keywords?: Readonly<Record<string, Property>>;
    readonly served?: boolean;
    readonly deprecated?: boolean | string;
}
export interface DefinedRule {
    readonly at: string;
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: "FieldValueInvalid" | "FieldValueForbidden" | "FieldValueRequired" | "FieldValueDuplicate";
    readonly fieldPath?: string;
    readonly optionalOldSelf?: boolean;
}
type Property = Record<string, unknown>;
export interface FurtherVersion<G extends Fields, F extends Fields> extends VersionShape<G> {
    toHub?(object: DefinedObject<G>): Converted<F>;
    fromHub?(object: DefinedObject<F>): Converted<G>;
}
export type VersionKinds<V extends Record<string, Fields>, S extends Scope = Scope> = Plain<{
    readonly [N in keyof V]: ServedKind<DefinedObject<V[N]>, DefinedTraits<S, PathsOf<V[N], ScalePaths | undefined>, V[N]>>;
}>;
export type PathsOf<F extends Fields, R> = (F extends {
    readonly status: unknown;
} ? "status" : never) | (R extends ScalePaths ? "scale" : never);
type Value<T> = Field<T, "required">;
interface JsonValueSchema {
    readonly type: "json";
    readonly form: "raw" | "value" | "fields" | JsonChoice;
    readonly version?: "v1beta1";
    readonly topology?: MapTopology;
}
type JsonChoice = "orList" | "orBool" | "orTexts";
type MapTopology = "atomic" | "granular";
type ListOptions = Omit<ListSchema, "type" | "items" | "ruled">;
interface ListSchema {
    readonly type: "list";
    readonly topology?: ListTopology;
    readonly keys?: readonly string[];
}
type ListTopology = "atomic" | "set" | "map";
type MapOptions = Omit<MapSchema, "type" | "values" | "ruled">;
interface MapSchema {
    readonly type: "map";
    readonly topology?: MapTopology;
}
export interface Condition {
    type: string;
    status: "True" | "False" | "Unknown";
    reason: string;
    message: string;
    lastTransitionTime: string;
    observedGeneration?: number;
}
type WrittenApart<F> = WrittenFields<F> extends ReadFields<F> ? unknown : Plain<WrittenFields<F>>;
export interface InstallOptions extends CallOptions, DefinitionOptions {
}
export declare function installResources(client: Client, resources: readonly DefinedResource<unknown>[], options?: InstallOptions): Promise<void>;
export declare function conditionOf<C extends {
    type: string;
}>(conditions: readonly C[] | undefined, type: string): C | undefined;
export declare function withCondition(conditions: readonly Condition[] | undefined, next: Omit<Condition, "lastTransitionTime">, nowMs?: number): Condition[];
export declare function addFinalizer<T extends AnyObject, O extends T>(resource: ResourceCalls<T>, object: O, name: string, options?: CallOptions): Promise<O>;
export declare const hasFinalizer: ({ metadata }: AnyObject, name: string) => boolean;
export declare const isDeleting: ({ metadata }: AnyObject) => boolean;
export declare function removeFinalizer<T extends AnyObject, O extends T>(resource: ResourceCalls<T>, object: O, name: string, options?: CallOptions): Promise<O>;
export declare function setOwner<T extends AnyObject>(object: T, owner: AnyObject): T;
export declare function mergePatch<T extends object>(before: T, after: T): Record<string, unknown>;
export declare const reviewBytesMax: number;
export interface ServedWebhook extends AsyncDisposable {
    readonly port: number;
    reloadCertificate(): void;
    close(): Promise<void>;
}
export declare function serveWebhook<T extends AnyObject = ApiObject>(options: ServeWebhookOptions<T>): Promise<ServedWebhook>;
export declare function webhookHandler(webhook: Webhook, log?: Log): (request: Request) => Promise<Response>;
export interface Webhook {
    answer(path: string, body: unknown): Promise<JsonObject>;
}
type JsonObject = Record<string, unknown>;
export declare function webhookListener(webhook: Webhook, log?: Log): (request: IncomingMessage, response: ServerResponse) => void;
export declare function createWebhook<T extends AnyObject = ApiObject>(handlers: WebhookHandlers<T>): Webhook;
export declare const MutatingWebhookConfiguration: ServedKind<types.MutatingWebhookConfiguration, ClusterWide<never>>;
export type MutatingWebhookConfiguration = types.MutatingWebhookConfiguration;
export declare const ValidatingAdmissionPolicy: ServedKind<types.ValidatingAdmissionPolicy, ClusterWide<"status">>;
export type ValidatingAdmissionPolicy = types.ValidatingAdmissionPolicy;
export declare const ValidatingAdmissionPolicyBinding: ServedKind<types.ValidatingAdmissionPolicyBinding, ClusterWide<never>>;
export type ValidatingAdmissionPolicyBinding = types.ValidatingAdmissionPolicyBinding;
export declare const MutatingAdmissionPolicy: ServedKind<types.MutatingAdmissionPolicy, ClusterWide<never>>;
export type MutatingAdmissionPolicy = types.MutatingAdmissionPolicy;
export declare const MutatingAdmissionPolicyBinding: ServedKind<types.MutatingAdmissionPolicyBinding, ClusterWide<never>>;
export type MutatingAdmissionPolicyBinding = types.MutatingAdmissionPolicyBinding;
export declare const ValidatingWebhookConfiguration: ServedKind<types.ValidatingWebhookConfiguration, ClusterWide<never>>;
export type ValidatingWebhookConfiguration = types.ValidatingWebhookConfiguration;
export declare const CustomResourceDefinition: ServedKind<types.CustomResourceDefinition, ClusterWide<"status">>;
export type CustomResourceDefinition = types.CustomResourceDefinition;
export declare const APIService: ServedKind<types.APIService, ClusterWide<"status">>;
export type APIService = types.APIService;
export declare const ControllerRevision: ServedKind<types.ControllerRevision, Namespaced<never>>;
export type ControllerRevision = types.ControllerRevision;
export declare const DaemonSet: ServedKind<types.DaemonSet, Namespaced<"status">>;
export type DaemonSet = types.DaemonSet;
export declare const Deployment: ServedKind<types.Deployment, Namespaced<"scale" | "status">>;
export type Deployment = types.Deployment;
export declare const ReplicaSet: ServedKind<types.ReplicaSet, Namespaced<"scale" | "status">>;
export type ReplicaSet = types.ReplicaSet;
export declare const StatefulSet: ServedKind<types.StatefulSet, Namespaced<"scale" | "status">>;
export type StatefulSet = types.StatefulSet;
export declare const SelfSubjectReview: ServedKind<types.SelfSubjectReview, Answered<"Cluster">>;
export type SelfSubjectReview = types.SelfSubjectReview;
export declare const TokenReview: ServedKind<types.TokenReview, Answered<"Cluster">>;
export type TokenReview = types.TokenReview;
export declare const LocalSubjectAccessReview: ServedKind<types.LocalSubjectAccessReview, Answered<"Namespaced">>;
export type LocalSubjectAccessReview = types.LocalSubjectAccessReview;
export declare const SelfSubjectAccessReview: ServedKind<types.SelfSubjectAccessReview, Answered<"Cluster">>;
export type SelfSubjectAccessReview = types.SelfSubjectAccessReview;
export declare const SelfSubjectRulesReview: ServedKind<types.SelfSubjectRulesReview, Answered<"Cluster">>;
export type SelfSubjectRulesReview = types.SelfSubjectRulesReview;
export declare const SubjectAccessReview: ServedKind<types.SubjectAccessReview, Answered<"Cluster">>;
export type SubjectAccessReview = types.SubjectAccessReview;
export declare const HorizontalPodAutoscaler: ServedKind<types.HorizontalPodAutoscaler, Namespaced<"status">>;
export type HorizontalPodAutoscaler = types.HorizontalPodAutoscaler;
export declare const HorizontalPodAutoscalerV2: ServedKind<types.HorizontalPodAutoscalerV2, Namespaced<"status">>;
export type HorizontalPodAutoscalerV2 = types.HorizontalPodAutoscalerV2;
export declare const CronJob: ServedKind<types.CronJob, Namespaced<"status">>;
export type CronJob = types.CronJob;
export declare const Job: ServedKind<types.Job, Namespaced<"status">>;
export type Job = types.Job;
export declare const CertificateSigningRequest: ServedKind<types.CertificateSigningRequest, ClusterWide<"status">>;
export type CertificateSigningRequest = types.CertificateSigningRequest;
export declare const ClusterTrustBundle: ServedKind<types.ClusterTrustBundle, ClusterWide<never>>;
export type ClusterTrustBundle = types.ClusterTrustBundle;
export declare const PodCertificateRequest: ServedKind<types.PodCertificateRequest, Namespaced<"status">>;
export type PodCertificateRequest = types.PodCertificateRequest;
export declare const Lease: ServedKind<types.Lease, Namespaced<never>>;
export type Lease = types.Lease;
export declare const ConfigMap: ServedKind<types.ConfigMap, Namespaced<never>>;
export type ConfigMap = types.ConfigMap;
export declare const Endpoints: ServedKind<types.Endpoints, Namespaced<never>>;
export type Endpoints = types.Endpoints;
export declare const Event: ServedKind<types.Event, Namespaced<never>>;
export type Event = types.Event;
export declare const LimitRange: ServedKind<types.LimitRange, Namespaced<never>>;
export type LimitRange = types.LimitRange;
export declare const Namespace: ServedKind<types.Namespace, ClusterWide<"status">>;
export type Namespace = types.Namespace;
export declare const Node: ServedKind<types.Node, ClusterWide<"status">>;
export type Node = types.Node;
export declare const PersistentVolume: ServedKind<types.PersistentVolume, ClusterWide<"status">>;
export type PersistentVolume = types.PersistentVolume;
export declare const PersistentVolumeClaim: ServedKind<types.PersistentVolumeClaim, Namespaced<"status">>;
export type PersistentVolumeClaim = types.PersistentVolumeClaim;
export declare const Pod: ServedKind<types.Pod, Namespaced<"log" | "status">>;
export type Pod = types.Pod;
export declare const PodTemplate: ServedKind<types.PodTemplate, Namespaced<never>>;
export type PodTemplate = types.PodTemplate;
export declare const ReplicationController: ServedKind<types.ReplicationController, Namespaced<"scale" | "status">>;
export type ReplicationController = types.ReplicationController;
export declare const ResourceQuota: ServedKind<types.ResourceQuota, Namespaced<"status">>;
export type ResourceQuota = types.ResourceQuota;
export declare const Secret: ServedKind<types.Secret, Namespaced<never>>;
export type Secret = types.Secret;
export declare const Service: ServedKind<types.Service, Namespaced<"status">>;
export type Service = types.Service;
export declare const ServiceAccount: ServedKind<types.ServiceAccount, Namespaced<"token">>;
export type ServiceAccount = types.ServiceAccount;
export declare const EndpointSlice: ServedKind<types.EndpointSlice, Namespaced<never>>;
export type EndpointSlice = types.EndpointSlice;
export declare const FlowSchemaV1: ServedKind<types.FlowSchemaV1, ClusterWide<"status">>;
export type FlowSchemaV1 = types.FlowSchemaV1;
export declare const PriorityLevelConfigurationV1: ServedKind<types.PriorityLevelConfigurationV1, ClusterWide<"status">>;
export type PriorityLevelConfigurationV1 = types.PriorityLevelConfigurationV1;
export declare const FlowSchema: ServedKind<types.FlowSchema, ClusterWide<"status">>;
export type FlowSchema = types.FlowSchema;
export declare const PriorityLevelConfiguration: ServedKind<types.PriorityLevelConfiguration, ClusterWide<"status">>;
export type PriorityLevelConfiguration = types.PriorityLevelConfiguration;
export declare const Ingress: ServedKind<types.Ingress, Namespaced<"status">>;
export type Ingress = types.Ingress;
export declare const IngressClass: ServedKind<types.IngressClass, ClusterWide<never>>;
export type IngressClass = types.IngressClass;
export declare const NetworkPolicy: ServedKind<types.NetworkPolicy, Namespaced<"status">>;
export type NetworkPolicy = types.NetworkPolicy;
export declare const IPAddress: ServedKind<types.IPAddress, ClusterWide<never>>;
export type IPAddress = types.IPAddress;
export declare const ServiceCIDR: ServedKind<types.ServiceCIDR, ClusterWide<"status">>;
export type ServiceCIDR = types.ServiceCIDR;
export declare const RuntimeClass: ServedKind<types.RuntimeClass, ClusterWide<never>>;
export type RuntimeClass = types.RuntimeClass;
export declare const PodDisruptionBudget: ServedKind<types.PodDisruptionBudget, Namespaced<"status">>;
export type PodDisruptionBudget = types.PodDisruptionBudget;
export declare const PodSecurityPolicy: ServedKind<types.PodSecurityPolicy, ClusterWide<never>>;
export type PodSecurityPolicy = types.PodSecurityPolicy;
export declare const ClusterRole: ServedKind<types.ClusterRole, ClusterWide<never>>;
export type ClusterRole = types.ClusterRole;
export declare const ClusterRoleBinding: ServedKind<types.ClusterRoleBinding, ClusterWide<never>>;
export type ClusterRoleBinding = types.ClusterRoleBinding;
export declare const Role: ServedKind<types.Role, Namespaced<never>>;
export type Role = types.Role;
export declare const RoleBinding: ServedKind<types.RoleBinding, Namespaced<never>>;
export type RoleBinding = types.RoleBinding;
export declare const DeviceClass: ServedKind<types.DeviceClass, ClusterWide<never>>;
export type DeviceClass = types.DeviceClass;
export declare const DeviceTaintRule: ServedKind<types.DeviceTaintRule, ClusterWide<"status">>;
export type DeviceTaintRule = types.DeviceTaintRule;
export declare const ResourceClaim: ServedKind<types.ResourceClaim, Namespaced<"status">>;
export type ResourceClaim = types.ResourceClaim;
export declare const ResourceClaimTemplate: ServedKind<types.ResourceClaimTemplate, Namespaced<never>>;
export type ResourceClaimTemplate = types.ResourceClaimTemplate;
export declare const ResourceSlice: ServedKind<types.ResourceSlice, ClusterWide<never>>;
export type ResourceSlice = types.ResourceSlice;
export declare const PriorityClass: ServedKind<types.PriorityClass, ClusterWide<never>>;
export type PriorityClass = types.PriorityClass;
export declare const CSIDriver: ServedKind<types.CSIDriver, ClusterWide<never>>;
export type CSIDriver = types.CSIDriver;
export declare const CSINode: ServedKind<types.CSINode, ClusterWide<"status">>;
export type CSINode = types.CSINode;
export declare const StorageClass: ServedKind<types.StorageClass, ClusterWide<never>>;
export type StorageClass = types.StorageClass;
export declare const VolumeAttachment: ServedKind<types.VolumeAttachment, ClusterWide<"status">>;
export type VolumeAttachment = types.VolumeAttachment;
export declare const VolumeAttributesClass: ServedKind<types.VolumeAttributesClass, ClusterWide<never>>;
export type VolumeAttributesClass = types.VolumeAttributesClass;
export declare const CSIStorageCapacityV1: ServedKind<types.CSIStorageCapacityV1, Namespaced<never>>;
export type CSIStorageCapacityV1 = types.CSIStorageCapacityV1;
export declare const CSIStorageCapacity: ServedKind<types.CSIStorageCapacity, Namespaced<never>>;
export type CSIStorageCapacity = types.CSIStorageCapacity;
export declare const StorageVersionMigration: ServedKind<types.StorageVersionMigration, ClusterWide<"status">>;
export type StorageVersionMigration = types.StorageVersionMigration;
export type ObjectMeta = types.ObjectMeta;
export declare namespace field {
    const bool: () => Value<boolean>;
    const bytes: () => Value<string>;
    const double: () => Value<number>;
    const duration: () => Value<string>;
    const int32: () => Value<number>;
    const int64: () => Value<number>;
    const intOrString: () => Value<number | string>;
    const json: (form?: Exclude<JsonValueSchema["form"], JsonChoice>, more?: Pick<JsonValueSchema, "version">) => Value<unknown>;
    function list<T, W>(items: Field<T, Presence, W>, options?: ListOptions): Field<T[], "required", unknown extends W ? unknown : WrittenValue<T, W>[]>;
    function map<T, W>(values: Field<T, Presence, W>, options?: MapOptions): Field<Record<string, T>, "required", unknown extends W ? unknown : Record<string, WrittenValue<T, W>>>;
    const optional: <T, W>(field: Field<T, Presence, W>) => Field<T, "optional", W>;
    const quantity: () => Value<string>;
    const string: () => Value<string>;
    const time: () => Value<string | null>;
    function conditionList(): Field<Condition[], "required">;
    const object: <F extends Fields>(fields: F, options?: {
        readonly doc?: string;
        readonly topology?: "atomic" | "granular";
    }) => Field<Plain<ReadFields<F>>, "required", WrittenApart<F>>;
    const oneOf: <const T extends string>(values: readonly T[]) => Field<T, "required">;
}
export {};

import type * as types from "./object-types.js";
export interface CreateServerOptions {
    readonly like?: Like;
    readonly vocabulary?: "orch" | "kubernetes";
    readonly emulatedVersion?: Level;
    readonly dataDir?: string;
    readonly from?: string;
    readonly history?: string;
    readonly historyKinds?: readonly string[];
    readonly listen?: boolean;
    readonly host?: string;
    readonly port?: number;
    readonly tokens?: Readonly<Record<string, Omit<FetchUser, "extra">>>;
    readonly authorization?: "RBAC" | "AlwaysAllow";
    readonly featureGates?: Readonly<Record<string, boolean>>;
    readonly runtimeConfig?: Readonly<Record<string, boolean>>;
    readonly enableAdmissionPlugins?: readonly string[];
    readonly proxyLocalTargets?: ProxyTargets;
    readonly disableAdmissionPlugins?: readonly string[];
    readonly controllers?: false | readonly ControllerChoice[];
    readonly nodes?: number;
    readonly simulation?: {
        readonly portTargets?: readonly string[];
        readonly pullFails?: readonly string[];
    };
    readonly admission?: readonly AdmissionPlugin[];
    readonly admissionConfiguration?: Readonly<Record<string, unknown>>;
    readonly clock?: ClockChoice;
    readonly journal?: boolean;
    readonly faultPlans?: boolean;
    readonly forks?: boolean;
    readonly workspaces?: boolean;
    readonly workspaceLocalTargets?: WorkspaceTargets;
    readonly log?: Log;
    readonly tracing?: Tracer;
    readonly random?: (below: number) => number;
}
export type Like = `${Vocabulary["name"]}-${Level}`;
export interface Vocabulary {
    readonly name: "orch" | "kubernetes";
    readonly isNeutral: boolean;
    group(neutral: NeutralGroup): SpokenGroup;
    word(neutral: string): string;
    field(neutral: string): string;
    metric(neutral: string): string;
    readonly extensionPrefix: string;
    readonly rulesExtension: `x-${string}` | undefined;
    readonly protobufMediaType: string;
    readonly encryptedPrefix: string;
    readonly definitionPrefix: string;
    readonly tool: string;
}
export type NeutralGroup = string & {
    readonly words?: "neutral";
};
export type SpokenGroup = string & {
    readonly words?: "spoken";
};
export type Level = keyof typeof rows;
export declare const rows: {
    readonly "1.21": {
        readonly release: "v1.21.14";
        readonly golden: "";
    };
    readonly "1.22": {
        readonly release: "v1.22.17";
    };
    readonly "1.23": {
        readonly release: "v1.23.17";
    };
    readonly "1.24": {
        readonly release: "v1.24.17";
    };
    readonly "1.25": {
        readonly release: "v1.25.16";
    };
    readonly "1.26": {
        readonly release: "v1.26.15";
    };
    readonly "1.27": {
        readonly release: "v1.27.16";
    };
    readonly "1.28": {
        readonly release: "v1.28.15";
    };
    readonly "1.29": {
        readonly release: "v1.29.15";
    };
    readonly "1.30": {
        readonly release: "v1.30.14";
    };
    readonly "1.31": {
        readonly release: "v1.31.14";
    };
    readonly "1.32": {
        readonly release: "v1.32.13";
    };
    readonly "1.33": {
        readonly release: "v1.33.12";
    };
    readonly "1.34": {
        readonly release: "v1.34.9";
    };
    readonly "1.35": {
        readonly release: "v1.35.8";
        readonly golden: "1.35/";
    };
    readonly "1.36": {
        readonly release: "v1.36.4";
    };
    readonly "1.37": {
        readonly release: "v1.37.0";
    };
};
export interface FetchUser {
    readonly name: string;
    readonly groups?: readonly string[];
    readonly uid?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}
export type ProxyTargets = (typeof proxyTargetChoices)[number];
export declare const proxyTargetChoices: readonly ["deny", "allow"];
export type ControllerChoice = "*" | ControllerName | `-${ControllerName}` | `${string}-controller`;
export type ControllerName = (typeof controllerNames)[number];
export declare const controllerNames: readonly ["bootstrapsigner", "clusterrole-aggregation", "cronjob", "csrapproving", "csrcleaner", "csrsigning", "daemonset", "deployment", "disruption", "endpoint", "endpointslice", "endpointslicemirroring", "ephemeral-volume", "garbagecollector", "horizontalpodautoscaling", "job", "legacy-service-account-token-cleaner", "namespace", "nodeipam", "nodelifecycle", "persistentvolume-binder", "persistentvolume-expander", "podgc", "pv-protection", "pvc-protection", "replicaset", "replicationcontroller", "resourceclaim", "resourcequota", "root-ca-cert-publisher", "scheduler", "service-cidr", "serviceaccount", "serviceaccount-token", "statefulset", "storage-version-gc", "svm", "taint-eviction", "tokencleaner", "ttl", "ttl-after-finished", "unscheduled-pods", "validatingadmissionpolicy-status", "volumeattributesclass-protection"];
export interface AdmissionPlugin extends AdmissionRule {
    readonly name: string;
    handles(request: AdmissionRequest): boolean;
    ruleFor?(target: RequestTarget): AdmissionRule | undefined;
}
export interface AdmissionRule {
    handles?(request: AdmissionRequest): boolean;
    readonly leavesOldMembers?: boolean;
    mutate?(request: AdmissionRequest): void | Promise<void>;
    validate?(request: AdmissionRequest): void | Promise<void>;
}
export interface AdmissionRequest {
    readonly operation: Operation;
    readonly kind: BoundKind;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    readonly ofCollection: boolean;
    readonly object: ApiObject | undefined;
    readonly old: ApiObject | undefined;
    readonly options: Readonly<Record<string, unknown>>;
    readonly user: User;
    readonly dryRun: boolean;
    readonly round: 0 | 1;
    readonly signal: AbortSignal;
    readonly deadlineMs: number;
    in(kind: BoundKind): VersionedObjects | Promise<VersionedObjects>;
    replace(value: unknown, kind: BoundKind): boolean | Promise<boolean>;
    releaseSeat(): () => void;
    warn(text: string): void;
    annotate(key: string, value: string): void;
    changedBy(name: string): void;
    readonly transaction: object | undefined;
    staged<T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef): Staged<T> | undefined;
    onOutcome(callback: OutcomeCallback): void;
}
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
export interface BoundKind<T = ApiObject> {
    readonly group: SpokenGroup;
    readonly version: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly listKind: string;
    readonly resource: string;
    readonly namespaced: boolean;
}
export interface ApiObject {
    apiVersion?: string;
    kind?: string;
    metadata: types.ObjectMeta;
    [field: string]: unknown;
}
export interface User {
    readonly name: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: ReadonlyMap<string, readonly string[]>;
}
export interface VersionedObjects {
    readonly object: ApiObject | undefined;
    readonly old: ApiObject | undefined;
}
export interface ObjectRef {
    readonly namespace: string;
    readonly name: string;
}
export interface Staged<T extends ApiObject = ApiObject> {
    readonly object: T | undefined;
}
export type OutcomeCallback = (outcome: WriteOutcome) => Promise<void>;
export type WriteOutcome = "stored" | "failed" | "unknown";
export type RequestTarget = Pick<AdmissionRequest, "kind" | "subresource" | "operation">;
export type ClockChoice = Clock | "virtual" | {
    readonly virtual: string | number | Date;
};
export interface Clock {
    now(): number;
    monotonic(): number;
    after(ms: number, callback: () => void): () => void;
}
export type WorkspaceTargets = (typeof workspaceTargetChoices)[number];
export declare const workspaceTargetChoices: readonly ["deny", "allow"];
export interface Log {
    readonly verbosity?: number;
    debug(message: string, fields?: Record<string, unknown>): void;
    info(message: string, fields?: Record<string, unknown>): void;
    warn(message: string, fields?: Record<string, unknown>): void;
    error(message: string, fields?: Record<string, unknown>): void;
}
export interface Tracer {
    startSpan(name: string, options?: object, context?: object): object;
}
export interface OrchServer extends AsyncDisposable, TestKit<OrchServer> {
    readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
    transaction(operations: readonly TransactionOperation[], options?: {
        readonly dryRun?: boolean;
    }): Promise<readonly OperationResult[]>;
    history(kind: NamedKind | string, ref: {
        readonly namespace?: string;
        readonly name: string;
    }, options?: {
        readonly limit?: number;
    }): Promise<RecordedChange[]>;
    fetchAs(user: FetchUser): OrchServer["fetch"];
    handler(options?: RequestHandlerOptions): (request: Request) => Promise<Response>;
    webhook<T extends AnyObject = ApiObject>(kind: NamedKind<T> | string, handlers: Pick<WebhookHandlers<T>, "mutate" | "validate">, options?: WebhookOptions): Promise<AsyncDisposable & {
        close(): Promise<void>;
    }>;
    workspace(name: string, options?: {
        readonly type?: string;
    }): Promise<ServerWorkspace>;
    listen(): Promise<string>;
    readonly url: string | undefined;
    clientConfig(): Promise<ClientConfig>;
    consoleUrl(): Promise<string>;
    close(): Promise<void>;
}
export interface TestKit<Server> extends Waits {
    fork(options?: ForkOptions): Promise<Server>;
    mark(): Promise<void>;
    reset(): Promise<void>;
    readonly faults: Faults;
    readonly journal: Journal;
    load(what: Loadable): Promise<number>;
    snapshot(path: string): Promise<void>;
}
export interface Waits {
    readonly clock: ServerClock;
    until<T extends AnObject = ApiObject>(kind: NamedKind<T> | string, name: string, isSo: (object: T) => boolean, options?: UntilOptions): Promise<T>;
    untilGone(kind: NamedKind | string, name: string, options?: UntilOptions): Promise<void>;
    settled(options?: SettleOptions): Promise<void>;
}
export interface ServerClock extends Clock {
    readonly isVirtual: boolean;
    advance(by: string | number): Promise<void>;
}
export type AnObject = Pick<ApiObject, "metadata">;
export interface NamedKind<T = AnObject> {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly static?: T;
}
export interface UntilOptions {
    readonly namespace?: string;
    readonly timeoutMs?: number;
}
export interface SettleOptions {
    readonly timeoutMs?: number;
}
export interface ForkOptions {
    readonly controllers?: false | readonly ControllerChoice[];
}
export interface Faults {
    add(fault: Fault): PlannedFault;
    clear(): void;
    readonly all: readonly PlannedFault[];
}
export interface Fault {
    readonly match?: FaultMatch;
    readonly do: FaultAction;
}
export interface FaultMatch {
    readonly user?: string | readonly string[];
    readonly verb?: RequestVerb | readonly RequestVerb[];
    readonly resource?: string | readonly string[];
    readonly subresource?: string | readonly string[];
    readonly name?: string | readonly string[];
    readonly namespace?: string | readonly string[];
    readonly nth?: number;
    readonly every?: number;
    readonly probability?: number;
    readonly seed?: number;
}
export type RequestVerb = (typeof requestVerbs)[number];
export declare const requestVerbs: readonly ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch", "head", "options", "post", "put"];
export type FaultAction = Latency | RefusedStatus | BrokenConnection | EventFault | ExpiredWatch | SilentBookmarks | StaleList;
export interface Latency {
    readonly latencyMs: number;
}
export interface RefusedStatus {
    readonly status: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
    readonly when?: "before" | "after";
}
export interface BrokenConnection {
    readonly connection: "refuse" | "cut";
}
export interface EventFault {
    readonly events: "drop" | "duplicate" | "reorder" | "delay";
    readonly delayMs?: number;
}
export interface ExpiredWatch {
    readonly expireAfterEvents: number;
}
export interface SilentBookmarks {
    readonly bookmarks: "silent";
}
export interface StaleList {
    readonly list: "stale";
}
export interface PlannedFault {
    readonly fault: Fault;
    readonly hits: number;
    remove(): void;
}
export interface Journal {
    start(): void;
    clear(): void;
    requests(query?: JournalQuery): readonly JournalEntry[];
    quiet(query: JournalQuery & {
        readonly forMs: number;
        readonly timeoutMs?: number;
    }): Promise<void>;
    role(user: string): readonly LeastRole[];
    replay(send: (path: string, init: RequestInit) => Promise<Response>, query?: JournalQuery): Promise<readonly ReplayedRequest[]>;
}
export interface JournalQuery {
    readonly user?: string | readonly string[];
    readonly verb?: RequestVerb | readonly RequestVerb[];
    readonly resource?: string | readonly string[];
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
}
export interface JournalEntry {
    readonly number: number;
    readonly user: string;
    readonly verb: string;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
    readonly path: string;
    readonly target: string;
    readonly code: number;
    readonly atMs: number;
    readonly durationMs: number | undefined;
    readonly body: string | undefined;
    readonly isRedacted: boolean;
    readonly contentType: string | undefined;
    readonly userAgent: string;
    readonly admission: readonly AdmittedStep[];
    readonly changes: FieldChanges | undefined;
}
export interface AdmittedStep {
    readonly plugin: string;
    readonly webhook?: {
        readonly name: string;
        readonly configuration: string;
    };
    readonly policy?: {
        readonly name: string;
        readonly binding: string;
    };
    readonly phase: "mutate" | "validate";
    readonly round: 0 | 1;
    readonly durationMs: number | undefined;
    readonly outcome: "allowed" | "refused" | "ignored" | undefined;
    readonly message?: string;
    readonly changes?: FieldChanges;
}
export interface FieldChanges {
    readonly fields: readonly FieldChange[];
    readonly areMore: boolean;
}
export interface FieldChange {
    readonly field: string;
    readonly before?: string;
    readonly after?: string;
}
export interface LeastRole {
    readonly apiVersion: string;
    readonly kind: "ClusterRole" | "Role";
    readonly metadata: {
        readonly name: string;
        readonly namespace?: string;
    };
    readonly rules: readonly Rule[];
}
export interface Rule {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly verbs: readonly string[];
}
export interface ReplayedRequest {
    readonly entry: JournalEntry;
    readonly code: number;
}
export type Loadable = string | readonly object[];
export interface TransactionOperation {
    readonly operation: "create" | "update" | "apply" | "patch" | "delete" | "expect";
    readonly object: object;
    readonly subresource?: string | undefined;
    readonly patch?: unknown;
    readonly patchType?: "merge" | "json" | "strategic" | undefined;
    readonly fieldManager?: string | undefined;
    readonly force?: boolean | undefined;
    readonly options?: object | undefined;
    readonly absent?: boolean | undefined;
}
export interface OperationResult {
    readonly code: number;
    readonly object: unknown;
}
export interface RecordedChange {
    readonly metadata: {
        readonly name: string;
        readonly namespace?: string;
        readonly creationTimestamp: string;
    };
    readonly object: {
        readonly kind?: string;
        readonly resource?: string;
        readonly name?: string;
        readonly uid?: string;
        readonly owners?: readonly {
            readonly kind: string;
            readonly name: string;
            readonly uid: string;
            readonly controller?: boolean;
        }[];
    };
    readonly operation: "create" | "update" | "delete";
    readonly verb?: string;
    readonly subresource?: string;
    readonly user?: string;
    readonly impersonator?: string;
    readonly userAgent?: string;
    readonly manager?: string;
    readonly requestID?: string;
    readonly cause?: string;
    readonly guessed?: boolean;
    readonly admission?: string;
    readonly fields?: readonly {
        readonly path: string;
        readonly old?: string;
        readonly new?: string;
    }[];
    readonly moreFields?: number;
}
export interface RequestHandlerOptions {
    authenticate?(request: Request): FetchUser | undefined | null | Promise<FetchUser | undefined | null>;
    readonly prefix?: string;
}
export interface AnyObject {
    apiVersion?: string;
    kind?: string;
    metadata: types.ObjectMeta;
}
export interface WebhookHandlers<T extends AnyObject = ApiObject> {
    validate?(request: AdmissionCall<T>): void | Promise<void>;
    mutate?(request: MutatingCall<T>): void | Promise<void>;
    convert?(object: ApiObject, apiVersion: string): ApiObject | Promise<ApiObject>;
}
export type AdmissionCall<T extends AnyObject> = CreateCall<T> | UpdateCall<T> | DeleteCall<T> | ConnectCall;
export interface CreateCall<T extends AnyObject> extends AdmissionFacts {
    readonly operation: "CREATE";
    readonly object: T;
    readonly old: null;
}
export interface AdmissionFacts {
    readonly kind: {
        readonly group: string;
        readonly version: string;
        readonly kind: string;
    };
    readonly resource: {
        readonly group: string;
        readonly version: string;
        readonly resource: string;
    };
    readonly subresource: string;
    readonly name: string;
    readonly namespace: string;
    readonly user: AdmissionUser;
    readonly options: ApiObject | undefined;
    readonly dryRun: boolean;
    warn(message: string): void;
}
export interface AdmissionUser {
    readonly name: string;
    readonly uid: string;
    readonly groups: readonly string[];
    readonly extra: Readonly<Record<string, readonly string[]>>;
}
export interface UpdateCall<T extends AnyObject> extends AdmissionFacts {
    readonly operation: "UPDATE";
    readonly object: T;
    readonly old: T;
}
export interface DeleteCall<T extends AnyObject> extends AdmissionFacts {
    readonly operation: "DELETE";
    readonly object: null;
    readonly old: T;
}
export interface ConnectCall extends AdmissionFacts {
    readonly operation: "CONNECT";
    readonly object: ApiObject;
    readonly old: null;
}
export type MutatingCall<T extends AnyObject> = CreateCall<T> | UpdateCall<T>;
export interface WebhookOptions {
    readonly operations?: readonly ("CREATE" | "UPDATE" | "DELETE" | "CONNECT")[];
    readonly subresource?: string;
}
export interface ServerWorkspace extends Pick<OrchServer, "fetch" | "fetchAs" | "clientConfig" | "until" | "untilGone" | "settled"> {
    readonly name: string;
}
export interface ClientConfig {
    readonly server: string;
    readonly authority: string;
    readonly certificate: string;
    readonly key: string;
    readonly kubeconfig: ClientConfiguration;
    readonly text: string;
}
export interface ClientConfiguration {
    readonly apiVersion: "v1";
    readonly kind: "Config";
    readonly clusters: readonly {
        readonly name: string;
        readonly cluster: Readonly<Record<string, string>>;
    }[];
    readonly users: readonly {
        readonly name: string;
        readonly user: Readonly<Record<string, string>>;
    }[];
    readonly contexts: readonly {
        readonly name: string;
        readonly context: {
            readonly cluster: string;
            readonly user: string;
        };
    }[];
    readonly "current-context": string;
}
export interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}
export declare class StatusError extends Error {
    static [Symbol.hasInstance](value: unknown): boolean;
    readonly code: number;
    readonly reason: StatusReason | undefined;
    readonly details: StatusDetails | undefined;
    readonly continueToken: string | undefined;
    constructor(reason: StatusReason | undefined, message: string, more?: {
        code?: number;
        details?: StatusDetails;
        continueToken?: string;
        cause?: unknown;
    });
    get [statusErrorMark](): true;
    toStatus(): Status;
}
export type StatusReason = keyof typeof statusReasons;
export declare const statusReasons: {
    readonly BadRequest: 400;
    readonly Unauthorized: 401;
    readonly Forbidden: 403;
    readonly NotFound: 404;
    readonly MethodNotAllowed: 405;
    readonly NotAcceptable: 406;
    readonly AlreadyExists: 409;
    readonly Conflict: 409;
    readonly Gone: 410;
    readonly Expired: 410;
    readonly RequestEntityTooLarge: 413;
    readonly UnsupportedMediaType: 415;
    readonly Invalid: 422;
    readonly TooManyRequests: 429;
    readonly InternalError: 500;
    readonly ServerTimeout: 500;
    readonly ServiceUnavailable: 503;
    readonly Timeout: 504;
};
export interface StatusDetails {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
}
export declare const statusErrorMark: unique symbol;
export interface Status {
    readonly kind: "Status";
    readonly apiVersion: "v1";
    readonly metadata: {
        readonly resourceVersion?: string;
        readonly continue?: string;
        readonly remainingItemCount?: number;
    };
    readonly status: "Success" | "Failure";
    readonly message?: string;
    readonly reason?: StatusReason;
    readonly details?: StatusDetails;
    readonly code?: number;
}
export declare const alreadyExistsError: (kind: RefusedKind, name: string) => StatusError;
export interface RefusedKind {
    readonly group: string;
    readonly kind: string;
    readonly resource: string;
}
export declare const badRequestError: (message: string, cause?: unknown) => StatusError;
export declare const conflictError: (kind: RefusedKind, name: string, message: string) => StatusError;
export declare const expiredError: (message: string) => StatusError;
export interface FieldProblem {
    readonly field: string;
    readonly message: string;
    readonly reason?: FieldReason;
}
export type FieldReason = "FieldValueRequired" | "FieldValueInvalid" | "FieldValueNotSupported" | "FieldValueDuplicate" | "FieldValueForbidden" | "FieldValueTooLong" | "FieldValueTypeInvalid" | "FieldValueTooMany" | "FieldValueNotFound" | "InternalError";
export declare const forbiddenError: (kind: RefusedKind, name: string, message: string) => StatusError;
export declare const internalError: (message: string, cause?: unknown) => StatusError;
export declare function invalidError(kind: RefusedKind, name: string, problems: readonly FieldProblem[]): StatusError;
export declare const notFoundError: (kind: RefusedKind, name: string) => StatusError;
export declare const tooManyRequestsError: (message: string, retryAfterSeconds: number) => StatusError;
export declare const unavailableError: (message: string, cause?: unknown) => StatusError;
export declare const isAlreadyExists: (error: unknown) => error is StatusError;
export declare const isConflict: (error: unknown) => error is StatusError;
export declare const isExpired: (error: unknown) => error is StatusError;
export declare const isForbidden: (error: unknown) => error is StatusError;
export declare const isInvalid: (error: unknown) => error is StatusError;
export declare const isNotFound: (error: unknown) => error is StatusError;
export declare const isTooManyRequests: (error: unknown) => error is StatusError;
export {};

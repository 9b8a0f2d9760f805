// @ts-ignore
import type { IncomingMessage, ServerResponse } from "node:http";
import type * as types from "./object-types.js";
import type { AdmissionPlugin, AdmissionRequest, AdmissionRule, ApiObject, CreateServerOptions, Operation, OrchServer, RequestTarget, StatusCause, StatusDetails, StatusError } from "./shared.js";
export { AdmissionPlugin, AdmissionRequest, ClientConfig, ControllerChoice, CreateServerOptions, Fault, FaultAction, FaultMatch, FetchUser, FieldProblem, JournalEntry, JournalQuery, Operation, OperationResult, OrchServer, PlannedFault, RecordedChange, RefusedKind, RequestHandlerOptions, RequestVerb, ServerClock, StatusError, StatusReason, Tracer, TransactionOperation, WebhookOptions, alreadyExistsError, badRequestError, conflictError, expiredError, forbiddenError, internalError, invalidError, isAlreadyExists, isConflict, isExpired, isForbidden, isInvalid, isNotFound, isTooManyRequests, notFoundError, tooManyRequestsError, unavailableError } from "./shared.js";
export declare function createServer(options?: CreateServerOptions): Promise<OrchServer>;
export declare function refuse(request: RefusedRequest, message: string, causes?: readonly StatusCause[]): Refusal;
type RefusedRequest = Pick<AdmissionRequest, "kind" | "name"> & {
    readonly object: Pick<ApiObject, "metadata"> | undefined;
};
declare class Refusal extends StatusError {
    #private;
    constructor(subject: string, problem: string, details: StatusDetails);
    by(plugin: string): Refusal;
}
export interface NamedTarget<T = TargetObject> {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly resource: string;
    readonly static?: T;
}
type TargetObject = Pick<ApiObject, "apiVersion" | "kind" | "metadata">;
export declare function on<const K extends PluginTarget, const O extends Operation>(targets: K | readonly K[], operations: O | readonly O[], handlers: Handlers<ObjectOf<K>, O> | SharingHandlers<ObjectOf<K>, O>): PluginRule;
type PluginTarget = NamedTarget | Under<TargetObject>;
export interface Under<T> {
    readonly parent: NamedTarget;
    readonly subresource: string;
    readonly static?: T;
}
interface Handlers<T extends TargetObject, O extends Operation> {
    readonly leavesOldMembers?: false;
    mutate?(request: RequestOn<T, O>): void | Promise<void>;
    validate?(request: RequestOn<T, O>): void | Promise<void>;
}
export type RequestOn<T extends TargetObject, O extends Operation = "CREATE" | "UPDATE"> = Omit<AdmissionRequest, "operation" | "object" | "old"> & {
    readonly operation: O;
    readonly object: O extends "DELETE" ? undefined : O extends "CONNECT" ? ApiObject : T;
    readonly old: O extends "CREATE" | "CONNECT" ? undefined : T;
};
type ObjectOf<K extends PluginTarget> = NonNullable<K["static"]>;
interface SharingHandlers<T extends TargetObject, O extends Operation> {
    readonly leavesOldMembers: true;
    mutate?(request: SharingRequest<T, O>): void | Promise<void>;
    validate?(request: RequestOn<T, O>): void | Promise<void>;
}
type SharingRequest<T extends TargetObject, O extends Operation> = Omit<RequestOn<T, O>, "object"> & {
    readonly object: O extends "DELETE" ? undefined : O extends "CONNECT" ? ApiObject : Shared<T>;
};
type Shared<T> = {
    [K in keyof T]: K extends "metadata" ? T[K] : DeepReadonly<T[K]>;
};
type DeepReadonly<T> = T extends readonly (infer Item)[] ? readonly DeepReadonly<Item>[] : T extends object ? {
    readonly [K in keyof T]: DeepReadonly<T[K]>;
} : T;
export interface PluginRule extends Omit<AdmissionRule, "handles"> {
    matches(target: RequestTarget): boolean;
}
export declare function plugin(name: string, rules: readonly PluginRule[]): AdmissionPlugin;
export declare function under<T>(parent: NamedTarget<T>, subresource: string): Under<T>;
export declare function under<T>(parent: NamedTarget, subresource: string, sent: NamedTarget<T>): Under<T>;
export declare function nodeListener(handler: (request: Request) => Promise<Response>): (request: IncomingMessage, response: ServerResponse) => void;
export declare namespace kinds {
    const MutatingWebhookConfiguration: NamedTarget<types.MutatingWebhookConfiguration>;
    type MutatingWebhookConfiguration = types.MutatingWebhookConfiguration;
    const ValidatingAdmissionPolicy: NamedTarget<types.ValidatingAdmissionPolicy>;
    type ValidatingAdmissionPolicy = types.ValidatingAdmissionPolicy;
    const ValidatingAdmissionPolicyBinding: NamedTarget<types.ValidatingAdmissionPolicyBinding>;
    type ValidatingAdmissionPolicyBinding = types.ValidatingAdmissionPolicyBinding;
    const ValidatingWebhookConfiguration: NamedTarget<types.ValidatingWebhookConfiguration>;
    type ValidatingWebhookConfiguration = types.ValidatingWebhookConfiguration;
    const MutatingAdmissionPolicy: NamedTarget<types.MutatingAdmissionPolicy>;
    type MutatingAdmissionPolicy = types.MutatingAdmissionPolicy;
    const MutatingAdmissionPolicyBinding: NamedTarget<types.MutatingAdmissionPolicyBinding>;
    type MutatingAdmissionPolicyBinding = types.MutatingAdmissionPolicyBinding;
    const CustomResourceDefinition: NamedTarget<types.CustomResourceDefinition>;
    type CustomResourceDefinition = types.CustomResourceDefinition;
    const APIService: NamedTarget<types.APIService>;
    type APIService = types.APIService;
    const ControllerRevision: NamedTarget<types.ControllerRevision>;
    type ControllerRevision = types.ControllerRevision;
    const DaemonSet: NamedTarget<types.DaemonSet>;
    type DaemonSet = types.DaemonSet;
    const Deployment: NamedTarget<types.Deployment>;
    type Deployment = types.Deployment;
    const ReplicaSet: NamedTarget<types.ReplicaSet>;
    type ReplicaSet = types.ReplicaSet;
    const StatefulSet: NamedTarget<types.StatefulSet>;
    type StatefulSet = types.StatefulSet;
    const SelfSubjectReview: NamedTarget<types.SelfSubjectReview>;
    type SelfSubjectReview = types.SelfSubjectReview;
    const TokenRequest: NamedTarget<types.TokenRequest>;
    type TokenRequest = types.TokenRequest;
    const TokenReview: NamedTarget<types.TokenReview>;
    type TokenReview = types.TokenReview;
    const LocalSubjectAccessReview: NamedTarget<types.LocalSubjectAccessReview>;
    type LocalSubjectAccessReview = types.LocalSubjectAccessReview;
    const SelfSubjectAccessReview: NamedTarget<types.SelfSubjectAccessReview>;
    type SelfSubjectAccessReview = types.SelfSubjectAccessReview;
    const SelfSubjectRulesReview: NamedTarget<types.SelfSubjectRulesReview>;
    type SelfSubjectRulesReview = types.SelfSubjectRulesReview;
    const SubjectAccessReview: NamedTarget<types.SubjectAccessReview>;
    type SubjectAccessReview = types.SubjectAccessReview;
    const HorizontalPodAutoscaler: NamedTarget<types.HorizontalPodAutoscaler>;
    type HorizontalPodAutoscaler = types.HorizontalPodAutoscaler;
    const Scale: NamedTarget<types.Scale>;
    type Scale = types.Scale;
    const CronJob: NamedTarget<types.CronJob>;
    type CronJob = types.CronJob;
    const Job: NamedTarget<types.Job>;
    type Job = types.Job;
    const CertificateSigningRequest: NamedTarget<types.CertificateSigningRequest>;
    type CertificateSigningRequest = types.CertificateSigningRequest;
    const Lease: NamedTarget<types.Lease>;
    type Lease = types.Lease;
    const Binding: NamedTarget<types.Binding>;
    type Binding = types.Binding;
    const ConfigMap: NamedTarget<types.ConfigMap>;
    type ConfigMap = types.ConfigMap;
    const Endpoints: NamedTarget<types.Endpoints>;
    type Endpoints = types.Endpoints;
    const Event: NamedTarget<types.Event>;
    type Event = types.Event;
    const LimitRange: NamedTarget<types.LimitRange>;
    type LimitRange = types.LimitRange;
    const Namespace: NamedTarget<types.Namespace>;
    type Namespace = types.Namespace;
    const Node: NamedTarget<types.Node>;
    type Node = types.Node;
    const PersistentVolume: NamedTarget<types.PersistentVolume>;
    type PersistentVolume = types.PersistentVolume;
    const PersistentVolumeClaim: NamedTarget<types.PersistentVolumeClaim>;
    type PersistentVolumeClaim = types.PersistentVolumeClaim;
    const EphemeralContainers: NamedTarget<types.EphemeralContainers>;
    type EphemeralContainers = types.EphemeralContainers;
    const Pod: NamedTarget<types.Pod>;
    type Pod = types.Pod;
    const PodTemplate: NamedTarget<types.PodTemplate>;
    type PodTemplate = types.PodTemplate;
    const ReplicationController: NamedTarget<types.ReplicationController>;
    type ReplicationController = types.ReplicationController;
    const ResourceQuota: NamedTarget<types.ResourceQuota>;
    type ResourceQuota = types.ResourceQuota;
    const Secret: NamedTarget<types.Secret>;
    type Secret = types.Secret;
    const Service: NamedTarget<types.Service>;
    type Service = types.Service;
    const ServiceAccount: NamedTarget<types.ServiceAccount>;
    type ServiceAccount = types.ServiceAccount;
    const EndpointSlice: NamedTarget<types.EndpointSlice>;
    type EndpointSlice = types.EndpointSlice;
    const FlowSchema: NamedTarget<types.FlowSchema>;
    type FlowSchema = types.FlowSchema;
    const PriorityLevelConfiguration: NamedTarget<types.PriorityLevelConfiguration>;
    type PriorityLevelConfiguration = types.PriorityLevelConfiguration;
    const Ingress: NamedTarget<types.Ingress>;
    type Ingress = types.Ingress;
    const IngressClass: NamedTarget<types.IngressClass>;
    type IngressClass = types.IngressClass;
    const IPAddress: NamedTarget<types.IPAddress>;
    type IPAddress = types.IPAddress;
    const NetworkPolicy: NamedTarget<types.NetworkPolicy>;
    type NetworkPolicy = types.NetworkPolicy;
    const ServiceCIDR: NamedTarget<types.ServiceCIDR>;
    type ServiceCIDR = types.ServiceCIDR;
    const RuntimeClass: NamedTarget<types.RuntimeClass>;
    type RuntimeClass = types.RuntimeClass;
    const PodDisruptionBudget: NamedTarget<types.PodDisruptionBudget>;
    type PodDisruptionBudget = types.PodDisruptionBudget;
    const Eviction: NamedTarget<types.Eviction>;
    type Eviction = types.Eviction;
    const PodSecurityPolicy: NamedTarget<types.PodSecurityPolicy>;
    type PodSecurityPolicy = types.PodSecurityPolicy;
    const ClusterRole: NamedTarget<types.ClusterRole>;
    type ClusterRole = types.ClusterRole;
    const ClusterRoleBinding: NamedTarget<types.ClusterRoleBinding>;
    type ClusterRoleBinding = types.ClusterRoleBinding;
    const Role: NamedTarget<types.Role>;
    type Role = types.Role;
    const RoleBinding: NamedTarget<types.RoleBinding>;
    type RoleBinding = types.RoleBinding;
    const DeviceClass: NamedTarget<types.DeviceClass>;
    type DeviceClass = types.DeviceClass;
    const ResourceClaim: NamedTarget<types.ResourceClaim>;
    type ResourceClaim = types.ResourceClaim;
    const ResourceClaimTemplate: NamedTarget<types.ResourceClaimTemplate>;
    type ResourceClaimTemplate = types.ResourceClaimTemplate;
    const ResourceSlice: NamedTarget<types.ResourceSlice>;
    type ResourceSlice = types.ResourceSlice;
    const PriorityClass: NamedTarget<types.PriorityClass>;
    type PriorityClass = types.PriorityClass;
    const CSIDriver: NamedTarget<types.CSIDriver>;
    type CSIDriver = types.CSIDriver;
    const CSINode: NamedTarget<types.CSINode>;
    type CSINode = types.CSINode;
    const StorageClass: NamedTarget<types.StorageClass>;
    type StorageClass = types.StorageClass;
    const VolumeAttachment: NamedTarget<types.VolumeAttachment>;
    type VolumeAttachment = types.VolumeAttachment;
    const VolumeAttributesClass: NamedTarget<types.VolumeAttributesClass>;
    type VolumeAttributesClass = types.VolumeAttributesClass;
    const CSIStorageCapacity: NamedTarget<types.CSIStorageCapacity>;
    type CSIStorageCapacity = types.CSIStorageCapacity;
}
export {};

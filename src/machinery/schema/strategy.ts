/** The strategy of a kind: everything about it that does not depend on the version a client uses. */

import type { Release } from "../../base/release.ts";
import type { Steps } from "../../base/time-slice.ts";
import type { NeutralGroup } from "../../vocabulary/vocabulary.ts";
import type { FieldErrors } from "../status/field-error.ts";
import type { Environment } from "./environment.ts";

/** Which names objects may have; a function returns what is wrong (empty: nothing). */
export type NameRule =
  /** DNS-1123 subdomain, the rule of most kinds. */
  | "subdomain"
  /** DNS-1123 label. */
  | "label"
  /** DNS-1035 label (services). */
  | "label1035"
  /** Anything that is one path segment (RBAC). */
  | "pathSegment"
  | ((name: string, environment: Environment, generated: boolean) => readonly string[]);

/** Returns a field as text. A method, so that a kind of any object is a `Kind`. */
type FieldReader<T> = { read(object: T, environment: Environment): string }["read"];

/** How the deletion of one object begins (gracefully for pods, at once for most kinds). */
interface GracefulDeletion<T> {
  /** Seconds the object stays terminating when the client names none; undefined: delete at once. */
  graceSeconds(object: T, requested: number | undefined, environment: Environment): number;
}

/** The names of objects. */
interface Names {
  /** Which names objects may have. Default: subdomain. */
  readonly name?: NameRule;
  /** Whether finalizers may have names without a prefix, as those of custom resources and a few others do. Default: false. */
  readonly plainFinalizers?: boolean;
}

/** What a create or an update does to an object, and which rules it must meet. */
interface Writes<T> {
  /**
   * Whether metadata.generation counts changes of everything but metadata and status. "literal": also an empty list or
   * map that is written where none was counts, every time, since v1.21 does not store empty ones. Default: false.
   */
  readonly generation?: boolean | "literal";
  /** Whether PUT to a name that does not exist creates it. Default: false. */
  readonly createOnUpdate?: boolean;
  /** Whether an update without a resourceVersion replaces any state. Default: true. */
  readonly unconditionalUpdate?: boolean;
  /** Fields besides status that a write of the object itself never changes or always sets, and so no manager owns. */
  readonly resets?: readonly string[];
  /**
   * Whether `defaults` and `prepareForUpdate` leave alone the members that an object has of the state before: these are frozen then, and
   * not copied first, and both functions get a `Shared` object, in which the compiler refuses to write to them. Default: whether the kind has neither of the two.
   */
  readonly leavesOldMembers?: boolean;
  /** Prepares a new object for storage: resets fields that clients must not set. */
  prepareForCreate?(object: T, environment: Environment): void;
  /** Prepares an update; `old` must not be changed. Status has already been kept if there is a status path. */
  prepareForUpdate?(object: T, old: T, environment: Environment): void;
  /**
   * Problems of an object that the rules of its fields do not find (kind-rules.ts adds those), all at once. Metadata has
   * already been checked. Must not change the object.
   */
  validate?(object: T, environment: Environment): FieldErrors;
  /**
   * Problems of the change from `old`. Absent: `validate` of the new object. If given it is used in place of that, so it calls
   * `validate`-like functions itself for what an update must meet as well. `emptied` are the members for which an empty
   * list or map was given, if the kind has the quirk `tellsEmpty`.
   */
  validateUpdate?(object: T, old: T, environment: Environment, emptied?: ReadonlySet<string>): FieldErrors;
  /**
   * The result of the two above, in steps, for a kind whose objects may take long to validate. `old` undefined: the object
   * is new. Absent: one of them is called, in one step.
   */
  validateInSteps?(object: T, old: T | undefined, environment: Environment): Steps<FieldErrors>;
  /** Sentences for the Warning header about a valid object; `old` undefined: it is new. Not asked for writes through a path. */
  warnings?(object: T, old: T | undefined, environment: Environment): readonly string[];
  /**
   * A valid object as it is stored: what v1.21 fills in or omits when it reads the object back. Plugins do not see that, so
   * `object` must not be changed; it is returned itself if there is nothing to do.
   */
  complete?(object: T, environment: Environment): T;
}

/** How objects are deleted. */
interface Deletes<T> {
  readonly gracefulDeletion?: GracefulDeletion<T>;
  /** Refuses a delete (protected namespaces): a sentence, or undefined. */
  refuseDelete?(object: T, environment: Environment): string | undefined;
  /** Whether a terminating object without finalizers is kept (a namespace until its content is gone). */
  keepTerminating?(object: T): boolean;
  /**
   * Changes an object that begins to terminate (a namespace's phase). With this hook, an object is never removed on the first
   * delete, has no grace period, and is removed when nothing keeps it any more.
   */
  beginDeletion?(object: T, environment: Environment): void;
  /** Whether a delete returns the object's last state; otherwise a Status once it is gone. Default: false. */
  readonly returnsDeleted?: boolean;
  /** Seconds after which objects expire (the event TTL); undefined: never. */
  readonly ttlSeconds?: number;
  /** Whether changes tell nothing once they are past (heartbeats, reports), so that no history keeps them. Default: false. */
  readonly isFleeting?: boolean;
}

/** What readers may select by. */
interface Reads<T> {
  /**
   * Fields that field selectors may name beyond metadata.name and metadata.namespace: path -> value as text. A cluster-wide
   * kind that has this list, even an empty one, does not support metadata.namespace.
   */
  readonly selectableFields?: Readonly<Record<string, FieldReader<T>>>;
  /** Fields that are indexed for questions, but not selectable: path -> value as text. */
  readonly indexedFields?: Readonly<Record<string, FieldReader<T>>>;
  /** Fields whose values no record of requests keeps: "data", "spec.token". */
  readonly confidential?: readonly string[];
}

/** Objects are of the hub version. */
export interface Strategy<T> extends Names, Writes<T>, Deletes<T>, Reads<T> {}

/** All of them: the compiler refuses one that is missing and one that is misspelt. */
const lifeKeys: Readonly<Record<keyof Strategy<unknown>, true>> = {
  name: true,
  plainFinalizers: true,
  generation: true,
  createOnUpdate: true,
  unconditionalUpdate: true,
  resets: true,
  leavesOldMembers: true,
  prepareForCreate: true,
  prepareForUpdate: true,
  validate: true,
  validateUpdate: true,
  validateInSteps: true,
  warnings: true,
  complete: true,
  gracefulDeletion: true,
  refuseDelete: true,
  keepTerminating: true,
  beginDeletion: true,
  returnsDeleted: true,
  ttlSeconds: true,
  isFleeting: true,
  selectableFields: true,
  indexedFields: true,
  confidential: true,
};

type StrategyKey = keyof typeof lifeKeys;

/** The members of a declaration that are its strategy, and all others. */
export function splitStrategy<Options extends object>(
  options: Options,
): { strategy: Pick<Options, keyof Options & StrategyKey>; info: Omit<Options, StrategyKey> } {
  const entries = Object.entries(options);
  const isStrategy = ([key]: [string, unknown]) => Object.hasOwn(lifeKeys, key);
  return {
    strategy: Object.fromEntries(entries.filter(isStrategy)) as Pick<Options, keyof Options & StrategyKey>,
    info: Object.fromEntries(entries.filter((entry) => !isStrategy(entry))) as Omit<Options, StrategyKey>,
  };
}

/**
 * Quirks of single kinds of v1.21, which no other kind should have. Each names its kinds. A further version has those of its
 * hub, unless it says otherwise.
 */
export interface Compat<T> {
  /** Event, PodDisruptionBudget: the metadata of a new object is only checked if nothing else is wrong with it. */
  readonly metadataLast?: boolean;
  /** CSIStorageCapacity: until this release OpenAPI says that the items of a list merge by their names, which they do not have at their top. */
  readonly namedItemsUntil?: Release;
  /** Event, StorageVersion: OpenAPI lists the metadata as required, always or since a release. */
  readonly metadataListed?: boolean | Release;
  /**
   * Node, and for one release PersistentVolume: a create may set the status although there is a status path, since nodes register with
   * theirs.
   */
  readonly keepsStatusOnCreate?: boolean;
  /** APIService: OpenAPI v3 had no document of it, since another server of the reference makes the index. */
  readonly hasNoDocument?: boolean;
  /** LimitRange: the name of a new object that has none, whatever its generateName says. */
  nameForUnnamed?(environment: Environment): string;
  /** StorageClass: `validateUpdate` gets the members that were given empty, since its rules distinguish empty from absent. */
  readonly tellsEmpty?: boolean;
  /**
   * Service: an update without a resourceVersion is an error of the object (422), but not in a write of its status. Used in
   * place of `unconditionalUpdate`.
   */
  readonly checksVersion?: boolean;
  /** Service: a delete answers with a Status even while finalizers hold the object. */
  readonly hidesDeleted?: boolean;
  /**
   * Job, ReplicationController, CronJob v1beta1: a delete that names no propagation policy orphans dependents. A text: the client is
   * told so.
   */
  readonly orphansByDefault?: boolean | string;
  /** Ingress, NetworkPolicy, PodSecurityPolicy: the group that errors of invalid objects name: where the kind came from. */
  readonly reportedGroup?: NeutralGroup;
  /**
   * Deployment, DaemonSet, HorizontalPodAutoscaler: annotations, in orch's names, that stand for a field that no version has.
   * v1.21 keeps them as fields, so clients that request metadata alone do not see them.
   */
  readonly carried?: readonly string[];
  /** FlowSchema: the order of rows in a Table: lower numbers first, equal ones by name. */
  rowRank?(object: T): number;
}

/**
 * What the rooms of the engine do at some levels only, where no declaration and no feature gate says it. `by` is the room that asks. No
 * other file of these rooms names a release outside a declaration: code asks `environment.has("plainNotFound")`.
 */

import { existsIn, type Release, type Span } from "../../base/release.ts";

interface FeatureRow extends Span {
  /** The rooms that ask. */
  readonly by: string;
}

export const features = {
  /** A caller may act with the uid of another user, by a header. */
  impersonatedUids: { since: "1.22", by: "http" },
  /** Every resource has a singular name in discovery: its kind in lower case, unless it is declared. */
  singularNames: { since: "1.27", by: "http, registry" },
  /** One document lists all groups, versions and resources; those of aggregated servers, too. */
  aggregatedDiscovery: { since: "1.30", by: "http, extensions" },
  /** The same document in its beta version. */
  betaAggregatedDiscovery: { since: "1.27", until: "1.35", by: "http" },
  /** A missing object is missing under its own name, whichever of its subresources was asked for. */
  plainNotFound: { since: "1.33", by: "http" },
  /** Managed fields of a body of another kind (a Scale) become those of the object, and entries name their subresource. */
  ownersOfSubresources: { since: "1.22", by: "http, registry, machinery" },
  /** Writes through the scale of a custom kind own the replicas; before, nobody owned them after one, as the type was not found. */
  ownersOfCustomScales: { since: "1.27", by: "extensions" },
  /** `fieldValidation` decides what happens to unknown and repeated fields. */
  fieldValidation: { since: "1.25", by: "http" },
  /** The option is known, and another mode refused, before a gate turns it on. */
  fieldValidationModes: { since: "1.23", by: "http" },
  /** OpenAPI v2 is negotiated by media types with names of their own. */
  typedOpenApi: { since: "1.27", by: "http" },
  /** A list of metadata says how many items remain, as other lists do. */
  remainingOfMetadata: { since: "1.22", by: "http" },
  /** A subresource can be shown as a Table, with the columns of what it shows. */
  subresourceTables: { since: "1.24", by: "http" },
  /** A metric tells the feature gates. */
  gateMetric: { since: "1.26", by: "main" },
  /** The media type of metrics says how names are escaped. */
  escapedMetrics: { since: "1.31", by: "http" },
  /** Names of metrics with signs that are not allowed get underscores in their place; before, their values were encoded. */
  underscoredMetrics: { since: "1.34", by: "http" },
  /** A watch may not name a page. */
  pagelessWatches: { since: "1.30", by: "registry" },
  /** Errors of a write through the status of a custom object name fields below it: `phase`, not `status.phase`. */
  bareStatusPaths: { since: "1.28", until: "1.30", by: "extensions" },
  /** `sendInitialEvents` is known, whether or not watch lists are served. */
  initialEvents: { since: "1.27", by: "registry" },
  /** A watch list may be shown as a Table. */
  tablesOfWatchLists: { since: "1.33", by: "http" },
  /** The bookmark that ends the initial events shows an empty list. */
  listBlueprints: { since: "1.32", until: "1.33", by: "http" },
  /** A missing path is answered with the paths of aggregated servers. */
  namedPaths: { until: "1.23", by: "http" },
  /** Service level indicators have a path beside that of other metrics. */
  indicators: { since: "1.27", by: "http" },
  /** Plugins see the namespace of the path in an object that names none. */
  namespaceBeforeAdmission: { since: "1.22", by: "registry" },
  /** No creator owns the mark of a deletion that was sent. */
  unownedDeletions: { since: "1.25", by: "registry" },
  /** Whether an object exists is found out before its uid is compared. */
  missingBeforeUid: { since: "1.35", by: "registry" },
  /** All objects of a deleted collection have the grace period of the first one. */
  sharedGracePeriod: { until: "1.24", by: "registry" },
  /** A negative grace period means one second; before, it removed the object at once. */
  leastGracePeriod: { since: "1.22", by: "registry" },
  /** OpenAPI says of every list that is a field how it merges, and names the values of items. */
  namedItems: { since: "1.30", by: "machinery" },
  /** OpenAPI names the values of pointers. */
  namedPointers: { since: "1.27", by: "machinery" },
  /** Two items of the same key do not stop the ownership of fields. */
  repeatedItems: { since: "1.29", by: "machinery" },
  /** The time of a manager is that of its last change of a value, and not only of the set of its fields. */
  timesOfValues: { since: "1.27", by: "machinery" },
  /** An apply that changes nothing leaves the time of its manager. */
  steadyApplyTimes: { since: "1.27", by: "machinery" },
  /** To an apply another order of items is a change. */
  orderedApplies: { since: "1.29", by: "machinery" },
  /** Label selectors check their values. */
  checkedSelectorValues: { since: "1.26", by: "machinery" },
  /** Errors of custom objects have reasons of their own (TooLong), and positions in lists. */
  fineReasons: { since: "1.24", by: "machinery" },
  /** The formats k8s-short-name and k8s-long-name are checked. */
  nameFormats: { since: "1.34", by: "machinery" },
  /** An IPv4 address of a custom object may have leading zeros. */
  leadingZeros: { since: "1.22", by: "machinery" },
  /** JSON patch: the empty pointer is the whole document. */
  wholeDocumentPatches: { since: "1.23", by: "machinery" },
  /** Strategic merge: what is added loses its nulls and directives first. */
  cleanedAdditions: { since: "1.27", by: "machinery" },
  /** Merge patch: nulls that are items of a new list stay. */
  nullItems: { since: "1.23", by: "machinery" },
  /** Custom resources warn about new finalizers without a domain and a path. */
  finalizerWarnings: { since: "1.29", by: "extensions" },
  /** Who writes the status of a custom resource owns no metadata, which such a write does not change. */
  ownerlessStatusMetadata: { since: "1.36", by: "machinery" },
  /** Owners are reported by their places, and what they lack as missing. */
  ownersByPlace: { since: "1.37", by: "machinery" },
  /** A service without endpoints is unavailable to its proxy; before, they were missing. */
  unavailableServices: { since: "1.36", by: "actions" },
  /** That a review asks nothing is a problem of its spec. */
  emptyReviews: { since: "1.36", by: "actions" },
  /** The proxy of services and webhooks finds endpoints in slices. */
  endpointsOfSlices: { since: "1.33", by: "actions" },
  /** A service keeps its family policy where an update names none, and a new one of one family refuses two addresses. */
  keptFamilyPolicy: { since: "1.23", by: "actions" },
  /** A token request has the name of its account. */
  namedTokenRequests: { since: "1.22", by: "actions" },
  /** A token request has the uid of its account, which is looked up before the lifetime is checked. */
  identifiedTokenRequests: { since: "1.33", by: "actions" },
  /** Tokens may be bound to nodes. */
  tokensOfNodes: { since: "1.29", by: "actions" },
  /** An answer without metadata says nothing of when it was created. */
  omittedCreationTime: { since: "1.35", by: "actions, http" },
  /** An eviction that a budget not yet seen refuses says when to try again. */
  evictionWaits: { since: "1.22", by: "actions" },
  /** A binding with a uid or version is only for that state of the pod. */
  meantBindings: { since: "1.22", by: "actions" },
  /** A pod that is bound loses its nomination. */
  endedNominations: { since: "1.35", by: "actions" },
  /** An eviction first marks the pod with a condition, and scheduler and nodes do the same to pods that they remove. */
  disruptionConditions: { since: "1.26", by: "actions, scheduler, simulation" },
  /** Custom objects of a definition that allows what it does not describe own fields by their values. */
  deducedFields: { since: "1.22", by: "extensions" },
  /** While a definition is being deleted a new object of it is refused, and not the method. */
  refusedWhileTerminating: { since: "1.33", by: "extensions" },
  /** The same of its status, when only that is written. */
  ratchetedStatus: { since: "1.33", by: "extensions" },
  /** Rules do not see an object with a value that is not among those that its schema lists. */
  listedBeforeRules: { since: "1.29", by: "machinery" },
  /** Estimates of rules know that a text is not longer than the values of its enum. */
  enumBounds: { since: "1.29", by: "cel" },
  /** The same of the maxLength of what is an integer or a text. */
  intOrStringBounds: { since: "1.33", by: "cel" },
  /** New expressions may only use what the release before has. */
  cautiousExpressions: { since: "1.28", by: "cel" },
  /** An update of a custom object may keep values that its schema no longer allows. */
  ratcheting: { since: "1.30", by: "extensions" },
  /** The identity of a server is a hash of its host, and stays through restarts. */
  hashedIdentities: { since: "1.27", by: "upkeep" },
  /** The Lease of a server has a label with its host. */
  hostLabels: { since: "1.26", by: "upkeep" },
  /** Storage versions say which versions are served. */
  servedStorageVersions: { since: "1.28", by: "upkeep" },
  /** A ConfigMap says since when the use of old tokens is recorded. */
  trackedTokens: { since: "1.27", by: "upkeep" },
  /** The volume of the account's token has its file mode before other plugins see the pod. */
  tokenFileModes: { since: "1.22", by: "admission" },
  /** Webhooks see the old object with its managed fields. */
  oldOwners: { since: "1.22", by: "admission" },
  /** The refusal of a binding to a missing role is about the binding. */
  missingRoleOfBinding: { since: "1.32", by: "admission" },
  /** Of several default classes the newest counts; before, they were refused. */
  newestDefaultClass: { since: "1.26", by: "admission" },
  /** Nodes may only request certificates for themselves. */
  nodeCertificates: { since: "1.31", by: "admission" },
  /** Nodes may only request tokens for the audiences of their pods. */
  nodeAudiences: { since: "1.33", by: "admission" },
  /** Secrets that containers take their whole environment from must be listed by their account, too. */
  checkedEnvironments: { since: "1.30", by: "admission" },
  /** Nodes may read slices of devices, and only their own. */
  slicesOfNodes: { since: "1.34", by: "authz" },
  /** Nodes see only their own pods and slices, and themselves, which selectors tell apart. */
  selectedByNodes: { since: "1.32", by: "authz" },
  /** Beta versions are off unless they are asked for, and single resources of every version can be switched. */
  betaVersionsOff: { since: "1.24", by: "main" },
  /** Beta versions of storage are off, too: later kinds came in one with the name of an earlier one. */
  storageBetasOff: { since: "1.27", by: "main" },
  /** Files configure authentication and authorization in the place of flags. */
  accessFiles: { since: "1.30", by: "main" },
  /** Webhooks that authorize are told the selectors of requests. */
  selectorsInReviews: { since: "1.31", by: "main" },
  /** Names of users and groups in policies are compared exactly. */
  exactSubjects: { since: "1.22", by: "main" },
  /** Some node ports are left to services that name theirs; for addresses this came with their objects. */
  reservedPorts: { since: "1.29", by: "main" },
  /** /readyz asks the store a second time, under a name of its own. */
  storeReadiness: { since: "1.25", by: "main" },
  /** /version tells which release is emulated, and the oldest one that it is compatible with. */
  emulation: { since: "1.33", by: "main" },
  /** Users carry the id of their token or the digest of their certificate. */
  credentialIds: { since: "1.32", by: "main" },
  /** Secrets with a token note when it was last used. */
  usesOfTokens: { since: "1.27", by: "main" },
  /** Conditions that the scheduler writes say which generation they are about. */
  observedGenerations: { since: "1.33", by: "scheduler" },
  /** Agents report sandboxes, resizes and all addresses of hosts, and their Events name containers as today. */
  agentReports: { since: "1.33", by: "simulation" },
} as const satisfies Record<string, FeatureRow>;

export type Feature = keyof typeof features;
type Features = Readonly<Record<Feature, boolean>>;

/** `Environment.has` of servers of a level. */
export function hasAt(release: Release): (feature: Feature) => boolean {
  const record = featuresAt(release);
  return (feature) => record[feature];
}

const bound = new Map<Release, Features>();

/** Which features a release has. Servers of one level share the record. */
export function featuresAt(release: Release): Features {
  const known = bound.get(release) ?? bindFeatures(release, features);
  bound.set(release, known);
  return known;
}

export function bindFeatures<Name extends string>(
  release: Release,
  rows: Readonly<Record<Name, Span>>,
): Readonly<Record<Name, boolean>> {
  const entries = Object.entries<Span>(rows).map(([name, span]) => [name, existsIn(release, span)]);
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Name, boolean>>; // one for each row
}

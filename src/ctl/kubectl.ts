/** Everything that differs between our own name and the name kubectl, in one table of two columns. */

/** A line of the program's log. `place`: the position in kubectl's source that scripts may look for. */
interface ProgramLogLine {
  readonly place: string;
  readonly message: string;
  readonly level: "I" | "W";
  readonly atMs: number;
}

/** By name: how the fields of an entry of managed fields were written. */
type Managers = Readonly<Record<string, "Apply" | "Update">>;

const ownOtherManagers: Managers = {
  kubectl: "Apply",
  "kubectl-client-side-apply": "Update",
  "ctl-client-side-apply": "Update",
};

/** kubectl of v1.21 leaves those of a client-side apply to the server. */
const kubectlOtherManagers: Managers = { ctl: "Apply" };

const differences = {
  tool: { own: "ctl", kubectl: "kubectl", why: "the name in what is written to objects" },
  fieldManager: { own: "ctl", kubectl: "kubectl", why: "one name on every server, whatever its vocabulary" },
  otherManagers: {
    own: ownOtherManagers,
    kubectl: kubectlOtherManagers,
    why: "the other names under which this tool applies, and how: their fields are its own",
  },
  vocabulary: { own: "orch", kubectl: "kubernetes", why: "of manifests whose groups do not tell it" },
  vocabularyOfServers: { own: "", kubectl: "kubernetes", why: "our own is told by discovery" },
  usesNewRequests: {
    own: true,
    kubectl: false,
    why: "aggregated discovery, watch lists and strict field validation, where the server offers them; v1.21 has none",
  },
  hasOwnDefaults: { own: true, kubectl: false, why: "defaults of flags that differ from those of kubectl" },
  readsPreferences: { own: true, kubectl: false, why: "the user's file of defaults and aliases, if it is not named" },

  appliesOnServer: {
    own: true,
    kubectl: false,
    why: "apply and diff merge on the server unless a flag says otherwise",
  },
  tellsWhatChanged: { own: true, kubectl: false, why: "apply tells created, configured and unchanged apart" },
  mergesInDryRun: { own: true, kubectl: false, why: "apply --dry-run=client compares with the live object" },
  showsConflictingValues: {
    own: true,
    kubectl: false,
    why: "conflicts of an apply with both values and commands to paste",
  },
  confirmsPruning: { own: true, kubectl: false, why: "on a terminal, objects to prune are shown first" },
  skipsUnapplied: { own: false, kubectl: true, why: "apply view-last-applied of an object that was never applied" },
  forcesInDiff: { own: true, kubectl: false, why: "diff shows fields of other managers instead of a conflict" },
  comparesVersions: { own: false, kubectl: true, why: "diff includes the resourceVersion" },
  savesAllOrNone: { own: true, kubectl: false, why: "edit of several objects tries all of them first" },
  refusesNoChange: { own: true, kubectl: false, why: "set without an object or a value to set is an error" },
  refusesSameValue: { own: false, kubectl: true, why: "label with the value that is there needs --overwrite" },
  asksForFilesFirst: { own: false, kubectl: true, why: "create with a misspelt subcommand also asks for -f" },
  skipsOtherKinds: { own: false, kubectl: true, why: "auth reconcile of other kinds than roles and bindings" },

  locatesErrors: { own: true, kubectl: false, why: "errors of manifests begin with file, line and object" },
  givesHints: { own: true, kubectl: false, why: "suggestions for misspelt words, and other help for people" },
  hasCsv: { own: true, kubectl: false, why: "get -o csv" },
  fallsBackToAllowedNamespaces: { own: true, kubectl: false, why: "get -A without the right to list everywhere" },
  watchesSeveralTypes: { own: true, kubectl: false, why: "get -w of several types at once" },
  resumesWatches: { own: true, kubectl: false, why: "get -w goes on when the server ends the watch" },
  updatesInPlace: { own: true, kubectl: false, why: "get -w on a terminal" },
  timesEvents: { own: true, kubectl: false, why: "get -w shows the time and type of each event" },
  explainsTemplates: { own: false, kubectl: true, why: "details of a failed template on standard output" },
  saysUnknownTypeBare: { own: false, kubectl: true, why: 'explain of an unknown type, without "error: "' },
  printsNothingFound: { own: false, kubectl: true, why: "delete says on standard output that there was nothing" },
  omitsUnset: {
    own: true,
    kubectl: false,
    why: "objects of a dry run have no creationTimestamp: null, and lists no selfLink, as in today's kubectl",
  },
  listsCategories: { own: true, kubectl: false, why: "api-resources -o wide, with verbs between commas" },
  saysDryRun: { own: true, kubectl: false, why: "label and annotate say that it was one" },
  readsSlices: { own: true, kubectl: false, why: "describe of a service; Endpoints are deprecated since 1.33" },
  describesBackoff: { own: true, kubectl: false, why: "describe of a job shows how many of its pods may fail" },
  saysNothingFound: { own: true, kubectl: false, why: "logs of a selector without pods" },
  printsGoVersion: { own: false, kubectl: true, why: "version in the form of a Go struct" },
  beginsWithCapital: { own: false, kubectl: true, why: 'errors of kustomize begin with "Error: "' },
  joinsReason: { own: false, kubectl: true, why: "auth can-i prints the reason behind its answer" },
  reviewsNames: { own: true, kubectl: false, why: "auth can-i takes a name as a third argument" },
  reviewsInNamespace: { own: false, kubectl: true, why: "auth can-i reviews cluster-wide types in a namespace" },

  waitsForCreation: { own: true, kubectl: false, why: "wait for an object that does not exist yet" },
  needsObjectsToDelete: { own: false, kubectl: true, why: "wait --for=delete of nothing is an error" },
  showsLastState: { own: true, kubectl: false, why: "wait shows the object at its end" },
  followsSeveralRollouts: { own: true, kubectl: false, why: "rollout status of several workloads, one by one" },
  debugProfile: { own: "general", kubectl: "legacy", why: "debug without --profile; v1.21 has no profiles" },
  toleratesTaintsInDebug: { own: true, kubectl: false, why: "the pod of debug node/NAME stays on a node with taints" },
  requiresContainerName: { own: false, kubectl: true, why: "logs does not choose among several containers" },
  checksNodeOfPod: { own: true, kubectl: false, why: "streams of a pod without a node are refused before any request" },
  checksPodFirst: { own: false, kubectl: true, why: "port-forward requires a running pod before its first request" },
  hintsBeforeAttaching: {
    own: false,
    kubectl: true,
    why: "the hint about the prompt, even if nothing can be attached",
  },

  requiresConfiguration: { own: true, kubectl: false, why: "kubectl tries localhost:8080 without one" },
  warnsOfMissingConfigs: { own: false, kubectl: true, why: "each missing file of KUBECONFIG is in the log" },
  validatesByBoolean: { own: false, kubectl: true, why: "--validate takes only true and false" },
  warnsOfOldFlags: { own: false, kubectl: true, why: "drain --delete-local-data is reported as deprecated" },
  logLine: {
    own: ({ message }: ProgramLogLine) => message,
    kubectl: kubectlLogLine,
    why: "time, process and position",
  },
} as const;

type Widened<T> = T extends boolean ? boolean : T;

/** What the program does under one of its names. */
export type ProgramBehaviour = {
  readonly [K in keyof typeof differences]: Widened<(typeof differences)[K]["own" | "kubectl"]>;
};

const column = (name: "own" | "kubectl"): ProgramBehaviour =>
  // Each row has a value of the type of its member in both columns.
  Object.fromEntries(Object.entries(differences).map(([key, row]) => [key, row[name]])) as ProgramBehaviour;

const own = column("own");
const kubectl = column("kubectl");

/** `vocabulary`: the value of --vocabulary; users who choose that of kubectl expect its behaviour. */
export function behaviourOf(program: string, vocabulary = ""): ProgramBehaviour {
  const isKubectl = program === "kubectl" || vocabulary === "kubernetes";
  return isKubectl ? kubectl : own;
}

function kubectlLogLine({ place, message, level, atMs }: ProgramLogLine): string {
  const time = new Date(atMs).toISOString();
  const at = `${time.slice(5, 7)}${time.slice(8, 10)} ${time.slice(11, 23)}000`;
  return `${level}${at} ${String(process.pid).padStart(7)} ${place}] ${message}`;
}

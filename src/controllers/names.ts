/** The names by which --controllers knows controllers: the short ones of v1.21, and those of later releases for the same ones. */

/** Names of later releases that are not the short one with "-controller" after it. */
const laterNames: Readonly<Record<string, string>> = {
  attachdetach: "persistentvolume-attach-detach-controller",
  bootstrapsigner: "bootstrap-signer-controller",
  csrapproving: "certificatesigningrequest-approving-controller",
  csrcleaner: "certificatesigningrequest-cleaner-controller",
  csrsigning: "certificatesigningrequest-signing-controller",
  endpoint: "endpoints-controller",
  endpointslicemirroring: "endpointslice-mirroring-controller",
  garbagecollector: "garbage-collector-controller",
  horizontalpodautoscaling: "horizontal-pod-autoscaler-controller",
  "legacy-service-account-token-cleaner": "legacy-serviceaccount-token-cleaner-controller",
  nodeipam: "node-ipam-controller",
  nodelifecycle: "node-lifecycle-controller",
  podgc: "pod-garbage-collector-controller",
  "pv-protection": "persistentvolume-protection-controller",
  "pvc-protection": "persistentvolumeclaim-protection-controller",
  "root-ca-cert-publisher": "root-ca-certificate-publisher-controller",
  route: "node-route-controller",
  service: "service-lb-controller",
  "storage-version-gc": "storageversion-garbage-collector-controller",
  svm: "storage-version-migrator-controller",
  tokencleaner: "token-cleaner-controller",
};

const shortNames = new Map([
  ...Object.entries(laterNames).map(([short, later]) => [later, short] as const),
  ["resource-claim-controller", "resourceclaim"] as const, // a second name of 1.35
]);

/** The entries of --controllers with short names only; "-" before a name stays. `known`: the short names that there are. */
export function withShortNames(names: readonly string[], known: readonly string[]): readonly string[] {
  return names.map((entry) => {
    const dash = entry.startsWith("-") ? "-" : "";
    const name = entry.slice(dash.length);
    if (known.includes(name)) return entry;
    const plain = name.replace(/-controller$/, "");
    const isPlain = plain !== name && known.includes(plain) && laterNames[plain] === undefined;
    return dash + (shortNames.get(name) ?? (isPlain ? plain : name));
  });
}

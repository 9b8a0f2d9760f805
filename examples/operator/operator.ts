// How do I write an operator? This one runs web sites: each has a page, pods that serve it, and a host that no other site may use.
// Run it with: node operator.ts (or tsx operator.ts)
import { pathToFileURL } from "node:url";
import {
  addFinalizer,
  type Client,
  type Condition,
  ConfigMap,
  connect,
  controller,
  Deployment,
  defineResource,
  field,
  hasFinalizer,
  installResources,
  isAlreadyExists,
  isDeleting,
  type RunningControllers,
  removeFinalizer,
  retryOnConflict,
  runControllers,
  type Static,
  setOwner,
  withCondition,
} from "orch/client";

/** The resource: its type, its definition and its client come from here. */
export const Website = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Website",
  resource: "websites",
  shortNames: ["ws"],
  doc: "A Website serves one page under one host.",
  fields: {
    spec: field.object({
      host: field.string().named("subdomain").doc("The host of the site; no other site may have it."),
      html: field.string().doc("The page."),
      replicas: field.optional(field.int32()).atLeast(0).atMost(100).default(1).doc("How many pods serve it."),
    }),
    status: field.optional(
      field.object({
        readyReplicas: field.optional(field.int32()).doc("How many pods are ready."),
        observedGeneration: field.optional(field.int64()),
        conditions: field.optional(field.conditionList()),
      }),
    ),
  },
  columns: [
    { name: "Host", type: "string", path: ".spec.host" },
    { name: "Ready", type: "string", path: '.status.conditions[?(@.type=="Ready")].status' },
  ],
  scale: { spec: ".spec.replicas", status: ".status.readyReplicas" },
});
export type Website = Static<typeof Website>;

const manager = "website-operator";
const finalizer = "example.com/release-host";
/** How soon a site looks again whether its host is free. */
const hostCheckMs = 30_000;

export const websites = controller({
  for: Website,
  owns: [ConfigMap, Deployment],
  workers: 4,
  async reconcile({ object: read, client, events, log, requeueAfter }) {
    const sites = client.of(Website);
    if (isDeleting(read)) {
      if (!hasFinalizer(read, finalizer)) return;
      await releaseHost(client, read);
      log.info("released the host", { host: read.spec.host });
      await removeFinalizer(sites, read, finalizer);
      return; // the garbage collector deletes what the site owns
    }

    // Before anything is made outside of the object, so that nothing is left when it is deleted.
    const site = await addFinalizer(sites, read, finalizer);
    const rival = await claimHost(client, site);
    if (rival !== undefined) {
      const message = `the host ${site.spec.host} belongs to ${rival}`;
      if (isReady(site)?.reason !== "HostTaken") events.warning("HostTaken", message);
      await writeStatus(client, site, { status: "False", reason: "HostTaken", message });
      requeueAfter(hostCheckMs);
      return;
    }

    const { name = "", namespace = "" } = site.metadata;
    const labels = { "example.com/website": name };
    const page = { metadata: { name: `${name}-page`, namespace, labels }, data: { "index.html": site.spec.html } };
    await client.of(ConfigMap).apply(setOwner(page, site), { manager, force: true });
    const container = {
      name: "web",
      image: "nginx",
      volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }],
    };
    const deployment = await client.of(Deployment).apply(
      setOwner(
        {
          metadata: { name, namespace, labels },
          spec: {
            replicas: site.spec.replicas ?? 1,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [container], volumes: [{ name: "page", configMap: { name: `${name}-page` } }] },
            },
          },
        },
        site,
      ),
      { manager, force: true },
    );

    const ready = deployment.status?.readyReplicas ?? 0;
    const wanted = site.spec.replicas ?? 1;
    const message = `${ready} of ${wanted} pods are ready`;
    const isServed = ready >= wanted;
    if (isServed && isReady(site)?.status !== "True")
      events.normal("Serving", `${site.spec.host} is served: ${message}`);
    const reason = isServed ? "Serving" : "PodsNotReady";
    await writeStatus(client, site, { status: isServed ? "True" : "False", reason, message }, ready);
  },
});

const isReady = ({ status }: Website) => status?.conditions?.find(({ type }) => type === "Ready");

/** Applying the same status again changes nothing, so that the operator comes to rest. */
async function writeStatus(
  client: Client,
  site: Website,
  ready: Pick<Condition, "status" | "reason" | "message">,
  readyReplicas = 0,
): Promise<void> {
  const { name = "", namespace = "", generation: observedGeneration = 0 } = site.metadata;
  const conditions = withCondition(site.status?.conditions, { type: "Ready", ...ready, observedGeneration });
  const status = { readyReplicas, observedGeneration, conditions };
  await client.of(Website).status.apply({ metadata: { name, namespace }, status }, { manager, force: true });
}

/** All hosts and the sites that have them: what stands for a world outside of the cluster. */
const hosts = { namespace: "default", name: "website-hosts" };

const keyOf = ({ metadata }: Website) => `${metadata.namespace}/${metadata.name}`;

/** The site that has the host; undefined: this one has it now. */
async function claimHost(client: Client, site: Website): Promise<string | undefined> {
  const maps = client.of(ConfigMap);
  return retryOnConflict(async () => {
    if ((await maps.find(hosts)) === undefined)
      await maps.create({ metadata: { ...hosts } }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    const known = await maps.get(hosts);
    const owner = known.data?.[site.spec.host];
    if (owner === keyOf(site)) return undefined;
    if (owner !== undefined) return owner;
    const others = Object.entries(known.data ?? {}).filter(([, key]) => key !== keyOf(site)); // it may have had another host
    await maps.update({ ...known, data: { ...Object.fromEntries(others), [site.spec.host]: keyOf(site) } });
    return undefined;
  });
}

async function releaseHost(client: Client, site: Website): Promise<void> {
  const maps = client.of(ConfigMap);
  await retryOnConflict(async () => {
    const known = await maps.find(hosts);
    if (known === undefined) return;
    const others = Object.entries(known.data ?? {}).filter(([, key]) => key !== keyOf(site));
    await maps.update({ ...known, data: Object.fromEntries(others) });
  });
}

/** Of several processes one works. */
export async function startOperator(client: Client): Promise<RunningControllers> {
  await installResources(client, [Website]);
  return runControllers({ client, controllers: [websites], leaderElection: { name: manager } });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const running = await startOperator(await connect({ userAgent: manager }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void running.close());
  await running.ended;
}

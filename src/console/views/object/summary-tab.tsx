/** What a person asks about an object of this kind first. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { findNeutral } from "../../server/cluster.ts";
import { type Json, part, parts, text } from "../../server/json.ts";
import { askedBy, quantityOf, readPodsOn, shortQuantity } from "../../server/usage.ts";
import { idOf, podSelectorOf } from "../../state/acts.ts";
import { apiOf, objectOf, objectsOf } from "../../state/route.ts";
import { decodedValue } from "../../state/secret-values.ts";
import { Conditions } from "../conditions.tsx";
import { Containers } from "../containers.tsx";
import { Meter } from "../meter.tsx";
import type { Page } from "../page.ts";
import { Summary } from "../summary.tsx";
import { Ports } from "./ports.tsx";
import { RowsList } from "./rows-list.tsx";
import { Specified } from "./specified.tsx";

interface SummaryTabOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

export function SummaryTab(options: SummaryTabOptions) {
  const { page, resource, object } = options;
  const id = idOf(resource);
  return (
    <div class="facets">
      <div class="main-facets">
        {id === "pods" && <Containers pod={object} />}
        {id === "nodes" && <Capacity page={page} node={object} />}
        {id === "resourcequotas" && <Quota quota={object} />}
        {id === "deployments.apps" && <Rollout {...options} />}
        <PodsOf {...options} />
        {text(object, "spec", "names", "kind") !== "" && <DefinedKind {...options} />}
        {Object.keys(part(object, "data")).length > 0 && id === "configmaps" && <ConfigData object={object} />}
        {id === "secrets" && <SecretKeys {...options} />}
        <Conditions object={object} />
        {!hasOwnFacts.has(id) && <Specified object={object} />}
      </div>
      <div>
        <Summary page={page} object={object} />
        {(id === "pods" || id === "services") && <Ports {...options} />}
      </div>
    </div>
  );
}

/** Of these the parts above tell what their fields say. */
const hasOwnFacts: ReadonlySet<string> = new Set([
  "pods",
  "nodes",
  "resourcequotas",
  "configmaps",
  "secrets",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "customresourcedefinitions.apiextensions.orch.io",
]);

/** Its rollout: what of the new template is there, and the replica sets of old ones. */
function Rollout({ page, object }: SummaryTabOptions) {
  const resource = findNeutral(page.discovery, "replicasets.apps");
  const count = (...path: readonly string[]) => Number(text(object, ...path) || 0);
  const wanted = text(object, "spec", "replicas") === "" ? 1 : count("spec", "replicas");
  const share = (n: number) => (wanted === 0 ? 1 : n / wanted);
  const bars = [
    ["Updated", count("status", "updatedReplicas")],
    ["Ready", count("status", "readyReplicas")],
    ["Available", count("status", "availableReplicas")],
  ] as const;
  const labels = podSelectorOf({ group: "apps", resource: "deployments" }, object);
  return (
    <section>
      <h2>Rollout</h2>
      <div class="meters">
        {bars.map(([label, n]) => (
          <Meter key={label} label={label} share={share(n)} figures={`${n} of ${wanted}`} isGoal />
        ))}
      </div>
      {resource !== undefined && labels !== undefined && (
        <RowsList
          page={page}
          resource={resource}
          namespace={text(object, "metadata", "namespace")}
          labels={labels}
          label="Replica sets"
          owner={text(object, "metadata", "name")}
        />
      )}
    </section>
  );
}

/** The pods that it selects, or that run on it. */
function PodsOf({ page, resource, object }: SummaryTabOptions) {
  const pods = findNeutral(page.discovery, "pods");
  const labels = podSelectorOf(resource, object);
  const isNode = idOf(resource) === "nodes";
  if (pods === undefined || (labels === undefined && !isNode)) return null;
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const fields = isNode ? `spec.nodeName=${name}` : "";
  const selected = isNode ? { fields } : { namespace, labels: labels ?? "" };
  return (
    <section>
      <h2>
        <a href={objectsOf(pods, selected)}>{isNode ? "Pods on this node" : "Pods"}</a>
      </h2>
      <RowsList
        page={page}
        resource={pods}
        namespace={isNode ? "" : namespace}
        labels={labels ?? ""}
        fields={fields}
        label="Pods"
      />
    </section>
  );
}

/** What pods may have of a node, and how much those that run there have asked for. */
function Capacity({ page, node }: { readonly page: Page; readonly node: Json }) {
  const allocatable = part(node, "status", "allocatable");
  const asked = useAskedOn(page, text(node, "metadata", "name"));
  return (
    <section>
      <h2>Capacity</h2>
      <div class="meters">
        {Object.keys(allocatable).map((what) => {
          const room = quantityOf(text(allocatable, what));
          const used = asked?.get(what) ?? 0;
          const isBytes = /memory|storage|hugepages/.test(what);
          return (
            <Meter
              key={what}
              label={what === "pods" ? "pods" : `${what} requested`}
              share={room === 0 ? 0 : used / room}
              figures={
                asked === undefined
                  ? text(allocatable, what)
                  : `${shortQuantity(used, isBytes)} of ${shortQuantity(room, isBytes)}`
              }
            />
          );
        })}
      </div>
    </section>
  );
}

/** By resource; undefined: the pods are not read yet, or may not be. */
function useAskedOn(page: Page, node: string): ReadonlyMap<string, number> | undefined {
  const [asked, setAsked] = useState<ReadonlyMap<string, number> | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    readPodsOn({ ...page, signal: ended.signal }, node).then(
      (pods) => !ended.signal.aborted && pods !== undefined && setAsked(askedBy(pods)),
      () => undefined,
    );
    return () => ended.abort();
  }, [node]);
  return asked;
}

function Quota({ quota }: { readonly quota: Json }) {
  const hard = part(quota, "status", "hard");
  return (
    <section>
      <h2>Use</h2>
      <div class="meters">
        {Object.keys(hard).map((what) => {
          const [most, used] = [text(hard, what), text(quota, "status", "used", what) || "0"];
          const share = quantityOf(most) === 0 ? 1 : quantityOf(used) / quantityOf(most);
          return <Meter key={what} label={what} share={share} figures={`${used} of ${most}`} />;
        })}
      </div>
    </section>
  );
}

/** Values are cut: the YAML has them whole. */
const valueCharsMax = 2_000;

const ConfigData = ({ object }: { readonly object: Json }) => (
  <section>
    <h2>Data</h2>
    <dl class="data">
      {Object.keys(part(object, "data")).map((key) => (
        <>
          <dt>
            <bdi>{key}</bdi>
          </dt>
          <dd>
            <pre class="value">{text(object, "data", key).slice(0, valueCharsMax)}</pre>
          </dd>
        </>
      ))}
    </dl>
  </section>
);

/** The keys of a secret and how much each holds; the values stay hidden until somebody asks for them. */
const SecretKeys = ({ resource, object }: SummaryTabOptions) => {
  const ref = { name: text(object, "metadata", "name"), namespace: text(object, "metadata", "namespace") };
  const data = part(object, "data");
  return (
    <section>
      <h2>Data</h2>
      <dl class="data">
        {Object.keys(data).map((key) => (
          <>
            <dt>
              <bdi>{key}</bdi>
            </dt>
            <dd class="quiet">hidden, {decodedValue(text(data, key)).bytes} bytes</dd>
          </>
        ))}
      </dl>
      <p>
        {text(object, "type") || "Opaque"}. <a href={objectOf(resource, ref, "yaml")}>Its YAML</a> shows the values when
        you ask for them.
      </p>
    </section>
  );
};

/** Of a definition: the kind that it defines. */
function DefinedKind({ page, object }: SummaryTabOptions) {
  const [group, plural] = [text(object, "spec", "group"), text(object, "spec", "names", "plural")];
  const find = () => page.discovery.preferred.find((one) => one.group === group && one.resource === plural);
  const [found, setFound] = useState(find);
  useEffect(() => {
    // It may have been defined a moment ago.
    if (found === undefined)
      page.reload().then(
        () => setFound(find()),
        () => undefined,
      );
  }, []);
  const versions = parts(object, "spec", "versions").map((one) => text(one, "name"));
  return (
    <section>
      <h2>Definition</h2>
      <p>
        {text(object, "spec", "names", "kind")} in {group}, {versions.join(", ")}.{" "}
        {found !== undefined && (
          <>
            <a href={objectsOf(found)}>Its objects</a>, <a href={apiOf(found)}>its fields</a>
          </>
        )}
      </p>
    </section>
  );
}

/** What an object is at a glance: its age, its labels, whether it is being deleted. */

import type { ComponentChildren } from "preact";
import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, part, text } from "../server/json.ts";
import { idOf, podSelectorOf } from "../state/acts.ts";
import { objectOf, objectsOf } from "../state/route.ts";
import { Time } from "./time.tsx";

export interface SummaryOptions {
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

export function Summary({ resource, object }: SummaryOptions) {
  const metadata = part(object, "metadata");
  return (
    <dl class="summary">
      <Fact name="Created">
        <Time value={text(metadata, "creationTimestamp")} />
      </Fact>
      {text(metadata, "deletionTimestamp") !== "" && (
        <Fact name="Being deleted">
          <Time value={text(metadata, "deletionTimestamp")} />
        </Fact>
      )}
      {text(object, "status", "phase") !== "" && <Fact name="Phase">{text(object, "status", "phase")}</Fact>}
      {text(object, "spec", "nodeName") !== "" && (
        <Fact name="Node">
          <a
            href={objectOf({ group: "", version: "v1", resource: "nodes" }, { name: text(object, "spec", "nodeName") })}
          >
            <bdi>{text(object, "spec", "nodeName")}</bdi>
          </a>
        </Fact>
      )}
      {text(object, "status", "podIP") !== "" && <Fact name="Address">{text(object, "status", "podIP")}</Fact>}
      {text(object, "spec", "replicas") !== "" && (
        <Fact name="Replicas">
          {text(object, "status", "readyReplicas") || "0"} of {text(object, "spec", "replicas")} ready
        </Fact>
      )}
      <PodsOf resource={resource} object={object} />
      <Fact name="UID">
        <code>{text(metadata, "uid")}</code>
      </Fact>
      <Fact name="Labels">
        <Pairs values={part(metadata, "labels")} />
      </Fact>
      <Fact name="Annotations">
        <details>
          <summary>{Object.keys(part(metadata, "annotations")).length}</summary>
          <ul>
            {Object.keys(part(metadata, "annotations")).map((key) => (
              <li key={key}>
                <bdi>{key}</bdi>
              </li>
            ))}
          </ul>
        </details>
      </Fact>
    </dl>
  );
}

/** A link to the pods that it selects, or that run on it. */
function PodsOf({ resource, object }: SummaryOptions) {
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const labels = podSelectorOf(resource, object);
  const isNode = idOf(resource) === "nodes";
  if (labels === undefined && !isNode) return null;
  const selected = isNode ? { fields: `spec.nodeName=${name}` } : { namespace, labels: labels ?? "" };
  return (
    <Fact name="Pods">
      <a href={objectsOf({ group: "", version: "v1", resource: "pods" }, selected)}>
        {isNode ? "on this node" : <bdi>{labels}</bdi>}
      </a>
    </Fact>
  );
}

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Pairs = ({ values }: { readonly values: Json }) => (
  <>
    {Object.entries(values).map(([key, value]) => (
      <span class="pair" key={key}>
        <bdi>
          {key}={String(value)}
        </bdi>
      </span>
    ))}
    {Object.keys(values).length === 0 && "none"}
  </>
);

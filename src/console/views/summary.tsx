/** What an object is at a glance: its age, its labels, whether it is being deleted. */

import type { ComponentChildren } from "preact";
import { ownerOf } from "../../operations/relations.ts";
import { type Json, part, text } from "../server/json.ts";
import { objectOf } from "../state/route.ts";
import type { Page } from "./page.ts";
import { Time } from "./time.tsx";

interface SummaryOptions {
  readonly page: Page;
  readonly object: Json;
}

export function Summary({ page, object }: SummaryOptions) {
  const metadata = part(object, "metadata");
  const owner = ownerOf(object);
  const kind = owner && page.discovery.byKind(text(owner, "apiVersion"), text(owner, "kind"));
  return (
    <section>
      <h2>Details</h2>
      <dl class="summary">
        <Fact name="Created">
          <Time value={text(metadata, "creationTimestamp")} />
        </Fact>
        {text(metadata, "deletionTimestamp") !== "" && (
          <Fact name="Being deleted">
            <Time value={text(metadata, "deletionTimestamp")} />
          </Fact>
        )}
        {owner !== undefined && (
          <Fact name="Controlled by">
            {kind === undefined ? (
              `${text(owner, "kind")} ${text(owner, "name")}`
            ) : (
              <a
                href={objectOf(kind, {
                  name: text(owner, "name"),
                  namespace: kind.namespaced ? text(metadata, "namespace") : "",
                })}
              >
                {kind.kind} <bdi>{text(owner, "name")}</bdi>
              </a>
            )}
          </Fact>
        )}
        {text(object, "status", "phase") !== "" && <Fact name="Phase">{text(object, "status", "phase")}</Fact>}
        {text(object, "spec", "nodeName") !== "" && (
          <Fact name="Node">
            <a
              href={objectOf(
                { group: "", version: "v1", resource: "nodes" },
                { name: text(object, "spec", "nodeName") },
              )}
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
        <Fact name="UID">
          <code>{text(metadata, "uid")}</code>
        </Fact>
        <Fact name="Labels">
          <Pairs values={part(metadata, "labels")} />
        </Fact>
        <Fact name="Annotations">
          <Annotations values={part(metadata, "annotations")} />
        </Fact>
      </dl>
    </section>
  );
}

function Annotations({ values }: { readonly values: Json }) {
  const keys = Object.keys(values);
  if (keys.length === 0) return "none";
  return (
    <details>
      <summary>{keys.length}</summary>
      <ul>
        {keys.map((key) => (
          <li key={key}>
            <bdi>{key}</bdi>: <bdi class="quiet">{text(values, key).slice(0, 200)}</bdi>
          </li>
        ))}
      </ul>
    </details>
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

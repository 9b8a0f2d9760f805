/** One recorded request: who sent it, what it changed, what admission did to it, and its body. */

import { isJson, type Json, part, parts, text } from "../server/json.ts";
import { readableBody } from "../state/requests.ts";
import { objectOf } from "../state/route.ts";
import { ListTable } from "./list-table.tsx";
import type { Page } from "./page.ts";
import { Fact } from "./summary.tsx";

interface RequestDetailsOptions {
  readonly page: Page;
  readonly request: Json;
}

export function RequestDetails({ page, request }: RequestDetailsOptions) {
  const body = text(request, "body");
  return (
    <section class="details" aria-label={`Request ${text(request, "number")}`}>
      <dl class="summary">
        <Fact name="Client">
          <bdi>{text(request, "userAgent") || "unknown"}</bdi>
        </Fact>
        <Fact name="Duration">{durationText(request)}</Fact>
        <AboutObject page={page} request={request} />
        {text(request, "contentType") !== "" && <Fact name="Body">{text(request, "contentType")}</Fact>}
      </dl>
      {isJson(request["changes"]) && <Changes title="What it changes" changes={request["changes"]} />}
      <AdmissionSteps steps={parts(request, "admission")} />
      {body !== "" && (
        <details>
          <summary>Body</summary>
          <pre class="yaml">{readableBody(body)}</pre>
        </details>
      )}
    </section>
  );
}

/** A link, where the server serves the kind and has the object: a create that was refused has made none. */
function AboutObject({ page, request }: RequestDetailsOptions) {
  const [resource, name] = [text(request, "resource"), text(request, "name")];
  if (resource === "") return null;
  const [group, version, namespace] = ["group", "version", "namespace"].map((key) => text(request, key));
  const found = page.discovery.resources.find(
    (one) => one.resource === resource && one.group === group && one.version === version,
  );
  const subresource = text(request, "subresource");
  const isThere = text(request, "verb") !== "create" || subresource !== "" || Number(text(request, "code")) < 400;
  return (
    <Fact name="About">
      {found !== undefined && name !== "" && isThere ? (
        <a href={objectOf(found, { name, namespace: namespace ?? "" })}>
          {found.kind} <bdi>{name}</bdi>
        </a>
      ) : (
        <>
          {resource} <bdi>{name}</bdi>
        </>
      )}
      {subresource !== "" && ` (${subresource})`}
      {namespace !== "" && ` in ${namespace}`}
    </Fact>
  );
}

function AdmissionSteps({ steps }: { readonly steps: readonly Json[] }) {
  if (steps.length === 0) return null;
  return (
    <ListTable
      label="Admission"
      caption="Admission"
      items={steps}
      keyOf={(_, at) => at}
      columns={[
        { name: "Plugin, webhook or policy", cell: (step) => <StepName step={step} /> },
        { name: "Phase", cell: phaseText },
        {
          name: "Result",
          cell: (step) => (
            <>
              {text(step, "outcome") || "…"} <bdi>{text(step, "message")}</bdi>
            </>
          ),
          classOf: (step) => (text(step, "outcome") === "allowed" ? undefined : "bad"),
        },
        { name: "Duration", cell: durationText },
        {
          name: "Changes",
          cell: (step) => (isJson(step["changes"]) ? <ChangeList changes={step["changes"]} /> : ""),
        },
      ]}
    />
  );
}

function StepName({ step }: { readonly step: Json }) {
  const [webhook, policy] = [part(step, "webhook"), part(step, "policy")];
  const name = text(webhook, "name") || text(policy, "name");
  if (name === "") return <>{text(step, "plugin")}</>;
  return (
    <>
      ↳ <bdi>{name}</bdi>{" "}
      <small>
        of <bdi>{text(webhook, "configuration") || text(policy, "binding")}</bdi>
      </small>
    </>
  );
}

const phaseText = (step: Json): string => text(step, "phase") + (text(step, "round") === "1" ? ", again" : "");

interface ChangesOptions {
  readonly changes: Json;
}

function Changes({ title, changes }: ChangesOptions & { readonly title: string }) {
  const fields = parts(changes, "fields");
  if (fields.length === 0) return <p>It changes nothing.</p>;
  const value = (change: Json, key: string) => <code>{text(change, key)}</code>;
  return (
    <>
      <ListTable
        label={title}
        caption={title}
        items={fields}
        keyOf={(change) => text(change, "field")}
        columns={[
          { name: "Field", cell: (change) => <bdi>{text(change, "field")}</bdi> },
          fields.some((change) => "before" in change) && {
            name: "Before",
            cell: (change) => value(change, "before"),
            classOf: () => "removed",
          },
          { name: "After", cell: (change) => value(change, "after"), classOf: () => "added" },
        ]}
      />
      {changes["areMore"] === true && <p>There are more than these.</p>}
    </>
  );
}

const ChangeList = ({ changes }: ChangesOptions) => (
  <ul class="changes">
    {parts(changes, "fields").map((change) => (
      <li key={text(change, "field")}>
        <bdi>{text(change, "field")}</bdi> <code>{text(change, "after") || "removed"}</code>
      </li>
    ))}
    {changes["areMore"] === true && <li>…</li>}
  </ul>
);

export function durationText(step: Json): string {
  const durationMs = Number(text(step, "durationMs") || Number.NaN);
  if (Number.isNaN(durationMs)) return "–";
  return durationMs < 10_000
    ? `${durationMs.toFixed(durationMs < 10 ? 2 : 0)} ms`
    : `${(durationMs / 1_000).toFixed(0)} s`;
}

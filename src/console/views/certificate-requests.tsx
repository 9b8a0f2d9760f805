/** Certificate requests with what they ask for, live, to approve or to deny. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { decide } from "../server/access.ts";
import { type Json, parts, text } from "../server/json.ts";
import { may } from "../server/objects.ts";
import { type RequestedCertificate, readCertificateRequest } from "../state/certificate-request.ts";
import { objectOf } from "../state/route.ts";
import { nameOf, useFollowed } from "./followed.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";

interface CertificateRequestsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
}

/** The newest are shown, those without a decision first. */
const shownRequestsMax = 100;

type Choice = "Approved" | "Denied";

export function CertificateRequests({ page, resource }: CertificateRequestsOptions) {
  const { objects, error: unread } = useFollowed(page, resource, {});
  const [failure, setFailure] = useState<unknown>(undefined);
  const [denied, setDenied] = useState<Json | undefined>(undefined);
  const [mayDecide, setMayDecide] = useState(false);
  useEffect(() => {
    const access = { ...page, resource, ref: { name: "" }, subresource: "approval" };
    may("update", access).then(setMayDecide, () => undefined);
  }, []);
  const decided = (request: Json, type: Choice) => decide(page.connection, resource, request, type);
  const choose = (request: Json, type: Choice) => {
    setFailure(undefined);
    // A denial cannot be taken back.
    if (type === "Denied") setDenied(request);
    else decided(request, type).catch(setFailure);
  };
  const requests = useMemo(() => byUrgency(objects ?? []), [objects]);
  const error = failure ?? unread;
  return (
    <section>
      <h2>Certificate requests</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {objects?.length === 0 && error === undefined && <p class="note">No certificate requests.</p>}
      {requests.slice(0, shownRequestsMax).map((request) => (
        <Request
          key={text(request, "metadata", "uid")}
          request={request}
          resource={resource}
          onChoice={mayDecide ? (choice) => choose(request, choice) : undefined}
        />
      ))}
      {requests.length > shownRequestsMax && <p class="note">and {requests.length - shownRequestsMax} more</p>}
      {denied !== undefined && (
        <Question
          title="Deny a certificate request"
          act={`Deny the request ${nameOf(denied)}`}
          isDangerous
          onConfirm={() => decided(denied, "Denied")}
          onClose={() => setDenied(undefined)}
        >
          <p>
            Deny{" "}
            <strong>
              <bdi>{nameOf(denied)}</bdi>
            </strong>
            ? This cannot be taken back.
          </p>
        </Question>
      )}
    </section>
  );
}

const isOpen = (request: Json): boolean => parts(request, "status", "conditions").length === 0;

function byUrgency(requests: readonly Json[]): readonly Json[] {
  const created = (request: Json) => text(request, "metadata", "creationTimestamp");
  return requests.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || created(b).localeCompare(created(a)));
}

interface RequestOptions {
  readonly request: Json;
  readonly resource: DiscoveredResource;
  /** Undefined: nothing can be changed. */
  readonly onChoice: ((choice: Choice) => void) | undefined;
}

function Request({ request, resource, onChoice }: RequestOptions) {
  const name = text(request, "metadata", "name");
  const decisions = parts(request, "status", "conditions").map((condition) => text(condition, "type"));
  const usages = (request["spec"] as { usages?: unknown } | undefined)?.usages; // any shape: it is only printed
  return (
    <fieldset>
      <legend>
        <a href={objectOf(resource, { name })}>{name}</a> {decisions.join(", ") || "waits for a decision"}
      </legend>
      <dl class="summary">
        <Asked request={text(request, "spec", "request")} />
        <dt>Usages</dt>
        <dd>{Array.isArray(usages) ? usages.join(", ") : "none"}</dd>
        <dt>Signer</dt>
        <dd>{text(request, "spec", "signerName")}</dd>
        <dt>Sent by</dt>
        <dd>
          <bdi>{text(request, "spec", "username")}</bdi>
        </dd>
      </dl>
      {onChoice !== undefined && decisions.length === 0 && (
        <div class="tools">
          <button type="button" class="main" onClick={() => onChoice("Approved")}>
            Approve {name}
          </button>
          <button type="button" class="danger" onClick={() => onChoice("Denied")}>
            Deny {name}
          </button>
        </div>
      )}
    </fieldset>
  );
}

function Asked({ request }: { readonly request: string }) {
  const read = tryToRead(request);
  if (read instanceof Error)
    return (
      <>
        <dt>Content</dt>
        <dd class="bad">{read.message}</dd>
      </>
    );
  return (
    <>
      <dt>Common name</dt>
      <dd>
        <bdi>{read.commonName || "none"}</bdi>
      </dd>
      <dt>Organizations</dt>
      <dd>
        <bdi>{read.organizations.join(", ") || "none"}</bdi>
      </dd>
      <dt>Other names</dt>
      <dd>
        <bdi>{read.names.join(", ") || "none"}</bdi>
      </dd>
    </>
  );
}

function tryToRead(request: string): RequestedCertificate | Error {
  try {
    return readCertificateRequest(request);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

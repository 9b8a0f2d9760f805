/** Certificate requests with what they ask for, to approve or to deny. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { certificateRequests, decide } from "../server/access.ts";
import { type Json, parts, text } from "../server/json.ts";
import { type RequestedCertificate, readCertificateRequest } from "../state/certificate-request.ts";
import { objectOf } from "../state/route.ts";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

export function CertificateRequests({
  page,
  resource,
}: {
  readonly page: Page;
  readonly resource: DiscoveredResource;
}) {
  const [requests, setRequests] = useState<readonly Json[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  const read = () => certificateRequests(page, resource).then(setRequests, setError);
  useEffect(() => void read(), []);
  const choose = (request: Json, type: "Approved" | "Denied") => {
    setError(undefined);
    decide(page.connection, resource, request, type).then(read, setError);
  };
  return (
    <section>
      <h2>Certificate requests</h2>
      {error !== undefined && <ErrorNote error={error} />}
      {requests.length === 0 && error === undefined && <p>none</p>}
      {requests.map((request) => (
        <Request
          key={text(request, "metadata", "uid")}
          request={request}
          resource={resource}
          onChoice={page.connection.facts.isReadOnly ? undefined : (choice) => choose(request, choice)}
        />
      ))}
    </section>
  );
}

interface RequestOptions {
  readonly request: Json;
  readonly resource: DiscoveredResource;
  /** Undefined: nothing can be changed. */
  readonly onChoice: ((choice: "Approved" | "Denied") => void) | undefined;
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

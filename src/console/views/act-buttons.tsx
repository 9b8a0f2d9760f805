/** Buttons for what can be done to an object: scale, restart, suspend, start now, cordon, drain. The user sees those that are allowed. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { apiVersionOf, collectionPath } from "../../client/requests/address.ts";
import { type Json, text } from "../server/json.ts";
import { may, patchObject } from "../server/objects.ts";
import { type Act, actsOn, idOf, jobOf } from "../state/acts.ts";
import { objectOf } from "../state/route.ts";
import { DrainQuestion } from "./drain-question.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";
import { remembered } from "./remembered.ts";
import { ScaleQuestion } from "./scale-question.tsx";

interface ActButtonsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

type Asking = Act | "scale" | "start" | "drain" | undefined;

export function ActButtons({ page, resource, object }: ActButtonsOptions) {
  const rights = useActRights({ page, resource, object });
  const [asking, setAsking] = useState<Asking>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const ref = refOf(object);
  const acts = rights.patch ? actsOn(resource, object, page.discovery.vocabulary, Date.now()) : [];
  const carryOut = ({ name: what, patch }: Act) =>
    remembered(page, { what: `${what}:`, resource, ...ref }, () => patchObject(page.connection, resource, ref, patch));
  const press = (act: Act) => {
    setError(undefined);
    if (act.question !== "") return setAsking(act);
    carryOut(act).catch(setError);
  };
  const close = () => setAsking(undefined);
  const options = { page, resource, object, onClose: close };
  const opener = (which: Exclude<Asking, Act>, name: string) => (
    <button type="button" onClick={() => setAsking(which)}>
      {name} …
    </button>
  );
  return (
    <>
      {rights.scale && opener("scale", "Scale")}
      {acts.map((act) => (
        <button type="button" key={act.name} onClick={() => press(act)}>
          {act.name}
          {act.question !== "" && " …"}
        </button>
      ))}
      {rights.start && opener("start", "Start now")}
      {rights.drain && opener("drain", "Drain")}
      {error !== undefined && <ErrorNote error={error} />}
      {asking === "scale" && <ScaleQuestion {...options} />}
      {asking === "drain" && <DrainQuestion {...options} />}
      {asking === "start" && <StartQuestion {...options} />}
      {typeof asking === "object" && (
        <Question
          title={`${asking.name} ${resource.kind}`}
          act={`${asking.name} ${ref.name}`}
          isDangerous
          onConfirm={() => carryOut(asking)}
          onClose={close}
        >
          <p>
            {asking.name}{" "}
            <strong>
              <bdi>{ref.name}</bdi>
            </strong>
            ? {asking.question}
          </p>
        </Question>
      )}
    </>
  );
}

const refOf = (object: Json) => ({
  name: text(object, "metadata", "name"),
  namespace: text(object, "metadata", "namespace"),
});

const noRights = { patch: false, scale: false, start: false, drain: false };

/** Only what the kind has is asked about. */
function useActRights({ page, resource, object }: ActButtonsOptions) {
  const [rights, setRights] = useState(noRights);
  useEffect(() => {
    const ref = refOf(object);
    const access = { ...page, resource, ref };
    const [pods, jobs] = [page.discovery.find("pods"), page.discovery.find("jobs.batch")];
    const isNode = idOf(resource) === "nodes";
    const isCronJob = idOf(resource) === "cronjobs.batch";
    const hasActs = isNode || isCronJob || idOf(resource) === "jobs.batch" || resource.group === "apps";
    const asked = [
      hasActs && may("patch", access),
      resource.subresources.includes("scale") && may("patch", { ...access, subresource: "scale" }),
      isCronJob && jobs !== undefined && may("create", { ...page, resource: jobs, ref: { ...ref, name: "" } }),
      isNode &&
        pods !== undefined &&
        may("create", { ...page, resource: pods, ref: { name: "" }, subresource: "eviction" }),
    ] as const;
    Promise.all(asked).then(
      ([patch, scale, start, drain]) => setRights({ patch, scale, start, drain: drain && patch }),
      () => undefined,
    );
  }, []);
  return rights;
}

/** Starts a job of a cron job at once. */
function StartQuestion({ page, resource, object, onClose }: ActButtonsOptions & { readonly onClose: () => void }) {
  const { name, namespace } = refOf(object);
  const jobs = page.discovery.find("jobs.batch");
  const start = async () => {
    if (jobs === undefined) return;
    const body = jobOf(object, page.discovery.vocabulary, apiVersionOf(resource));
    const made = await page.connection.write.json(collectionPath(jobs, namespace), { body });
    location.hash = objectOf(jobs, { namespace, name: text(made, "metadata", "name") });
  };
  return (
    <Question title="Start a job" act={`Start a job of ${name}`} onConfirm={start} onClose={onClose}>
      <p>
        A job is made of the template of{" "}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        , which owns it. The schedule stays as it is.
      </p>
    </Question>
  );
}

/** Access: whether somebody may do something and why, who else may, all rights of somebody as a matrix, and certificate requests. */

import { useState } from "preact/hooks";
import {
  type Attempt,
  ask,
  explain,
  holdersOf,
  matrixVerbs,
  type Question,
  triedVerbs,
  tryAs,
  type Verdict,
} from "../server/access.ts";
import { type Json, part, parts } from "../server/json.ts";
import { AccessMatrix } from "./access-matrix.tsx";
import { Paths, ruleText } from "./access-paths.tsx";
import { CertificateRequests } from "./certificate-requests.tsx";
import { Field } from "./field.tsx";
import { ErrorNote } from "./notes.tsx";
import type { Page } from "./page.ts";

export function Access({ page }: { readonly page: Page }) {
  const [who, setWho] = useState({ user: "", namespace: page.connection.facts.namespace });
  const requests = page.discovery.find("certificatesigningrequests");
  return (
    <article>
      <h1>Access</h1>
      <div class="tools">
        <Field label="User" hint="you" value={who.user} onChange={(user) => setWho({ ...who, user })} />
        <Field
          label="Namespace"
          hint="all"
          value={who.namespace}
          onChange={(namespace) => setWho({ ...who, namespace })}
        />
      </div>
      <p class="note">
        A service account is the user <code>system:serviceaccount:NAMESPACE:NAME</code>.
      </p>
      <OneQuestion page={page} {...who} />
      <AccessMatrix key={JSON.stringify(who)} page={page} {...who} />
      {requests !== undefined && <CertificateRequests page={page} resource={requests} />}
    </article>
  );
}

interface Who {
  readonly page: Page;
  readonly user: string;
  readonly namespace: string;
}

interface Answered {
  readonly question: string;
  readonly verdict: Verdict | undefined;
  readonly explanation: Json | undefined;
  readonly holders: Json | undefined;
  readonly attempt: Attempt | undefined;
}

function OneQuestion({ page, user, namespace }: Who) {
  const [verb, setVerb] = useState("get");
  const [word, setWord] = useState("pods");
  const [name, setName] = useState("");
  const [answered, setAnswered] = useState<Answered | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [plural = "", subresource = ""] = word.trim().split("/");
  const found = page.discovery.find(plural);
  const question = (): Question => ({
    user,
    groups: [],
    verb,
    group: found?.group ?? "",
    resource: found?.resource ?? plural,
    subresource,
    namespace: found?.namespaced === false ? "" : namespace,
    name,
  });
  const attempt = (work: () => Promise<Partial<Answered>>) => {
    setError(undefined);
    setAnswered(undefined);
    const what = `${verb} ${word}${name === "" ? "" : ` ${name}`}`;
    const empty = { verdict: undefined, explanation: undefined, holders: undefined, attempt: undefined };
    work().then((answer) => setAnswered({ question: what, ...empty, ...answer }), setError);
  };
  const mayIt = () =>
    attempt(async () => ({
      verdict: await ask(page, question()),
      explanation: await explain(page, question()).catch(() => undefined),
    }));
  const canTry = user !== "" && triedVerbs.has(verb) && found !== undefined && page.connection.facts.mayTryAs;
  const tryIt = () => attempt(async () => ({ attempt: found && (await tryAs(page, found, { ...question(), verb })) }));
  const whoCan = () => attempt(async () => ({ holders: await holdersOf(page, question()) }));
  return (
    <section>
      <h2>Check access</h2>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          mayIt();
        }}
      >
        <label>
          Verb{" "}
          <select value={verb} onChange={(event) => setVerb(event.currentTarget.value)}>
            {[...matrixVerbs, "deletecollection", "impersonate", "bind", "escalate", "use", "approve", "sign"].map(
              (one) => (
                <option key={one}>{one}</option>
              ),
            )}
          </select>
        </label>
        <Field label="Resource" hint="pods, deployments/scale" value={word} onChange={setWord} />
        <Field label="Name" hint="any" value={name} onChange={setName} />
        <button type="submit" class="main">
          Check
        </button>
        {canTry && (
          <button type="button" onClick={tryIt}>
            Try it as them
          </button>
        )}
        {page.discovery.find("accessholders") !== undefined && (
          <button type="button" onClick={whoCan}>
            Who can?
          </button>
        )}
      </form>
      {error !== undefined && <ErrorNote error={error} />}
      <div aria-live="polite">{answered !== undefined && <Answer user={user} answered={answered} />}</div>
    </section>
  );
}

function Answer({
  user,
  answered: { question, verdict, explanation, holders, attempt },
}: {
  readonly user: string;
  readonly answered: Answered;
}) {
  const missing = part(explanation, "missing");
  return (
    <>
      {verdict !== undefined && (
        <p>
          <strong class={verdict.isAllowed ? "live" : "bad"}>
            {user || "You"} {verdict.isAllowed ? "may" : "may not"} {question}.
          </strong>{" "}
          <bdi>{verdict.reason}</bdi>
        </p>
      )}
      {attempt !== undefined && (
        <p>
          <strong class={attempt.status < 400 ? "live" : "bad"}>
            The server answers {attempt.status} to {user}, who wants to {question}.
          </strong>{" "}
          <bdi>{attempt.message}</bdi>
        </p>
      )}
      <Paths title="Allowed by" paths={parts(explanation, "granted")} />
      {verdict?.isAllowed === false && <Paths title="Nearly allowed by" paths={parts(explanation, "nearest")} />}
      {verdict?.isAllowed === false && Object.keys(missing).length > 0 && (
        <p>
          The smallest rule that would allow it: <code>{ruleText(missing)}</code>
        </p>
      )}
      {holders !== undefined && <Paths title={`Who can ${question}`} paths={parts(holders, "holders")} isEmptyShown />}
      {holders?.["incomplete"] === true && <p>There are more than these.</p>}
    </>
  );
}

/** Ports of a pod or a service, forwarded to this machine, with links. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../../client/contract.ts";
import { collectionPath, withQuery } from "../../../client/requests/address.ts";
import { findNeutral } from "../../server/cluster.ts";
import { type Json, parts, text } from "../../server/json.ts";
import { may } from "../../server/objects.ts";
import type { ForwardedPort, Streams } from "../../server/streams.ts";
import { idOf, podSelectorOf } from "../../state/acts.ts";
import { type NamedPort, portsOfPod, portsOfService, runningPod } from "../../state/ports.ts";
import { ErrorNote } from "../notes.tsx";
import type { Page } from "../page.ts";

interface PortsOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
}

const lookEveryMs = 3_000;

/** Only where the program forwards, and for whom may do it. */
export function Ports({ page, resource, object }: PortsOptions) {
  const { streams } = page.connection;
  const mayForward = useMayForward(page, text(object, "metadata", "namespace"));
  if (streams === undefined || !mayForward) return null;
  if (idOf(resource) === "pods") return <PodPorts streams={streams} pod={object} ports={portsOfPod(object)} isOpen />;
  return <ServicePorts page={page} streams={streams} resource={resource} service={object} />;
}

function useMayForward(page: Page, namespace: string): boolean {
  const [isAllowed, setAllowed] = useState(false);
  const pods = findNeutral(page.discovery, "pods");
  useEffect(() => {
    if (page.connection.streams === undefined || pods === undefined) return;
    const access = { ...page, resource: pods, ref: { name: "", namespace }, subresource: "portforward" };
    may("create", access).then(setAllowed, () => undefined);
  }, []);
  return isAllowed;
}

interface ServicePortsOptions {
  readonly page: Page;
  readonly streams: Streams;
  readonly resource: DiscoveredResource;
  readonly service: Json;
}

/** A service forwards to one of its pods, as `port-forward` does. */
function ServicePorts({ page, streams, resource, service }: ServicePortsOptions) {
  const [pod, setPod] = useState<Json | undefined>(undefined);
  const pods = findNeutral(page.discovery, "pods");
  const labelSelector = podSelectorOf(resource, service);
  useEffect(() => {
    if (pods === undefined || labelSelector === undefined) return;
    const path = withQuery(collectionPath(pods, text(service, "metadata", "namespace")), { labelSelector, limit: 500 });
    page.connection.send.json(path).then(
      (list) => setPod(runningPod(parts(list, "items"))),
      () => undefined,
    );
  }, [labelSelector]);
  if (pod === undefined) return null;
  return <PodPorts streams={streams} pod={pod} ports={portsOfService(service, pod)} />;
}

interface PodPortsOptions {
  readonly streams: Streams;
  readonly pod: Json;
  readonly ports: readonly NamedPort[];
  /** Whether other ports can be named. */
  readonly isOpen?: boolean;
}

function PodPorts({ streams, pod, ports, isOpen = false }: PodPortsOptions) {
  const { forwards, look } = useForwards(streams);
  const [error, setError] = useState<unknown>(undefined);
  const [other, setOther] = useState("");
  const [namespace, name] = [text(pod, "metadata", "namespace"), text(pod, "metadata", "name")];
  const act = (work: Promise<unknown>) => {
    setError(undefined);
    work.catch(setError).finally(look);
  };
  const forward = (port: number) => act(streams.forward({ namespace, pod: name, port }));
  const isOwn = (one: ForwardedPort) => one.namespace === namespace && one.pod === name;
  const open = forwards.filter(isOwn);
  const closed = ports.filter(({ port }) => !open.some((one) => one.port === port));
  const others = forwards.filter((one) => !isOwn(one));
  if (ports.length === 0 && !isOpen && open.length === 0) return null;
  return (
    <section>
      <h2>Port forwarding</h2>
      {error !== undefined && <ErrorNote error={error} />}
      <ul class="ports">
        {[...open, ...others].map((one) => (
          <li key={one.id}>
            <ForwardLink {...one} isOwn={isOwn(one)} />{" "}
            <button
              type="button"
              aria-label={`End the forwarding of port ${one.port}`}
              onClick={() => act(streams.endForward(one.id))}
            >
              End
            </button>
            {one.problem !== "" && (
              <span class="bad">
                {" "}
                <bdi>{one.problem}</bdi>
              </span>
            )}
          </li>
        ))}
      </ul>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          forward(Number(other));
        }}
      >
        {closed.map(({ label, port }) => (
          <button type="button" key={label} onClick={() => forward(port)}>
            Forward <bdi>{label}</bdi>
          </button>
        ))}
        {isOpen && (
          <>
            <label>
              Port{" "}
              <input
                type="number"
                min={1}
                max={65_535}
                required
                value={other}
                onInput={(event) => setOther(event.currentTarget.value)}
              />
            </label>
            <button type="submit">Forward</button>
          </>
        )}
      </form>
    </section>
  );
}

/** The only links that lead out of the console: to a port of the loopback address that its program opened. */
function ForwardLink({ local, port, pod, isOwn }: ForwardedPort & { readonly isOwn: boolean }) {
  const url = `http://127.0.0.1:${Math.trunc(local)}/`;
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">
        127.0.0.1:{local}
      </a>{" "}
      <small>
        to port {port}
        {!isOwn && (
          <>
            {" of "}
            <bdi>{pod}</bdi>
          </>
        )}
      </small>
    </>
  );
}

/** All that the program forwards; read again while there are any. */
function useForwards(streams: Streams) {
  const [forwards, setForwards] = useState<readonly ForwardedPort[]>([]);
  const look = () => void streams.forwards().then(setForwards, () => undefined);
  useEffect(look, []);
  useEffect(() => {
    if (forwards.length === 0) return;
    const timer = setInterval(look, lookEveryMs);
    return () => clearInterval(timer);
  }, [forwards.length === 0]);
  return { forwards, look };
}

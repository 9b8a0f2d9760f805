/** The containers of pods and templates in a description. */

import { isJson, type Json, list, object, text, texts } from "../json.ts";
import { capitalized, flag, moment, or, phrase } from "./readers.ts";
import {
  amounts,
  each,
  field,
  given,
  group,
  ifThere,
  indented,
  line,
  type Row,
  type Rows,
  section,
  when,
} from "./row.ts";

/** A pod has statuses of its containers, and values for their environment; lines of a template are indented less. */
export type ContainerPlace = "pod" | "template";

export const stepOf = (place: ContainerPlace): number => (place === "pod" ? 2 : 1);

export function initContainers(place: ContainerPlace): Row {
  return containerGroup("Init Containers", itemsOf("initContainers", "initContainerStatuses", place), place);
}

export function containers(place: ContainerPlace): Row {
  return containerGroup("Containers", itemsOf("containers", "containerStatuses", place), place, " <none>");
}

function containerGroup(title: string, items: (pod: Json) => Json[], place: ContainerPlace, none?: string): Row {
  const rows = [line(phrase`${"container.name"}:`), indented(containerRows, stepOf(place))];
  return group(title, items, rows, { indent: stepOf(place), ...(none === undefined ? {} : { none }) });
}

/** Each container with its status, and with its pod, whose fields it may show. */
function itemsOf(key: string, statusKey: string, place: ContainerPlace): (pod: Json) => Json[] {
  return (pod) =>
    list(pod, "spec", key).map((container) => ({
      container,
      // Most containers are restarted by the policy of their pod. An init container that always is runs beside the others.
      isSidecar: key === "initContainers" && container["restartPolicy"] === "Always",
      ...(place === "template"
        ? {}
        : { pod, status: list(pod, "status", statusKey).find((one) => one["name"] === container["name"]) }),
    }));
}

const containerRows: Rows = [
  ifThere("status", [field("Container ID", "containerID")]),
  field("Image", "container.image"),
  ifThere("status", [field("Image ID", "imageID")]),
  line((one) => portLine(one, "Port", "containerPort")),
  line((one) => portLine(one, "Host Port", "hostPort")),
  wordRows("Command", "command"),
  wordRows("Args", "args"),
  given("Restart Policy", ({ container, isSidecar }) =>
    text(container, "restartPolicy") === ""
      ? ""
      : `${text(container, "restartPolicy")}${isSidecar ? " (sidecar)" : ""}`,
  ),
  ifThere("status", [
    stateRows("State", (status) => [object(status, "state")]),
    stateRows("Last State", (status) =>
      isJson(object(status, "lastState")["terminated"]) ? [object(status, "lastState")] : [],
    ),
    field("Ready", flag("ready", "True", "False")),
    field("Restart Count", or("restartCount", "0")),
  ]),
  amounts("Limits", "container.resources.limits"),
  amounts("Requests", "container.resources.requests"),
  ifThere("container.livenessProbe", [field("Liveness", probe)]),
  ifThere("container.readinessProbe", [field("Readiness", probe)]),
  ifThere("container.startupProbe", [field("Startup", probe)]),
  group("Environment Variables from", "container.envFrom", [line(environmentSource)]),
  group("Environment", variables, [line(phrase`${"name"}:\t${"value"}`)], { none: "\t<none>" }),
  group("Mounts", mounts, [line(phrase`${"mountPath"} from ${"name"} (${mountFlags})`)], { none: "\t<none>" }),
  group("Devices", "container.volumeDevices", [line(phrase`${"devicePath"} from ${"name"}`)]),
];

function portLine({ container }: Json, title: string, key: string): string {
  const ports = list(container, "ports").map((port) => `${text(port, key) || "0"}/${text(port, "protocol") || "TCP"}`);
  return `${title}${ports.length > 1 ? "s" : ""}:\t${ports.join(", ") || "<none>"}`;
}

/** The words of a command, a line of text each. */
function wordRows(title: string, key: string): Row {
  const lines = ({ container }: Json) => texts(container, key).flatMap((word) => word.split("\n"));
  return when((one) => lines(one).length > 0, [section(title, [line(lines)])]);
}

/** A state is an object with one member, which names it. */
function stateRows(title: string, states: (status: Json) => Json[]): Row {
  const items = (status: Json): Json[] =>
    states(status).map((state) => {
      const [kind = "waiting"] = Object.keys(state);
      return { ...object(state, kind), kind, title: capitalized(kind) };
    });
  const ifKind = (kind: string, rows: Rows): Row => when((state) => state["kind"] === kind, rows);
  return each(items, [
    field(title, "title"),
    indented([
      given("Reason", "reason"),
      given("Message", "message"),
      ifKind("running", [field("Started", moment("startedAt"))]),
      ifKind("terminated", [
        field("Exit Code", "exitCode"),
        field("Started", moment("startedAt")),
        field("Finished", moment("finishedAt")),
      ]),
    ]),
  ]);
}

const seconds = (value: Json, key: string): string => `${text(value, key) || "0"}s`;

function probe(value: Json): string {
  const times = `delay=${seconds(value, "initialDelaySeconds")} timeout=${seconds(value, "timeoutSeconds")} period=${seconds(value, "periodSeconds")}`;
  const numbers = `${times} #success=${text(value, "successThreshold") || "0"} #failure=${text(value, "failureThreshold") || "0"}`;
  const { exec, httpGet, tcpSocket } = value;
  if (isJson(exec)) return `exec [${texts(exec, "command").join(" ")}] ${numbers}`;
  if (isJson(httpGet)) {
    const scheme = (text(httpGet, "scheme") || "HTTP").toLowerCase();
    return `http-get ${scheme}://${text(httpGet, "host")}:${text(httpGet, "port")}${text(httpGet, "path")} ${numbers}`;
  }
  if (isJson(tcpSocket)) return `tcp-socket ${text(tcpSocket, "host")}:${text(tcpSocket, "port")} ${numbers}`;
  return `unknown ${numbers}`;
}

function environmentSource(source: Json): string {
  const isMap = isJson(source["configMapRef"]);
  const reference = object(source, isMap ? "configMapRef" : "secretRef");
  const prefix = text(source, "prefix") === "" ? "" : ` with prefix '${text(source, "prefix")}'`;
  return `${text(reference, "name")}\t${isMap ? "ConfigMap" : "Secret"}${prefix}\tOptional: ${reference["optional"] === true}`;
}

function variables({ container, pod }: Json): Json[] {
  return list(container, "env").map((one) => ({ name: text(one, "name"), value: variableText(one, container, pod) }));
}

function variableText(one: Json, container: unknown, pod: unknown): string {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = object(one, "valueFrom");
  if (isJson(fieldRef)) {
    const path = text(fieldRef, "fieldPath");
    return `${fieldValue(pod, path)} (${text(fieldRef, "apiVersion") || "v1"}:${path})`;
  }
  if (isJson(resourceFieldRef)) {
    const resource = text(resourceFieldRef, "resource");
    return `${text(container, "resources", ...resource.split(".")) || "0"} (${resource})`;
  }
  if (isJson(secretKeyRef)) return keyText(secretKeyRef, "in secret");
  if (isJson(configMapKeyRef)) return keyText(configMapKeyRef, "of config map");
  return text(one, "value").split("\n").join("\n      \t");
}

function keyText(reference: Json, where: string): string {
  return `<set to the key '${text(reference, "key")}' ${where} '${text(reference, "name")}'>\tOptional: ${reference["optional"] === true}`;
}

/** A field of the pod as a container sees it; "" while it is unknown. */
function fieldValue(pod: unknown, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  return keyed === null ? text(pod, ...path.split(".")) : text(pod, "metadata", keyed[1] ?? "", keyed[2] ?? "");
}

function mounts({ container }: Json): Json[] {
  return list(container, "volumeMounts").sort((a, b) => (text(a, "mountPath") < text(b, "mountPath") ? -1 : 1));
}

function mountFlags(mount: Json): string {
  const access = mount["readOnly"] === true ? "ro" : "rw";
  return text(mount, "subPath") === "" ? access : `${access},path="${text(mount, "subPath")}"`;
}

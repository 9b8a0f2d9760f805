/** Pods and pod templates in a description: containers, volumes, tolerations. */

import { entries, isJson, type Json, list, number, object, text, texts } from "../json.ts";
import { describeVolumes } from "./volumes.ts";
import type { DescriptionWriter } from "./writer.ts";

export function describePodTemplate(w: DescriptionWriter, template: Json): void {
  w.line(0, "Pod Template:");
  w.pairs(0, "  Labels", object(template, "metadata", "labels"));
  if (Object.keys(object(template, "metadata", "annotations")).length > 0)
    w.pairs(0, "  Annotations", object(template, "metadata", "annotations"), ":");
  const spec = object(template, "spec");
  if (text(spec, "serviceAccountName") !== "") w.line(1, `Service Account:\t${text(spec, "serviceAccountName")}`);
  if (list(spec, "initContainers").length > 0)
    describeContainers(w, "Init Containers", list(spec, "initContainers"), [], "  ");
  describeContainers(w, "Containers", list(spec, "containers"), [], "  ");
  describeVolumes(w, list(spec, "volumes"), "  ");
  if (text(spec, "priorityClassName") !== "") w.line(1, `Priority Class Name:\t${text(spec, "priorityClassName")}`);
}

export function describeContainers(
  w: DescriptionWriter,
  title: string,
  containers: readonly Json[],
  statuses: readonly Json[],
  space: string,
  pod: Json = {},
): void {
  w.line(0, `${space}${title}:${containers.length === 0 ? " <none>" : ""}`);
  for (const container of containers) {
    const status = statuses.find((one) => one["name"] === container["name"]);
    w.line(1, `${space === "" ? "" : " "}${text(container, "name")}:`);
    if (status !== undefined) w.line(2, `Container ID:\t${text(status, "containerID")}`);
    w.line(2, `Image:\t${text(container, "image")}`);
    if (status !== undefined) w.line(2, `Image ID:\t${text(status, "imageID")}`);
    describePorts(w, container);
    describeWords(w, "Command", texts(container, "command"));
    describeWords(w, "Args", texts(container, "args"));
    describeRestarts(w, title, text(container, "restartPolicy"));
    if (status !== undefined) describeState(w, status);
    for (const [title, key] of [
      ["Limits", "limits"],
      ["Requests", "requests"],
    ] as const) {
      const amounts = entries(container, "resources", key);
      if (amounts.length > 0) w.line(2, `${title}:`);
      for (const [name, amount] of amounts) w.line(3, `${name}:\t${amount}`);
    }
    for (const [title, key] of [
      ["Liveness", "livenessProbe"],
      ["Readiness", "readinessProbe"],
      ["Startup", "startupProbe"],
    ] as const)
      if (isJson(container[key])) w.line(2, `${title}:\t${probe(container[key])}`);
    describeEnvironment(w, container, pod);
    describeMounts(w, container);
  }
}

/** Most containers are restarted by the policy of their pod. An init container that always is runs beside the others. */
function describeRestarts(w: DescriptionWriter, title: string, policy: string): void {
  const isSidecar = title === "Init Containers" && policy === "Always";
  if (policy !== "") w.line(2, `Restart Policy:\t${policy}${isSidecar ? " (sidecar)" : ""}`);
}

function describePorts(w: DescriptionWriter, container: Json): void {
  const ports = list(container, "ports").map(
    (port) => `${text(port, "containerPort")}/${text(port, "protocol") || "TCP"}`,
  );
  const hostPorts = list(container, "ports").map(
    (port) => `${text(port, "hostPort") || "0"}/${text(port, "protocol") || "TCP"}`,
  );
  w.line(2, `${ports.length > 1 ? "Ports" : "Port"}:\t${ports.join(", ") || "<none>"}`);
  w.line(2, `${hostPorts.length > 1 ? "Host Ports" : "Host Port"}:\t${hostPorts.join(", ") || "<none>"}`);
}

function describeWords(w: DescriptionWriter, title: string, words: readonly string[]): void {
  if (words.length > 0) w.line(2, `${title}:`);
  for (const word of words) for (const line of word.split("\n")) w.line(3, line);
}

function describeState(w: DescriptionWriter, status: Json): void {
  const state = (title: string, value: Json) => {
    const [kind] = Object.keys(value);
    if (kind === undefined) return w.line(2, `${title}:\tWaiting`);
    w.line(2, `${title}:\t${kind[0]?.toUpperCase()}${kind.slice(1)}`);
    const inside = object(value, kind);
    if (text(inside, "reason") !== "") w.line(3, `Reason:\t${text(inside, "reason")}`);
    if (text(inside, "message") !== "") w.line(3, `Message:\t${text(inside, "message")}`);
    if (kind === "running") w.line(3, `Started:\t${time(text(inside, "startedAt"))}`);
    if (kind === "terminated") {
      w.line(3, `Exit Code:\t${text(inside, "exitCode")}`);
      w.line(3, `Started:\t${time(text(inside, "startedAt"))}`);
      w.line(3, `Finished:\t${time(text(inside, "finishedAt"))}`);
    }
  };
  state("State", object(status, "state"));
  if (isJson(object(status, "lastState")["terminated"])) state("Last State", object(status, "lastState"));
  w.line(2, `Ready:\t${status["ready"] === true ? "True" : "False"}`);
  w.line(2, `Restart Count:\t${text(status, "restartCount") || "0"}`);
}

function probe(value: Json): string {
  const seconds = (key: string) => `${text(value, key) || "0"}s`;
  const numbers = `delay=${seconds("initialDelaySeconds")} timeout=${seconds("timeoutSeconds")} period=${seconds("periodSeconds")} #success=${text(value, "successThreshold") || "0"} #failure=${text(value, "failureThreshold") || "0"}`;
  const http = object(value, "httpGet");
  if (isJson(value["exec"])) return `exec [${texts(value, "exec", "command").join(" ")}] ${numbers}`;
  if (isJson(value["httpGet"])) {
    const scheme = (text(http, "scheme") || "HTTP").toLowerCase();
    return `http-get ${scheme}://${text(http, "host")}:${text(http, "port")}${text(http, "path")} ${numbers}`;
  }
  if (isJson(value["tcpSocket"]))
    return `tcp-socket ${text(value, "tcpSocket", "host")}:${text(value, "tcpSocket", "port")} ${numbers}`;
  return `unknown ${numbers}`;
}

function describeEnvironment(w: DescriptionWriter, container: Json, pod: Json): void {
  const sources = list(container, "envFrom");
  if (sources.length > 0) w.line(2, "Environment Variables from:");
  for (const source of sources) {
    const isMap = isJson(source["configMapRef"]);
    const reference = object(source, isMap ? "configMapRef" : "secretRef");
    const prefix = text(source, "prefix") === "" ? "" : ` with prefix '${text(source, "prefix")}'`;
    w.line(
      3,
      `${text(reference, "name")}\t${isMap ? "ConfigMap" : "Secret"}${prefix}\tOptional: ${reference["optional"] === true}`,
    );
  }
  const env = list(container, "env");
  w.line(2, `Environment:${env.length === 0 ? "\t<none>" : ""}`);
  for (const one of env) w.line(3, variable(one, container, pod));
}

/** A field of the pod as a container sees it; "" while it is unknown. */
function fieldValue(pod: Json, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  return keyed === null ? text(pod, ...path.split(".")) : text(pod, "metadata", keyed[1] ?? "", keyed[2] ?? "");
}

function variable(one: Json, container: Json, pod: Json): string {
  const name = text(one, "name");
  const from = object(one, "valueFrom");
  const isOptional = (reference: Json) => reference["optional"] === true;
  if (isJson(from["fieldRef"]))
    return `${name}:\t${fieldValue(pod, text(from, "fieldRef", "fieldPath"))} (${text(from, "fieldRef", "apiVersion") || "v1"}:${text(from, "fieldRef", "fieldPath")})`;
  if (isJson(from["resourceFieldRef"])) {
    const resource = text(from, "resourceFieldRef", "resource");
    return `${name}:\t${text(container, "resources", ...resource.split(".")) || "0"} (${resource})`;
  }
  if (isJson(from["secretKeyRef"])) {
    const reference = from["secretKeyRef"];
    return `${name}:\t<set to the key '${text(reference, "key")}' in secret '${text(reference, "name")}'>\tOptional: ${isOptional(reference)}`;
  }
  if (isJson(from["configMapKeyRef"])) {
    const reference = from["configMapKeyRef"];
    return `${name}:\t<set to the key '${text(reference, "key")}' of config map '${text(reference, "name")}'>\tOptional: ${isOptional(reference)}`;
  }
  return `${name}:\t${text(one, "value").split("\n").join("\n      \t")}`;
}

function describeMounts(w: DescriptionWriter, container: Json): void {
  const mounts = list(container, "volumeMounts").sort((a, b) => (text(a, "mountPath") < text(b, "mountPath") ? -1 : 1));
  w.line(2, `Mounts:${mounts.length === 0 ? "\t<none>" : ""}`);
  for (const mount of mounts) {
    const flags = [
      mount["readOnly"] === true ? "ro" : "rw",
      ...(text(mount, "subPath") === "" ? [] : [`path="${text(mount, "subPath")}"`]),
    ];
    w.line(3, `${text(mount, "mountPath")} from ${text(mount, "name")} (${flags.join(",")})`);
  }
  const devices = list(container, "volumeDevices");
  if (devices.length > 0) w.line(2, "Devices:");
  for (const device of devices) w.line(3, `${text(device, "devicePath")} from ${text(device, "name")}`);
}

export function describeTolerations(w: DescriptionWriter, tolerations: readonly Json[]): void {
  if (tolerations.length === 0) {
    w.field(0, "Tolerations", "<none>");
    return;
  }
  const shown = tolerations.map((one) => {
    const key = text(one, "key");
    const value = text(one, "value");
    const effect = text(one, "effect");
    const operator = text(one, "operator") === "Exists" && value === "" ? " op=Exists" : "";
    const seconds = number(one, "tolerationSeconds");
    return `${key}${value === "" ? "" : `=${value}`}${effect === "" ? "" : `:${effect}`}${operator}${seconds === undefined ? "" : ` for ${seconds}s`}`;
  });
  shown.sort().forEach((line, at) => {
    w.text += `${at === 0 ? "Tolerations:" : ""}\t${line}\n`;
  });
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Mon, 02 Jan 2006 15:04:05 +0000". */
export function time(iso: string): string {
  const date = new Date(iso);
  if (iso === "" || Number.isNaN(date.getTime())) return "<unknown>";
  const two = (value: number) => String(value).padStart(2, "0");
  return `${days[date.getUTCDay()]}, ${two(date.getUTCDate())} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

/** The controller of an object: "ReplicaSet/web-1"; "" if it has none. */
export function controllerOf(value: Json): string {
  const owner = list(value, "metadata", "ownerReferences").find((one) => one["controller"] === true);
  return owner === undefined ? "" : `${text(owner, "kind")}/${text(owner, "name")}`;
}

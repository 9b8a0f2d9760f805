/** `create service` and `create ingress`. */

import { type FlagValues, int, string, stringArray, strings } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import type { Json } from "../../json.ts";
import { generator, pairsOf } from "./generator.ts";

const tcpFlag = { tcp: strings("Ports, as port or port:targetPort") };

type TcpContext = Context<FlagValues<typeof tcpFlag>>;

function portsOf(context: TcpContext): Json[] {
  return context.flags.tcp.map((word) => {
    const [port = "", target = port] = word.split(":");
    if (!/^\d+$/.test(port)) throw new CtlError(`strconv.ParseUint: parsing "${port}": invalid syntax`);
    if (Number(port) > 65_535) throw new CtlError(`strconv.ParseUint: parsing "${port}": value out of range`);
    return {
      name: word.replaceAll(":", "-"),
      port: Number(port),
      protocol: "TCP",
      targetPort: /^\d+$/.test(target) ? Number(target) : target,
    };
  });
}

function serviceOf(context: TcpContext, name: string, spec: Json): Json {
  const ports = portsOf(context);
  const labels = { app: name };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { creationTimestamp: null, labels, name },
    spec: { ...(ports.length === 0 ? {} : { ports }), selector: labels, ...spec },
    status: { loadBalancer: {} },
  };
}

function requirePorts(context: TcpContext): void {
  if (context.flags.tcp.length === 0) throw new CtlError("at least one tcp port specifier must be provided");
}

const clusterIp = generator({
  name: "clusterip",
  summary: "Create a ClusterIP service",
  usage: "NAME [--tcp=<port>:<targetPort>]",
  examples: `ctl create service clusterip my-cs --tcp=5678:8080
ctl create service clusterip my-cs --clusterip="None"`,
  flags: { ...tcpFlag, clusterip: string('The address to use, or "None"') },
  isNamespaced: true,
  failure: "failed to create ClusterIP service: ",
  build(context, name) {
    const address = context.flags.clusterip;
    if (address !== "None") requirePorts(context);
    return serviceOf(context, name, { ...(address === "" ? {} : { clusterIP: address }), type: "ClusterIP" });
  },
});

const nodePort = generator({
  name: "nodeport",
  summary: "Create a NodePort service",
  usage: "NAME [--tcp=port:targetPort]",
  examples: `ctl create service nodeport my-ns --tcp=5678:8080`,
  flags: { ...tcpFlag, "node-port": int("The port of nodes") },
  isNamespaced: true,
  failure: "failed to create NodePort service: ",
  build(context, name) {
    requirePorts(context);
    const object = serviceOf(context, name, { type: "NodePort" });
    const port = context.flags["node-port"];
    const ports = (object["spec"] as Json)["ports"];
    if (port > 0 && Array.isArray(ports)) for (const one of ports) (one as Json)["nodePort"] = port;
    return object;
  },
});

const loadBalancer = generator({
  name: "loadbalancer",
  summary: "Create a LoadBalancer service",
  usage: "NAME [--tcp=port:targetPort]",
  examples: `ctl create service loadbalancer my-lbs --tcp=5678:8080`,
  flags: { ...tcpFlag },
  isNamespaced: true,
  failure: "failed to create LoadBalancer service: ",
  build(context, name) {
    requirePorts(context);
    return serviceOf(context, name, { type: "LoadBalancer" });
  },
});

const externalName = generator({
  name: "externalname",
  summary: "Create an ExternalName service",
  usage: "NAME --external-name external.name",
  examples: `ctl create service externalname my-ns --external-name bar.com`,
  flags: { ...tcpFlag, "external-name": string("The DNS name that the service refers to") },
  required: ["external-name"],
  isNamespaced: true,
  failure: "failed to create ExternalName service: ",
  build(context, name) {
    const outside = context.flags["external-name"];
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(outside))
      throw new CtlError(`invalid service external name ${outside}`);
    return serviceOf(context, name, { externalName: outside, type: "ExternalName" });
  },
});

export const service = command({
  name: "service",
  aliases: ["svc"],
  summary: "Create a service using a specified subcommand",
  usage: "(clusterip | externalname | loadbalancer | nodeport)",
  examples: `ctl create service clusterip my-cs --tcp=5678:8080
ctl create service externalname my-ns --external-name bar.com`,
  subcommands: [clusterIp, externalName, loadBalancer, nodePort],
});

const ruleForm = /^(?<host>[^/]*)(?<path>\/[^=,]*)?=(?<service>[^:,]+):(?<port>[^,]+)(?<options>(,.*)?)$/;

export const ingress = generator({
  name: "ingress",
  aliases: ["ing"],
  summary: "Create an ingress with the specified name",
  usage: "NAME --rule=host/path=service:port[,tls[=secret]]",
  examples: `ctl create ingress simple --rule="foo.com/bar=svc1:8080,tls=my-cert"
ctl create ingress catch-all --class=otheringress --rule="/path=svc:port"
ctl create ingress annotated --class=default --rule="foo.com/bar=svc:port" --annotation ingress.annotation1=foo`,
  flags: {
    class: string("The ingress class"),
    rule: stringArray("host/path=service:port[,tls[=secret]]; a path that ends in * is a prefix"),
    "default-backend": string("Service for requests that match no rule, as service:port"),
    annotation: stringArray("Annotations, as key=value"),
  },
  isNamespaced: true,
  failure: "failed to create ingress: ",
  async build(context, name) {
    const { flags } = context;
    if (flags.rule.length === 0 && flags["default-backend"] === "")
      throw new CtlError(
        "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
      );
    const rules = new Map<string, Json[]>();
    const tls = new Map<string, string[]>();
    for (const word of flags.rule) {
      const parts = ruleForm.exec(word)?.groups;
      if (parts === undefined)
        throw new CtlError(`rule ${word} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
      const host = parts["host"] ?? "";
      const path = parts["path"] ?? "/";
      const isPrefix = path.endsWith("*");
      const entry = {
        backend: backend(`${parts["service"]}:${parts["port"]}`),
        path: isPrefix ? path.slice(0, -1) : path,
        pathType: isPrefix ? "Prefix" : "Exact",
      };
      rules.set(host, [...(rules.get(host) ?? []), entry]);
      for (const option of (parts["options"] ?? "").split(",").filter((one) => one !== "")) {
        const [key, secret = ""] = option.split("=");
        if (key === "tls" && (host !== "" || secret !== ""))
          tls.set(secret, [...(tls.get(secret) ?? []), ...(host === "" ? [] : [host])]);
      }
    }
    const spec: Json = {
      ...(flags.class === "" ? {} : { ingressClassName: flags.class }),
      ...(flags["default-backend"] === "" ? {} : { defaultBackend: backend(flags["default-backend"]) }),
      ...(rules.size === 0
        ? {}
        : { rules: [...rules].map(([host, paths]) => ({ ...(host === "" ? {} : { host }), http: { paths } })) }),
      ...(tls.size === 0
        ? {}
        : {
            tls: [...tls].map(([secretName, hosts]) => ({
              ...(hosts.length === 0 ? {} : { hosts: [...new Set(hosts)] }),
              ...(secretName === "" ? {} : { secretName }),
            })),
          }),
    };
    const annotations = flags.annotation;
    return {
      apiVersion: `${(await context.vocabulary()).group("networking.orch.io")}/v1`,
      kind: "Ingress",
      metadata: {
        ...(annotations.length === 0 ? {} : { annotations: pairsOf(annotations, "annotation") }),
        creationTimestamp: null,
        name,
      },
      spec,
      status: { loadBalancer: {} },
    };
  },
});

function backend(word: string): Json {
  const [name = "", port = ""] = word.split(":");
  if (name === "" || port === "") throw new CtlError(`default-backend should be in format servicename:serviceport`);
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

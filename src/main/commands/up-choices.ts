/** What `orch up` adds to the flags that the person gave: files of its folder, protective plugins, what a dump or a history needs. */

import { FlagError, type FlagValues } from "../../base/flags/flag.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { noHistory } from "../flags/history-flag.ts";
import type { ControllerFlags } from "../flags/read-controllers.ts";
import type { startFlags } from "../flags/up-flags.ts";
import { frontProxyName, type Pki } from "../pki/pki.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { isShared } from "../stores/store.ts";
import { choiceOfStore } from "../stores/store-choice.ts";

export type UpFlags = ApiServerFlags & ControllerFlags & Partial<FlagValues<typeof startFlags>>;

/** The objects of a dump are in memory, and nothing changes them. */
export function withDump<F extends UpFlags>(flags: F, given: ReadonlySet<string>): F {
  const isReadOnly = flags["read-only"] === true;
  if (flags.from !== "" && !isReadOnly)
    throw new FlagError("--from: shows the objects of another server, and needs --read-only");
  if (flags.load !== "" && isReadOnly)
    throw new FlagError("--load: a server with --read-only takes no objects; say --from");
  if (flags.from !== "" && given.has("store") && flags.store !== "memory")
    throw new FlagError("--from: the objects are kept in memory, so --store must be memory or absent");
  const shown = flags.from === "" ? flags : { ...flags, store: "memory" as const, "kvstore-servers": [] };
  return isReadOnly ? { ...shown, controllers: [], nodes: 0 } : shown;
}

/** A history is kept where the store can and something changes; who asks for one gets it or a refusal. */
export function withHistory<F extends UpFlags>(flags: F, given: ReadonlySet<string>): F {
  const cannot = isShared(choiceOfStore(flags)) || flags["read-only"] === true;
  return cannot && !given.has("history") ? { ...flags, history: noHistory } : flags;
}

/** Without a controller that creates default accounts, the plugin that requires them would refuse every pod. */
export function withoutAccounts<F extends ApiServerFlags>(flags: F): F {
  const isAsked = flags["enable-admission-plugins"].includes("ServiceAccount");
  const off = isAsked ? [] : ["ServiceAccount"];
  return { ...flags, "disable-admission-plugins": [...flags["disable-admission-plugins"], ...off] };
}

/** Additions to lists that the person may have given: protective plugins, and reviews beyond v1.21. */
export function withStrictness<F extends ApiServerFlags>(flags: F): F {
  const isOff = (plugin: string) => flags["disable-admission-plugins"].includes(plugin);
  const plugins = ["NodeRestriction", "DenyServiceExternalIPs"].filter((plugin) => !isOff(plugin));
  // Existing clients must see no difference, so only orch's own vocabulary has the additional reviews.
  const questions: [string, string][] = flags.vocabulary === "orch" ? [["access.orch.io/v1alpha1", "true"]] : [];
  return {
    ...flags,
    "enable-admission-plugins": [...new Set([...flags["enable-admission-plugins"], ...plugins])],
    "runtime-config": new Map([...questions, ...flags["runtime-config"]]),
  };
}

/** Settings that the person did not give come from the folder. */
export function withPki(flags: UpFlags, pki: Pki, folder: string): UpFlags {
  const ownCertificate = flags["tls-cert-file"] === "";
  const ownTokenKeys =
    flags["service-account-key-file"].length === 0 && flags["service-account-signing-key-file"] === "";
  const issuer = vocabularyOf(flags.vocabulary).word("https://orch.default.svc");
  return {
    ...flags,
    ...(ownCertificate
      ? { "tls-cert-file": `${folder}/serving.crt`, "tls-private-key-file": `${folder}/serving.key` }
      : {}),
    ...(ownTokenKeys
      ? {
          "service-account-key-file": [pki.files.tokenPublicKey],
          "service-account-signing-key-file": pki.files.tokenKey,
        }
      : {}),
    ...(ownTokenKeys && flags["service-account-private-key-file"] === ""
      ? { "service-account-private-key-file": pki.files.tokenKey }
      : {}),
    ...(hasSigner(flags)
      ? {}
      : { "cluster-signing-cert-file": `${folder}/ca.crt`, "cluster-signing-key-file": `${folder}/ca.key` }),
    ...(flags["proxy-client-cert-file"] === "" && flags["requestheader-client-ca-file"] === ""
      ? ownFrontProxy(pki)
      : {}),
    "root-ca-file": flags["root-ca-file"] || pki.files.authority,
    "service-account-issuer": flags["service-account-issuer"] || issuer,
  };
}

/** Whether the person chose who signs certificate requests. */
function hasSigner(flags: UpFlags): boolean {
  return Object.entries(flags).some(([name, value]) => /^cluster-signing-.*-file$/.test(name) && value !== "");
}

/** Aggregated servers trust this one, and read from the published configuration how to recognize it. */
function ownFrontProxy({ files }: Pki): Partial<UpFlags> {
  return {
    "proxy-client-cert-file": files.frontProxyCertificate,
    "proxy-client-key-file": files.frontProxyKey,
    "requestheader-client-ca-file": files.frontProxyAuthority,
    "requestheader-allowed-names": [frontProxyName],
    "requestheader-username-headers": ["X-Remote-User"],
    "requestheader-group-headers": ["X-Remote-Group"],
    "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
  };
}

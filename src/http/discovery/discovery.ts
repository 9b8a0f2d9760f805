/** Serves the discovery paths: /api, /api/VERSION, /apis, /apis/GROUP and /apis/GROUP/VERSION. */

import type { GroupListing } from "../../machinery/schema/catalog.ts";
import { noSuchPath } from "../../machinery/status/status.ts";
import { requireGet } from "../answer/errors.ts";
import { Reply } from "../answer/reply.ts";
import { sendValue } from "../answer/respond.ts";
import { pageNotFound } from "../answer/vocabulary-hint.ts";
import type { Delegate } from "../contract/routes.ts";
import { hasLastingKinds } from "../handlers/find-target.ts";
import type { TypedValue } from "../negotiation/encode-value.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { createAggregatedDiscovery } from "./aggregated.ts";
import { aggregatedVersionsOf, chooseAggregated } from "./aggregated-type.ts";
import { coreVersions, groupDocument, groupList, resourceList } from "./documents.ts";

/** Undefined: the path is not a discovery path. */
export function createDiscovery(context: ServerContext): (call: Call) => Promise<void> | undefined {
  const { catalog, delegate } = context;
  /** Documents change only when the catalog does. */
  let remembered = new Map<string, TypedValue>();
  catalog.onChange(() => {
    remembered = new Map();
  });
  const aggregatedGroup = context.vocabulary.group("apidiscovery.orch.io");
  const versions = aggregatedVersionsOf(catalog.environment);
  const aggregated = new Map(
    versions.map((version) => [version, createAggregatedDiscovery(context, aggregatedGroup, version)]),
  );

  const document = (path: string, make: () => TypedValue): TypedValue => {
    let found = remembered.get(path);
    if (found === undefined) {
      found = make();
      remembered.set(path, found);
    }
    return found;
  };

  const answer = async (call: Call, segments: readonly string[]): Promise<void> => {
    const [prefix = "", first = "", second = ""] = segments;
    const groups = allGroups(catalog.groups(), delegate?.groups() ?? []);
    const listed = () => (delegate === undefined ? groups : withoutWithheld(groups, delegate));
    if (prefix === "apis" && second !== "" && delegate?.serves(first, second)) {
      return delegate.handle(call.exchange, call);
    }
    const group = prefix === "api" ? groups.find((one) => one.group === "") : groups.find((one) => one.group === first);
    if (prefix === "apis" && first !== "" && group === undefined) return pageNotFound(context, call);
    const version = prefix === "api" ? first : second;
    if (version !== "" && group?.versions.includes(version) !== true) {
      if (prefix === "apis" && group !== undefined && !hasLastingKinds(catalog, group.group)) {
        return pageNotFound(context, call);
      }
      throw noSuchPath();
    }
    // As in v1.21, the documents of all groups, of one group and of a version of definitions are served for any method.
    const isOfGroups = prefix === "apis" && version === "";
    if (!isOfGroups && (prefix === "api" || group === undefined || hasLastingKinds(catalog, group.group)))
      requireGet(call);
    // As in the reference, "/api/" has it as well, but "/apis/" does not.
    if (versions.length > 0 && version === "" && first === "" && call.info.path !== "/apis/") {
      const found = chooseAggregated(call.exchange.header("accept"), context.offer, aggregatedGroup, versions);
      const shown = listed().filter((one) => (one.group === "") === (prefix === "api"));
      if (found !== undefined)
        return aggregated.get(found.version)?.answer(new Reply(context, call, found.chosen), prefix, shown);
    }
    const negotiator = isOfGroups ? context.groupNegotiator : context.plainNegotiator;
    const reply = new Reply(context, call, negotiator.choose(call.exchange.header("accept")));
    if (version !== "") {
      const name = prefix === "api" ? "" : first;
      return sendValue(
        reply,
        document(`${name}/${version}`, () => resourceList(catalog, name, version, context.readsOnly)),
      );
    }
    if (prefix === "api")
      return sendValue(reply, coreVersions(group?.versions ?? [], call.exchange.header("host") ?? ""));
    if (first === "" || group === undefined)
      return sendValue(reply, groupList(listed().filter((one) => one.group !== "")));
    // As in v1.21, a group without any API service is described as this server serves it.
    return sendValue(reply, groupDocument(listed().find((one) => one.group === first) ?? group));
  };

  return (call) => {
    const { path } = call.info;
    if (!(path.startsWith("/api") && (path === "/api" || path === "/apis" || path[4] === "/" || path[5] === "/"))) {
      return undefined;
    }
    const segments = path.split("/").filter((segment) => segment !== "");
    if ((segments[0] !== "api" && segments[0] !== "apis") || segments.length > 3) return undefined;
    return answer(call, segments);
  };
}

/** Requests for a version that is withheld are still answered, as in v1.21: only discovery lacks it. */
function withoutWithheld(groups: readonly GroupListing[], delegate: Delegate): readonly GroupListing[] {
  return groups.flatMap((listing) => {
    const versions = listing.versions.filter((version) => !delegate.withholds(listing.group, version));
    const [first] = versions;
    if (first === undefined) return [];
    return { ...listing, versions, preferred: versions.includes(listing.preferred) ? listing.preferred : first };
  });
}

/** Adds the versions that other servers serve to those of this server. */
function allGroups(own: readonly GroupListing[], others: readonly GroupListing[]): readonly GroupListing[] {
  if (others.length === 0) return own;
  const merged = new Map(own.map((listing) => [listing.group, listing]));
  for (const other of others) {
    const mine = merged.get(other.group);
    const versions = mine === undefined ? other.versions : [...new Set([...mine.versions, ...other.versions])];
    merged.set(other.group, { group: other.group, versions, preferred: mine?.preferred ?? other.preferred });
  }
  return [...merged.values()];
}

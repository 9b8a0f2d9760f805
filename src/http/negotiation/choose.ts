/** Chooses the representation of an answer: the best one that the client accepts and the endpoint offers. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import type { BoundKind, BoundSubresource } from "../../machinery/schema/catalog.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { type Alternative, covers, parseAccept } from "./accept.ts";
import { type Encoding, type Offer, plainJson, type Representation, type View } from "./media.ts";

export interface Chosen {
  readonly representation: Representation;
  /** The client asked for `;stream=watch`, or the media type as such. */
  readonly type: string;
}

/** Which views an endpoint has. `group` is the group of the views in the server's vocabulary. */
export interface Views {
  readonly group: string;
  /** `view` is "" for the object itself. */
  allows(view: string, encoding: Encoding): boolean;
}

interface Negotiator {
  /** Throws 406. An absent or empty header means the first offer. */
  choose(accept: string | undefined): Chosen;
}

/** Parsed headers are cached, since programs send the same few. Offer and views never change, so the header decides. */
const rememberedMax = 200;
const rememberedCharsMax = 500;

/**
 * `isStrict`: as on most paths of the reference, at least one alternative must be an offered type without parameters, or
 * match every type; "application/*" alone is not accepted. The error lists all types, also those that only a view has.
 * `hasDetails`: whether the error has empty details if not even a media type without parameters matches.
 */
export function createNegotiator(
  offer: Offer,
  views: Views | undefined,
  isStrict = true,
  hasDetails = true,
): Negotiator {
  const remembered = new Map<string, Chosen>();
  const first: Chosen = { representation: plainJson, type: offer[0]!.type };
  return {
    choose(accept) {
      if (accept === undefined || accept === "") return first;
      const known = remembered.get(accept);
      if (known !== undefined) {
        if (checksCaches) checkAnswer("accepted types", known, chooseFrom(parseAccept(accept), offer, views));
        return known;
      }
      const alternatives = parseAccept(accept);
      if (isStrict) requireOneOf(alternatives, offer, hasDetails ? {} : undefined);
      const chosen = chooseFrom(alternatives, offer, views);
      if (remembered.size >= rememberedMax) remembered.clear();
      if (accept.length <= rememberedCharsMax) remembered.set(accept, chosen);
      return chosen;
    },
  };
}

/** For paths with a single representation. Throws 406. */
export function requireAccepted(accept: string | undefined, type: string): void {
  if (accept === undefined || accept === "") return;
  if (!parseAccept(accept).some((one) => one.type === type || one.type === "*/*")) throw notOffered([type], {});
}

function chooseFrom(alternatives: readonly Alternative[], offer: Offer, views: Views | undefined): Chosen {
  for (const alternative of alternatives) {
    for (const { encoding, type } of offer) {
      if (!covers(alternative, type)) continue;
      const representation = read(alternative, encoding, views);
      if (representation !== undefined) return { representation, type };
    }
  }
  throw notOffered(typesOf(offer), undefined);
}

function requireOneOf(alternatives: readonly Alternative[], offer: Offer, details: {} | undefined): void {
  const offered = typesOf(offer);
  if (!alternatives.some(({ type }) => type === "*/*" || offered.includes(type))) throw notOffered(offered, details);
}

const typesOf = (offer: Offer): readonly string[] => offer.map(({ type }) => type);

/** Undefined: the alternative requests something that the endpoint does not offer. */
function read(alternative: Alternative, encoding: Encoding, views: Views | undefined): Representation | undefined {
  const { parameters } = alternative;
  const stream = parameters.get("stream");
  if (stream && (stream !== "watch" || encoding === "yaml")) return undefined;
  // The version of lists, errors and similar kinds: resources have one, everything else has none.
  const serverVersion = parameters.get("sv");
  if (serverVersion && (serverVersion !== "v1" || views === undefined)) return undefined;
  const pretty = parameters.get("pretty") === "1";
  const view = parameters.get("as");
  const group = parameters.get("g");
  const viewVersion = parameters.get("v");
  if (view === undefined && group === undefined && viewVersion === undefined) {
    return views?.allows("", encoding) === false ? undefined : { encoding, view: "", viewVersion: "", pretty };
  }
  if (views === undefined || group !== views.group || !(viewVersion === "v1" || viewVersion === "v1beta1"))
    return undefined;
  // `allows` knows the names of View only.
  return view && views.allows(view, encoding) ? { encoding, view: view as View, viewVersion, pretty } : undefined;
}

/** 406; the reference adds empty details to some. */
export function notOffered(offered: readonly string[], details: {} | undefined): StatusError {
  const message = `only the following media types are accepted: ${offered.join(", ")}`;
  return new StatusError("NotAcceptable", message, details === undefined ? {} : { details });
}

/** The negotiators of one server. */
export interface Negotiators {
  /** For objects and lists of stored kinds. */
  readonly negotiator: Negotiator;
  /** For resources that cannot be listed: no Table. */
  readonly metadataNegotiator: Negotiator;
  /** For kinds without protobuf (custom resources): only their metadata has it. */
  readonly textNegotiator: Negotiator;
  /** For everything that has no Table: discovery, streams, errors. */
  readonly plainNegotiator: Negotiator;
  /** Negotiates for the discovery documents of groups, which the reference serves with different code. */
  readonly groupNegotiator: Negotiator;
}

/** Reviews have no columns, and so no Table; subresources have had those of what they show since 1.24. */
export function negotiatorFor(own: Negotiators, kind: BoundKind, subresource?: BoundSubresource): Negotiator {
  if (kind.codec.protobuf === undefined) return own.textNegotiator;
  const { has } = kind.family.environment;
  const isTable = subresource === undefined || (subresource.action === undefined && has("subresourceTables"));
  const hasTable = isTable && kind.declaration.action === undefined;
  return hasTable ? own.negotiator : own.metadataNegotiator;
}

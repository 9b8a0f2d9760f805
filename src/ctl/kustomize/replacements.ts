/** Replacements: a value of one resource is copied into fields of others. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { CtlError } from "../errors.ts";
import { type Created, findPlaces, implied, lookUp, setPlace, splitFieldPath, type ValuePlace } from "./field-path.ts";
import type { KustomizationFolder } from "./folder.ts";
import { type Id, shownId } from "./identity.ts";
import { replacementShape } from "./kustomization-fields.ts";
import type { Resource } from "./resource.ts";
import type { ResourceList } from "./resource-list.ts";
import { Selector } from "./selector.ts";
import { checkShape } from "./shape.ts";
import { setInText } from "./structured-text.ts";
import { at, fromPlain, isMembers, isNull, isScalar, type Members, textAt, textOf, type YamlValue } from "./value.ts";

/** The replacements of an entry: itself, or those of the file that it names. */
export function replacementsOf(entry: Members, folder: KustomizationFolder): Members[] {
  const path = textAt(entry, "path");
  if (path === "") return [entry];
  if (at(entry, "source") !== undefined || at(entry, "targets") !== undefined)
    throw new CtlError(`${folder.path}: cannot specify both path and inline replacement: ${path}`);
  const content = fromPlain(decodeYaml(Buffer.from(folder.readText(path))));
  return (Array.isArray(content) ? content : [content]).map((one) => {
    const checked = checkShape(one, replacementShape, { source: folder.pathOf(path), name: "Replacement" });
    return isMembers(checked) ? checked : {};
  });
}

export function applyReplacement(list: ResourceList, replacement: Members): void {
  const targets = at(replacement, "targets");
  const source = at(replacement, "source");
  const literal = at(replacement, "sourceValue");
  if ((!isMembers(source) && typeof literal !== "string") || !Array.isArray(targets))
    throw new CtlError("replacements must specify a source and at least one target");
  if (isMembers(source) && typeof literal === "string")
    throw new CtlError("value and resource selectors are mutually exclusive");
  const value = isMembers(source) ? sourceValue(list, source) : implied(textOf(literal));
  for (const target of targets) if (isMembers(target)) applyToTarget(list, target, value);
  list.changed();
}

function sourceValue(list: ResourceList, source: Members): YamlValue {
  const wanted: Id = {
    group: textAt(source, "group"),
    version: textAt(source, "version"),
    kind: textAt(source, "kind"),
    name: textAt(source, "name"),
    namespace: textAt(source, "namespace"),
  };
  const path = textAt(source, "fieldPath") || "metadata.name";
  const found = list.all.filter((resource) => resource.allIds.some((id) => isWanted(id, wanted)));
  const [resource] = found;
  if (resource === undefined) throw new CtlError(`nothing selected by ${shownId(wanted)}:${path}`);
  if (found.length > 1) throw new CtlError(`multiple matches for selector ${shownId(wanted)}:${path}`);
  const value = lookUp(resource.members, splitFieldPath(path));
  if (value === undefined || isEmpty(value))
    throw new CtlError(`fieldPath \`${path}\` is missing for replacement source ${shownId(wanted)}`);
  return partOf(value, source);
}

const isEmpty = (value: YamlValue): boolean =>
  isNull(value) || (Array.isArray(value) ? value.length === 0 : isMembers(value) && Object.keys(value).length === 0);

/** What is not given matches everything. */
function isWanted(id: Id, wanted: Id): boolean {
  const isSame = (field: keyof Id) => wanted[field] === "" || wanted[field] === id[field];
  const namespace = id.namespace === "" ? "default" : id.namespace;
  return (
    isSame("group") &&
    isSame("version") &&
    isSame("kind") &&
    isSame("name") &&
    (wanted.namespace === "" || wanted.namespace === namespace)
  );
}

function partOf(value: YamlValue, source: Members): YamlValue {
  const delimiter = textAt(source, "options", "delimiter");
  if (delimiter === "") return value;
  if (!isScalar(value)) throw new CtlError("delimiter option can only be used with scalar nodes");
  const index = Number(textAt(source, "options", "index"));
  const part = textOf(value).split(delimiter)[index];
  if (part === undefined) throw new CtlError(`options.index ${index} is out of bounds for value ${textOf(value)}`);
  return typeof value === "string" ? part : implied(part);
}

function applyToTarget(list: ResourceList, target: Members, value: YamlValue): void {
  const selected = at(target, "select");
  if (!isMembers(selected)) throw new CtlError("target must specify resources to select");
  const selector = new Selector(selected);
  const rejected = at(target, "reject");
  const rejects = (Array.isArray(rejected) ? rejected : []).filter(isMembers).map((one) => new Selector(one));
  const paths = at(target, "fieldPaths");
  const fieldPaths = Array.isArray(paths) && paths.length > 0 ? paths.map(textOf) : ["metadata.name"];
  for (const resource of list.all) {
    const ids = resource.allIds;
    if (!selector.matchesLabels(resource)) continue;
    if (rejects.some((reject) => reject.hasLabels && reject.matchesLabels(resource))) continue;
    if (rejects.some((reject) => !reject.hasLabels && ids.some((id) => reject.matchesId(id)))) continue;
    if (ids.some((id) => selector.matchesId(id)))
      for (const path of fieldPaths) setField(resource, path, target, value);
  }
}

function setField(resource: Resource, path: string, target: Members, value: YamlValue): void {
  const creates: Created =
    at(target, "options", "create") !== true
      ? "nothing"
      : isMembers(value)
        ? "members"
        : Array.isArray(value)
          ? "list"
          : "scalar";
  const steps = splitFieldPath(path);
  if (setInText(resource.members, steps, value, creates)) return;
  let places: ValuePlace[] = [];
  const problem = `unable to find ${creates === "nothing" ? "" : "or create "}field "${path}" in replacement target`;
  try {
    places = findPlaces({ value: resource.members, set: () => {} }, steps, creates);
  } catch (error) {
    throw new CtlError(`${problem}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (places.length === 0) throw new CtlError(problem);
  for (const place of places) setPlace(place, joined(place.value, target, value));
}

/** With a delimiter only one part of the text is replaced, or one is added at an end. */
function joined(before: YamlValue, target: Members, value: YamlValue): YamlValue {
  const delimiter = textAt(target, "options", "delimiter");
  if (delimiter === "") return value;
  if (!isScalar(before)) throw new CtlError("delimiter option can only be used with scalar nodes");
  const parts = (before === null ? "" : textOf(before)).split(delimiter);
  const index = Number(textAt(target, "options", "index"));
  if (index < 0) parts.unshift(textOf(value));
  else if (index >= parts.length) parts.push(textOf(value));
  else parts[index] = textOf(value);
  return typeof value === "string" ? parts.join(delimiter) : implied(parts.join(delimiter));
}

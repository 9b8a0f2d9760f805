/** Refusals of writes that collide with other writes. */

import { apply, configMaps, merge, type Phrases, type Stand } from "./stand.suite.ts";

export const writesPhrases = ({ ask }: Stand): Phrases => [
  [
    'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
    () => ask("PUT", `${configMaps}/x`, { metadata: { name: "x", resourceVersion: "1" } }),
  ],
  [
    'Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again',
    () => ask("PATCH", `${configMaps}/x`, { metadata: { resourceVersion: "1" }, data: { n: "1" } }, merge),
  ],
  ['configmaps "x" already exists', () => ask("POST", configMaps, { metadata: { name: "x" } })],
  [
    'Apply failed with 1 conflict: conflict with "m" using v1: .data.k',
    () =>
      ask(
        "PATCH",
        `${configMaps}/applied?fieldManager=o`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { k: "2" } },
        apply,
      ),
  ],
  [
    "Apply failed with 2 conflicts: ",
    () =>
      ask(
        "PATCH",
        `${configMaps}/applied?fieldManager=o`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { k: "2", l: "2" } },
        apply,
      ),
  ],
  [
    "metadata.managedFields must be nil",
    () =>
      ask(
        "PATCH",
        `${configMaps}/applied?fieldManager=o`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied", managedFields: [{}] } },
        apply,
      ),
  ],
  [
    "Precondition failed: UID in precondition: a, UID in object meta: ",
    () => ask("DELETE", `${configMaps}/x`, { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "a" } }),
  ],
  [
    'object is being deleted: configmaps "leaving" already exists',
    () => ask("POST", configMaps, { metadata: { name: "leaving" } }),
  ],
];

/** ClusterRoleBinding in v1alpha1: its subjects name an API version. */

import { given } from "../../../machinery/json/json-value.ts";
import { elided, list } from "../../../machinery/schema/build.ts";
import { version } from "../../../machinery/schema/kind.ts";
import { ClusterRoleBinding as Hub } from "../v1/cluster-role-binding.ts";
import { RoleRef } from "./rules.ts";
import { Subject, subjectFromHub, subjectToHub } from "./subject.ts";

export const ClusterRoleBinding = version(Hub, {
  version: "v1alpha1",
  typeName: "rbac.v1alpha1.ClusterRoleBinding",
  fields: {
    subjects: elided(list(Subject))
      .at(2)
      .doc("The users, groups and service accounts that get the role. Absent: none."),
    roleRef: RoleRef.at(3).doc("The role that is granted; cannot be changed."),
  },
  toHub: ({ subjects, ...same }, environment) => ({
    ...same,
    ...given({ subjects: subjects?.map((subject) => subjectToHub(subject, environment)) }),
  }),
  fromHub: ({ subjects, ...same }, environment) => ({
    ...same,
    ...given({ subjects: subjects?.map((subject) => subjectFromHub(subject, environment)) }),
  }),
  until: "1.23",
});

/** Devices that a pod claims, and how its containers refer to them. */

import { elided, list, optional, type Static, string, struct } from "../../../../machinery/schema/build.ts";

export const ResourceClaim = struct("core.v1.ResourceClaim", {
  // v1.35 reports it for what the name is in.
  name: string().at(1).required().reported("").doc("The name of one of the resource claims of the pod."),
  request: elided(string())
    .at(2)
    .since("1.31")
    .doc("One request of the claim. Absent: all that was allocated for the claim."),
});
export type ResourceClaim = Static<typeof ResourceClaim>;

const ClaimSource = struct("core.v1.ClaimSource", {
  resourceClaimName: optional(string())
    .at(1)
    .named("subdomain")
    .doc("An existing ResourceClaim in the namespace of the pod; excludes resourceClaimTemplateName."),
  resourceClaimTemplateName: optional(string())
    .at(2)
    .named("subdomain")
    .doc("The template of the ResourceClaim that is made for the pod and deleted with it."),
});

export const PodResourceClaim = struct("core.v1.PodResourceClaim", {
  name: string().at(1).required().named("label").doc("The name of the claim within the pod, a DNS label."),
  source: elided(ClaimSource).at(2).since("1.26").until("1.31").doc("Where the claim comes from."),
  resourceClaimName: optional(string())
    .at(3)
    .since("1.31")
    .named("subdomain")
    .doc("An existing ResourceClaim in the namespace of the pod; excludes resourceClaimTemplateName."),
  resourceClaimTemplateName: optional(string())
    .at(4)
    .since("1.31")
    .named("subdomain")
    .doc("The template of the ResourceClaim that is made for the pod and deleted with it."),
});
export type PodResourceClaim = Static<typeof PodResourceClaim>;

export const PodResourceClaimStatus = struct("core.v1.PodResourceClaimStatus", {
  name: string().at(1).doc("The name of the claim within the pod."),
  // v1.35 reports it at the name.
  resourceClaimName: optional(string())
    .at(2)
    .named("subdomain")
    .before("1.36", (name) => name.reported("name"))
    .doc("The ResourceClaim that was made. Absent: none was needed."),
});
export type PodResourceClaimStatus = Static<typeof PodResourceClaimStatus>;

const ContainerExtendedResourceRequest = struct("core.v1.ContainerExtendedResourceRequest", {
  containerName: string().at(1).doc("The container that requests the extended resource."),
  resourceName: string().at(2).doc("The extended resource that the container requests."),
  requestName: string().at(3).doc("The request of the claim that stands for the extended resource."),
});

export const PodExtendedResourceClaimStatus = struct("core.v1.PodExtendedResourceClaimStatus", {
  requestMappings: list(ContainerExtendedResourceRequest)
    .at(1)
    .doc("Which request of the claim stands for which extended resource of which container."),
  resourceClaimName: string().at(2).doc("The ResourceClaim that was made for the extended resources."),
});
export type PodExtendedResourceClaimStatus = Static<typeof PodExtendedResourceClaimStatus>;

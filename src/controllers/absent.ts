/** Controllers that v1.21 has and this program does not, with the reason. */
export const absentControllers: Readonly<Record<string, string>> = {
  attachdetach: "attaching volumes needs an agent on the node",
  "cloud-node-lifecycle": "there are no cloud providers here",
  route: "there are no cloud providers here",
  service: "load balancers need a cloud provider",
};

/** How the address of a workspace ends, behind that of its server. */
export const workspacePath = /\/clusters\/([^/]+)\/?$/;

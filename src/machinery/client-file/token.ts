/** Bearer tokens in client configurations. */

/** Whether a header can carry the text. An error about a text that cannot be sent must not show it: it may be any file of the user. */
export const isTokenText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

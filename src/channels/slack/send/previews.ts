/**
 * Prevents Slack from fetching anything that a model has written. Slack visits each URL of a message when it is posted,
 * unless both of its switches are off, and never again when it is edited; a stream has no such switch, so its URLs are
 * broken. https://docs.slack.dev/messaging/unfurling-links-in-messages
 */

export const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

const JOINER = '\u2060';
/** Matches the end of a scheme or name that Slack could take for a URL, and what would turn a link into a picture. */
const ADDRESS = /(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])|:(?=\/\/)|!(?=\[)|\](?=[([])/gu;

/**
 * Puts an invisible character into everything that could be a URL. A prefix of the text gives a prefix of the result.
 */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, `$&${JOINER}`);

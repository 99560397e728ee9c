/**
 * That Slack fetches nothing that a model has written. Slack looks at each address of a message when it is posted, unless both of its
 * switches are off, and never again when it is edited; a stream has no such switch, so in it no address may be one.
 * https://docs.slack.dev/messaging/unfurling-links-in-messages
 */

export const NO_PREVIEWS = { unfurl_links: false, unfurl_media: false } as const;

const JOINER = '\u2060';
/** Where a scheme or a name ends that Slack could take for an address, and what would make a picture of a link. */
const ADDRESS = /(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])|:(?=\/\/)|!(?=\[)|\](?=[([])/gu;

/** The text with an invisible character in whatever could be an address. Each beginning gives a beginning of the whole. */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, `$&${JOINER}`);

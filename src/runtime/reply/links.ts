/** Addresses on the web as links in an answer. Pure. */

const escapedTitle = (title: string): string => title.replace(/[\\`*_~[\]<>|#]/g, '\\$&');

/** A link whose words and address cannot be anything else. */
export const linkTo = ({ title, ref }: { title: string; ref: string }): string =>
  `[${escapedTitle(title)}](${ref.replace(/[()\s<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`;

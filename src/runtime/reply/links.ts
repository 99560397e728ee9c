/** Formats web addresses as links in an answer. Pure. */
import { escapeMarkdown } from '../../lib/text.ts';

/** Returns a link whose text and address are escaped, so that neither can end early. */
export const linkTo = ({ title, ref }: { title: string; ref: string }): string =>
  `[${escapeMarkdown(title)}](${ref.replace(/[()\s<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`;

/** Addresses on the web as links in an answer. Pure. */
import { escaped } from '../../lib/text.ts';

/** A link whose words and address cannot be anything else. */
export const linkTo = ({ title, ref }: { title: string; ref: string }): string =>
  `[${escaped(title)}](${ref.replace(/[()\s<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)})`;

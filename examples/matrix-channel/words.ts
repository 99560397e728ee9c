/** Tells whom a message calls, and which of its words are its sender's own. Pure. */
import { type Fields, fields, string } from 'openviber-gateway/plugin';

export interface Called {
  self: string;
  selfName?: string | undefined;
  isDirect: boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Matches the bot's ID or name, as apps write it into the text of a mention. */
function nameAtStart({ self, selfName }: Called): RegExp {
  const local = self.slice(1).split(':', 1)[0] ?? '';
  const names = [...(selfName ? [selfName] : []), local].map(escaped).join('|');
  return new RegExp(`^\\s*(?:${escaped(self)}|@?(?:${names}))(?![\\w.-])\\s*[:,]?\\s*`, 'i');
}

/**
 * Returns whether the message calls the bot. `m.mentions` says so, even if it names nobody; without it, as older apps
 * write, the ID anywhere or the name at the start does. https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions
 */
export function mentions(content: Fields, called: Called): boolean {
  const { self } = called;
  const listed = fields(content, 'm.mentions');
  if (listed) return Array.isArray(listed.user_ids) && listed.user_ids.includes(self);
  const body = string(content, 'body') ?? '';
  const html = string(content, 'formatted_body') ?? '';
  const link = 'https://matrix.to/#/';
  if (html.includes(link + self) || html.includes(link + encodeURIComponent(self))) return true;
  return body.includes(self) || nameAtStart(called).test(body.slice(0, 300));
}

/**
 * Returns the sender's own words: without the quotation that older apps put before a reply, and without the bot's name
 * at the start. https://spec.matrix.org/latest/client-server-api/#rich-replies
 */
export function ownWords(
  body: string,
  { isReply, isMention, around }: { isReply: boolean; isMention: boolean; around: Called },
): string {
  const spoken = isReply && /^> (?:\* )?<@/.test(body) ? body.replace(/^(?:> [^\n]*(?:\n|$))+\n?/, '') : body;
  return (isMention ? spoken.replace(nameAtStart(around), '') : spoken).trim();
}

/** Refuses, or notes, what a client must not send. https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes */
import { contentIn, isJson, type Json, Refused, type Room, relationOf, type Store } from './store.ts';

const TAGS = new Set(
  (
    'del h1 h2 h3 h4 h5 h6 blockquote p a ul ol sup sub li b i u strong em s code hr br div table thead tbody tr th td ' +
    'caption pre span img details summary'
  ).split(' '),
);
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  a: /^(?: href="(?:https?|ftp|mailto|magnet):[^"<>]*")$/,
  code: /^(?: class="language-[^"<>\s]*")?$/,
  ol: /^(?: start="\d+")?$/,
};
const VOID = new Set(['br', 'hr', 'img']);
const TYPES = new Set(['m.text', 'm.notice', 'm.emote', 'm.image', 'm.file', 'm.audio', 'm.video', 'm.location']);
export const FILES = new Set(['m.image', 'm.file', 'm.audio', 'm.video']);

/** Returns what is wrong with the HTML; undefined for what every app shows. */
export function wrongHtml(html: string): string | undefined {
  const open: string[] = [];
  for (const [whole, slash, tag = '', attributes = ''] of html.matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)) {
    if (!TAGS.has(tag)) return `the tag ${whole}`;
    if (slash) {
      if (open.pop() !== tag) return `${whole} closes something else`;
    } else {
      if (!(ATTRIBUTES[tag] ?? /^$/).test(attributes)) return `the attributes of ${whole}`;
      if (!VOID.has(tag)) open.push(tag);
    }
    if (open.length > 100) return 'more than 100 levels';
  }
  if (open.length > 0) return `<${open[0]}> stays open`;
  const rest = html.replace(/<[^>]*>/g, '');
  return /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.exec(rest)?.[0];
}

function wrongWords(content: Json, store: Store): string | undefined {
  const { msgtype, body, format, formatted_body: html, url } = content;
  if (typeof msgtype !== 'string' || !TYPES.has(msgtype)) return `the msgtype ${String(msgtype)}`;
  if (typeof body !== 'string' || body === '') return 'no body';
  if ((format === undefined) !== (html === undefined)) return 'format and formatted_body belong together';
  if (format !== undefined && format !== 'org.matrix.custom.html') return `the format ${String(format)}`;
  if (html !== undefined && typeof html !== 'string') return 'formatted_body is no text';
  const wrong = typeof html === 'string' ? wrongHtml(html) : undefined;
  if (wrong !== undefined) return `HTML: ${wrong}`;
  if (FILES.has(msgtype) && !store.media.has(String(url))) return `no file ${String(url)}`;
  // Without it, words alone may notify people. https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions
  if (!isJson(content['m.mentions'])) return 'no m.mentions';
  return undefined;
}

/** @throws Refused what the homeserver itself refuses. @returns what breaks the rules of clients */
export function checkEvent(
  store: Store,
  room: Room,
  { type, content, sender }: { type: string; content: Json; sender: string },
): string | undefined {
  // The homeserver adds hashes, signatures and the events before.
  if (Buffer.byteLength(JSON.stringify(content)) > 65_536 - 1_500)
    throw new Refused(413, 'M_TOO_LARGE', 'The event is too large.');
  const relation = contentIn(content['m.relates_to']);
  const target = typeof relation.event_id === 'string' ? store.events.get(relation.event_id) : undefined;
  if (relation.rel_type !== undefined && target?.room_id !== room.id)
    throw new Refused(400, 'M_UNKNOWN', "Can't relate to an event of another room, or to none.");
  if (relation.rel_type === 'm.thread' && target && relationOf(target).rel_type !== undefined)
    throw new Refused(400, 'M_UNKNOWN', 'Cannot start threads from an event with a relation.');
  if (type === 'm.reaction') return checkReaction(room, relation, sender);
  if (type !== 'm.room.message') return undefined;
  if (relation.rel_type !== 'm.replace') return wrongWords(content, store);
  const next = content['m.new_content'];
  if (!isJson(next)) return 'an edit without m.new_content';
  if (target?.sender !== sender) return 'an edit of what somebody else has said';
  if (target && relationOf(target).rel_type === 'm.replace') return 'an edit of an edit';
  return wrongWords(content, store) ?? wrongWords(next, store);
}

function checkReaction(room: Room, relation: Json, sender: string): string | undefined {
  if (relation.rel_type !== 'm.annotation' || typeof relation.key !== 'string') return 'no m.annotation';
  const isThere = room.arrivals.some(({ event }) => {
    const other = relationOf(event);
    const isSame = other.event_id === relation.event_id && other.key === relation.key;
    return event.type === 'm.reaction' && event.sender === sender && isSame;
  });
  if (isThere) throw new Refused(400, 'M_DUPLICATE_ANNOTATION', 'You have reacted so already.');
  return undefined;
}

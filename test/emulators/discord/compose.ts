/** Composes a message from a body: a new one, or an edited one that keeps everything else. */
import type { Body } from './body.ts';
import { type Draft, EPHEMERAL, LAYOUT, LOADING, readDraft, SILENT, SUPPRESS_EMBEDS } from './draft.ts';
import { refuse } from './errors.ts';
import { change } from './messages.ts';
import type { Platform } from './platform.ts';
import type { StoredMessage } from './world.ts';

export const CREATE_FLAGS = SUPPRESS_EMBEDS | SILENT;
export const ANSWER_FLAGS = CREATE_FLAGS | EPHEMERAL;

function isEmpty(content: string, embeds: object[], files: number, components: object[]): boolean {
  return content === '' && embeds.length === 0 && files === 0 && components.length === 0;
}

/** Returns the content of a new message. Throws 50006 if it is empty, 50035 for a broken limit. */
export function compose(platform: Platform, channelId: string, body: Body, allowedFlags: number) {
  const draft: Draft = readDraft(body, platform.files, allowedFlags);
  const { content = '', embeds = [], components = [], flags = 0 } = draft;
  if (isEmpty(content, embeds, draft.uploads, components)) throw refuse(50_006);
  const { allowedMentions, nonce } = draft;
  const facts = (): Partial<StoredMessage> & { content: string } => ({
    content,
    embeds,
    components,
    flags,
    allowedMentions,
    nonce,
    files: draft.upload(channelId),
  });
  return { draft, facts };
}

/** Edits a message as the body says; everything else stays. Throws 50006 if nothing would be left. */
export function amend(platform: Platform, message: StoredMessage, body: Body): StoredMessage {
  const draft = readDraft(body, platform.files, SUPPRESS_EMBEDS);
  const content = draft.content ?? message.content;
  const embeds = draft.embeds ?? message.embeds;
  const components = draft.components ?? message.components;
  const ids = draft.keep?.map((each) => String(each.id));
  const kept = ids ? message.files.filter((file) => ids.includes(file.id)) : message.files;
  if (isEmpty(content, embeds, kept.length + draft.uploads, components)) throw refuse(50_006);
  const lasting = message.flags & ~(LOADING | SUPPRESS_EMBEDS);
  const suppressed = (draft.flags ?? message.flags) & SUPPRESS_EMBEDS;
  const layout = (draft.flags ?? 0) & LAYOUT;
  return change(platform, message, {
    content,
    embeds,
    components,
    flags: lasting | suppressed | layout,
    files: [...kept, ...draft.upload(message.channelId)],
    // An edit without the field parses all mentions again.
    allowedMentions: draft.allowedMentions,
  });
}

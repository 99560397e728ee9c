/** Renders an outcome for one conversation: its text, its attachments, and buttons for files that aren't attached. */
import type { Address, Attachment, Channel } from '../../channels/channel.ts';
import { type Messages, type Text, words } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Answer } from '../contract/outcome.ts';
import { type Attached, type AttachMode, attach, getButton } from './attachments.ts';

export interface AttachRules {
  mode: AttachMode;
  maxBytes: number;
  /** Details of a question are behind a button there. */
  whispers?: boolean;
}

export interface Rendering {
  home: Home;
  attachRules: (address: Address) => AttachRules;
  /** Whether a text shows nothing visible once a chat renders it. */
  isBlank?: ((text: string) => Promise<boolean>) | undefined;
}

export interface RenderedAnswer {
  text: Text;
  files: Attachment[];
  buttons: ButtonAction[][];
}

const MAX_ATTACHED = 10;
const NOTHING_ATTACHED: Attached = { files: [], onRequest: [], gone: [] };

/** Combines the channel's own limit with the configuration; `auto` if it sets nothing. */
export const attachRules = (channel: Channel | undefined, mode: AttachMode = 'auto'): AttachRules => ({
  mode,
  maxBytes: channel?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER,
  whispers: channel?.whispers ?? false,
});

export async function renderAnswer(
  outcome: Answer,
  taskId: string,
  address: Address,
  messages: Messages,
  { home, attachRules: rulesAt, isBlank }: Rendering,
): Promise<RenderedAnswer> {
  const rules = { ...rulesAt(address), maxFiles: MAX_ATTACHED };
  const refs = outcome.artifactRefs.filter(({ id }) => !outcome.handed?.includes(id));
  const { files, onRequest, gone } = refs.length > 0 ? await attach(home, taskId, refs, rules) : NOTHING_ATTACHED;
  const namesOf = (metas: readonly { name: string }[]) => messages.list(metas.map(({ name }) => name));
  const list = [
    onRequest.length > 0 ? `\n\n${messages.text('failures.moreFiles', { names: namesOf(onRequest) })}` : '',
    gone.length > 0 ? `\n\n${messages.text('failures.goneFiles', { n: gone.length, names: namesOf(gone) })}` : '',
  ].join('');
  const all = [...(outcome.files ?? []), ...files];
  const { details } = outcome;
  const fold = details && !rules.whispers ? `\n\n${details.text.replace(/^/gm, '> ')}` : '';
  const text = words(`${outcome.text}${fold}${list}`);
  // A question that follows, or a file, says enough.
  const isSilent = all.length === 0 && !outcome.asks?.length && (await isBlank?.(text));
  return {
    text: isSilent ? messages.text('failures.empty') : text,
    files: all,
    buttons: [
      ...outcome.buttons,
      ...(details && rules.whispers ? [[details.button]] : []),
      ...onRequest.map((file) => [getButton(file, messages, taskId)]),
    ],
  };
}

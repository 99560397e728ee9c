/** Opens a conversation at the message that the address names, and marks it for a moment. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Message } from '../../../client/shapes.ts';
import type { Conversation } from '../net/conversation.ts';
import { isMessage, type ShownMessage } from '../net/talk-lines.ts';
import { dropQuery, place } from '../router.ts';
import { words } from '../words.ts';
import { showNotice, showProblem } from './notices.tsx';

/** How long it stays marked, in ms. */
const MARKED_MS = 4_000;

/**
 * Returns the ID of the message that is to be marked. Loads earlier messages until it is there.
 * @param show makes the message at this place, of so many, one of those that are rendered
 */
export function useSought(
  talk: Conversation,
  messages: readonly ShownMessage[] | undefined,
  show: (at: number, count: number) => void,
): string | undefined {
  const marked = useSignal<string | undefined>(undefined);
  const sought = place.value.query.get('message');
  const found = sought === null || messages === undefined ? undefined : soughtPlace(sought, talk, messages);
  const isLoaded = messages !== undefined;
  useEffect(() => {
    if (sought === null || !isLoaded) return;
    if (found === undefined) void load(sought, talk);
    else {
      show(found.at, messages?.length ?? 0);
      marked.value = found.id;
      dropQuery('message');
    }
  }, [sought, isLoaded, found === undefined]);
  useEffect(() => {
    if (marked.value === undefined) return undefined;
    const element = document.querySelector<HTMLElement>('.message.sought');
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
    const timer = setTimeout(() => (marked.value = undefined), MARKED_MS);
    return () => clearTimeout(timer);
  }, [marked.value, marked]);
  return marked.value;
}

/** A question that was asked anew isn't shown twice: its answer stands for it. */
function soughtPlace(
  sought: string,
  talk: Conversation,
  messages: readonly ShownMessage[],
): { at: number; id: string } | undefined {
  const said = talk.messages.value?.find((one) => isMessage(one, sought));
  if (said === undefined) return undefined;
  const versionsOf = ({ earlier = [], ...newest }: ShownMessage): readonly Message[] => [...earlier, newest];
  const answers = said.again === undefined ? [] : [said.runId, said.again];
  for (const isIt of [
    (one: Message) => isMessage(one, sought),
    ...answers.map((run) => (one: Message) => one.role === 'assistant' && one.runId === run),
  ]) {
    const at = messages.findIndex((one) => versionsOf(one).some(isIt));
    const version = messages[at] && versionsOf(messages[at]).find(isIt);
    if (version !== undefined) return { at, id: version.id };
  }
  return undefined;
}

async function load(sought: string, talk: Conversation): Promise<void> {
  const isThere = () => talk.messages.value?.some((one) => isMessage(one, sought)) === true;
  // What was just said is listed a moment later.
  await talk.refresh();
  for (let before: string | undefined; !isThere() && talk.earlier.value !== before; ) {
    before = talk.earlier.value;
    await talk.loadEarlier().catch(showProblem);
  }
  if (isThere() || place.value.query.get('message') !== sought) return;
  dropQuery('message');
  showNotice(words.task.notListed, { warm: true });
}

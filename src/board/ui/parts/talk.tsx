/**
 * A conversation: messages, those being sent, and the current run. Renders at most WINDOW messages; older ones are
 * reached in steps. The newest stays in view while the reader is at the end, and nothing moves while they read further
 * up.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Message } from '../../../client/shapes.ts';
import type { Conversation } from '../net/conversation.ts';
import {
  type Aside,
  asksAgain,
  keysOf,
  messageKey,
  type OutgoingMessage,
  type ShownMessage,
  shownMessages,
} from '../net/talk-lines.ts';
import { words } from '../words.ts';
import { Files } from './artifacts.tsx';
import { Button, Empty, Loading, Problem } from './common.tsx';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { MessageView, type TalkActs } from './message.tsx';
import { announce } from './notices.tsx';
import { useSought } from './sought.ts';
import { Time } from './time.tsx';

const WINDOW = 50;
const STEP = 30;

export function Talk(props: { of: Conversation; acts?: TalkActs; children?: ComponentChildren }): JSX.Element {
  const { of: talk, acts, children } = props;
  const listed = talk.messages.value;
  const messages = listed && shownOf(listed, talk);
  /** How many of the newest messages are hidden below. */
  const hidden = useSignal(0);
  const sought = useSought(talk, messages, (at, count) => {
    hidden.value = Math.max(0, Math.min(count - WINDOW, count - at - WINDOW / 2));
  });
  useStayAtEnd(messages !== undefined, hidden.value === 0);
  if (listed === undefined || messages === undefined)
    return talk.error.value === undefined ? (
      <Loading rows={6} />
    ) : (
      <Problem error={talk.error.value} retry={() => void talk.refresh()} />
    );
  const end = messages.length - hidden.value;
  const start = Math.max(0, end - WINDOW);
  const earlier = async () => {
    if (start < STEP) await talk.loadEarlier();
    const count = shownOf(talk.messages.value ?? [], talk).length;
    hidden.value = Math.min(hidden.value + STEP, Math.max(0, count - WINDOW));
  };
  const isEmpty =
    messages.length + talk.sent.value.length + talk.asides.value.length === 0 && talk.live.value === undefined;
  return (
    <div class="talk">
      <Told of={talk} />
      {(start > 0 || talk.earlier.value !== undefined) && (
        <div class="talk-more">
          <Button small onClick={() => void earlier()}>
            {words.task.earlier}
          </Button>
        </div>
      )}
      {isEmpty && <Empty title={words.task.empty} icon="now" />}
      <ol class="messages">
        {inOrder(messages.slice(start, end), hidden.value === 0 ? besides(talk) : []).map((one) => {
          if ('role' in one)
            return (
              <MessageView
                key={messageKey(one)}
                message={one}
                acts={acts}
                again={againAt(one, messages, listed, talk)}
                taskId={talk.taskId}
                sought={sought}
              />
            );
          return 'state' in one ? (
            <SentView key={one.id} sent={one} talk={talk} />
          ) : (
            <AsideView key={one.id} aside={one} />
          );
        })}
        {hidden.value === 0 && <LiveView of={talk} />}
      </ol>
      {hidden.value > 0 && (
        <div class="talk-more">
          <Button small icon="down" onClick={() => (hidden.value = 0)}>
            {words.task.newest}
          </Button>
        </div>
      )}
      {talk.detail.value?.state === 'error' && <p class="talk-failed">{words.task.failedRun}</p>}
      {children}
    </div>
  );
}

/** Returns the messages as they read; while a question is asked anew, without its earlier answer. */
const shownOf = (listed: readonly Message[], talk: Conversation): readonly ShownMessage[] =>
  shownMessages(listed, talk.sent.value).filter(({ isReplaced }) => !(isReplaced && talk.isBusy));

/** Returns what the last answer was asked; undefined for any other message, and while it works. */
function againAt(
  one: ShownMessage,
  shown: readonly ShownMessage[],
  listed: readonly Message[],
  talk: Conversation,
): Message | undefined {
  if (one !== shown.at(-1) || one.role !== 'assistant' || talk.isBusy) return undefined;
  return listed.findLast(({ role }) => role === 'user');
}

/** Returns what is not yet, or never, among the task's messages, in the order of this browser's clock. */
const besides = (talk: Conversation): (OutgoingMessage | Aside)[] =>
  [...talk.sent.value.filter((sent) => !asksAgain(sent)), ...talk.asides.value].sort((one, other) =>
    one.at.localeCompare(other.at),
  );

/** Orders messages, each followed by what was sent or said after it; never compares clocks of two machines. */
function inOrder(
  messages: readonly ShownMessage[],
  others: readonly (OutgoingMessage | Aside)[],
): (ShownMessage | OutgoingMessage | Aside)[] {
  const shown = new Set(['', ...messages.flatMap(keysOf)]);
  const after = (keys: readonly string[]) => others.filter((one) => keys.includes(one.after ?? '\0'));
  return [
    ...after(['']),
    ...messages.flatMap((message) => [message, ...after(keysOf(message))]),
    ...others.filter((one) => one.after === undefined || !shown.has(one.after)),
  ];
}

/** Scrolls along with new content, unless the reader has scrolled up. */
function useStayAtEnd(isLoaded: boolean, isNewest: boolean): void {
  const atEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      atEnd.current = scrollHeight - scrollY - innerHeight < 120;
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    const box = document.querySelector('.talk');
    if (box === null || !isNewest) return undefined;
    const stay = () => {
      if (atEnd.current) scrollTo(0, document.documentElement.scrollHeight);
    };
    const watched = new ResizeObserver(stay);
    watched.observe(box);
    return () => watched.disconnect();
  }, [isLoaded, isNewest]);
}

/** Announces the state to screen readers, but not each word. */
function Told({ of: talk }: { of: Conversation }): null {
  const state = talk.shownState;
  const doing = talk.live.value?.state;
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    const told = doing === undefined ? (state === undefined ? '' : words.state[state]) : words.live[doing];
    if (before.current !== undefined && told !== before.current) announce(told);
    before.current = told;
  }, [state, doing]);
  return null;
}

const sentState = (state: OutgoingMessage['state']): string =>
  ({ failed: '', kept: words.task.waits, sending: words.task.sending, command: words.task.command })[state];

/** A message beside the conversation, for the current viewer only. */
function AsideView({ aside }: { aside: Aside }): JSX.Element {
  return (
    <li class="message assistant aside">
      <p class="message-by">
        <span class="message-name">{words.task.viber}</span>
        <Time at={aside.at} />
      </p>
      <div class="message-body">
        <Markdown text={aside.text} />
        {aside.files.length > 0 && <p class="hint">{aside.files.join(', ')}</p>}
      </div>
    </li>
  );
}

function SentView({ sent, talk }: { sent: OutgoingMessage; talk: Conversation }): JSX.Element {
  return (
    <li class={`message user ${sent.state}`}>
      <p class="message-by">
        <span class="message-name">{words.task.you}</span>
        <span>{sentState(sent.state)}</span>
      </p>
      <div class="message-body">
        {sent.text !== '' && <Markdown text={sent.text} />}
        {sent.files.length > 0 && <Files files={sent.files} />}
        {sent.state === 'failed' && (
          <p class="message-problem">
            <Icon name="alert" /> {words.task.failed} {sent.problem}
            <Button small onClick={() => void talk.resend(sent)}>
              {words.retry}
            </Button>
            <Button small onClick={() => talk.drop(sent.id)}>
              {words.discard}
            </Button>
          </p>
        )}
      </div>
    </li>
  );
}

/** Reads the run by itself, so that each word of it renders nothing else. */
function LiveView({ of: talk }: { of: Conversation }): JSX.Element | null {
  const run = talk.live.value;
  if (run === undefined) return null;
  return (
    <li class="message assistant live">
      <p class="message-by">
        <span class="message-name">{words.task.viber}</span>
        <span class="doing">
          <span class="pulse" aria-hidden="true" />
          {words.live[run.state]}
        </span>
      </p>
      <div class="message-body">
        {run.parts.map((part, index) =>
          part.kind === 'text' ? (
            <Markdown key={index} text={part.text} growing />
          ) : (
            <p key={index} class={`tool${part.done ? ' done' : ''}`}>
              <Icon name={part.done ? 'check' : 'tool'} />
              <span class="tool-name">{part.tool.replaceAll(/[_-]/g, ' ')}</span>
              {part.note !== undefined && <span class="tool-note">{part.note}</span>}
            </p>
          ),
        )}
      </div>
    </li>
  );
}

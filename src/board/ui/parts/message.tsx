/** One message of a conversation, and what can be done with it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Message } from '../../../client/shapes.ts';
import { whyLink } from '../net/artifact.ts';
import { isMessage, type ShownMessage } from '../net/talk-lines.ts';
import { words } from '../words.ts';
import { Files } from './artifacts.tsx';
import { Button } from './common.tsx';
import { Markdown } from './markdown.tsx';
import { showNotice } from './notices.tsx';
import { Time } from './time.tsx';

/** What can be done with a message beside copying it. */
export interface TalkActs {
  edit: (message: Message) => void;
  /** Asks the question of an answer's run anew. */
  again: (question: Message, runId: string) => void;
}

interface MessageProps {
  message: ShownMessage;
  acts: TalkActs | undefined;
  /** What a new attempt at this answer would ask. */
  again: Message | undefined;
  taskId: string;
  /** The ID of the message that was sought, which is marked. */
  sought: string | undefined;
}

export function MessageView(props: MessageProps): JSX.Element {
  const { earlier = [], ...newest } = props.message;
  const { sought } = props;
  const versions: readonly Message[] = [...earlier, newest];
  /** Undefined: the newest. */
  const chosen = useSignal<number | undefined>(undefined);
  const found = sought === undefined ? -1 : versions.findIndex((one) => isMessage(one, sought));
  useEffect(() => {
    if (found >= 0) chosen.value = found;
  }, [found, chosen]);
  const at = Math.min(chosen.value ?? versions.length, versions.length - 1);
  const message = versions[at] ?? newest;
  const isUser = message.role === 'user';
  const files = [...(message.files ?? []), ...(message.artifactRefs ?? [])];
  return (
    <li
      class={`message ${message.role}${found >= 0 ? ' sought' : ''}`}
      tabIndex={found >= 0 ? -1 : undefined}
      aria-current={found >= 0 ? 'true' : undefined}
    >
      <p class="message-by">
        <span class="message-name">{isUser ? (message.name ?? words.task.you) : words.task.viber}</span>
        <Time at={message.at} />
        {versions.length > 1 && (
          <Versions at={at} count={versions.length} onChoose={(index) => (chosen.value = index)} />
        )}
      </p>
      <div class="message-body">
        {message.text !== '' && <Markdown text={message.text} />}
        {files.length > 0 && <Files files={files} inline />}
      </div>
      <MessageActs {...props} message={message} />
    </li>
  );
}

/** Turns the pages of answers to the same question. */
function Versions(props: { at: number; count: number; onChoose: (at: number) => void }): JSX.Element {
  const { at, count, onChoose } = props;
  return (
    <span class="versions">
      <Button
        kind="quiet"
        small
        icon="left"
        label={words.task.earlierAnswer}
        disabled={at === 0}
        onClick={() => onChoose(at - 1)}
      />
      <span role="status">{words.task.answerOf(at + 1, count)}</span>
      <Button
        kind="quiet"
        small
        icon="right"
        label={words.task.newerAnswer}
        disabled={at === count - 1}
        onClick={() => onChoose(at + 1)}
      />
    </span>
  );
}

function copyText(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => showNotice(words.copied),
    () => showNotice(words.notCopied, { warm: true }),
  );
}

function MessageActs({ message, acts, again, taskId }: MessageProps): JSX.Element {
  const { role, runId } = message;
  return (
    <div class="message-acts">
      {message.text !== '' && (
        <Button kind="quiet" small icon="copy" label={words.task.copy} onClick={() => copyText(message.text)} />
      )}
      {acts !== undefined && role === 'user' && (
        <Button kind="quiet" small icon="edit" label={words.task.edit} onClick={() => acts.edit(message)} />
      )}
      {acts !== undefined && again !== undefined && runId !== undefined && (
        <Button kind="quiet" small icon="again" label={words.task.again} onClick={() => acts.again(again, runId)} />
      )}
      {role === 'assistant' && runId !== undefined && (
        <a class="button quiet small" href={whyLink({ taskId, runId })}>
          {words.why.ask}
        </a>
      )}
    </div>
  );
}

/** A pending approval: the question, all its details, and the answers. The reply names exactly what was shown. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Approval } from '../../../client/shapes.ts';
import { ApiError, api, said } from '../net/api.ts';
import { taskLink } from '../router.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { showNotice } from './notices.tsx';
import { clockOf } from './time.tsx';

export type Verdict = 'approve' | 'always' | 'all' | 'reject' | 'answer';

export function ApprovalCard(props: { approval: Approval; onDecided: () => void; withLink?: boolean }): JSX.Element {
  const { approval, onDecided, withLink } = props;
  const isBusy = useSignal(false);
  const answer = useSignal('');
  const decide = async (verdict: Verdict, text?: string) => {
    isBusy.value = true;
    try {
      const body = { digest: approval.digest, verdict, ...(text === undefined ? {} : { answer: text }) };
      await api(`/api/approvals/${encodeURIComponent(approval.id)}`, { method: 'POST', body });
      showNotice(words.approval.done);
      onDecided();
    } catch (error) {
      const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409);
      showNotice(isGone ? words.approval.gone : said(error), { warm: true });
      if (isGone) onDecided();
    } finally {
      isBusy.value = false;
    }
  };
  const { labels } = approval;
  const always = labels ? labels.always : approval.kind === 'tool' ? words.approval.always : undefined;
  const sentence = approval.sentence ?? words.approval[approval.kind];
  return (
    <article class="approval" aria-label={words.approval[approval.kind]}>
      <p class="approval-kind">
        <Icon name="alert" />
        {words.approval[approval.kind]}
        {withLink && (
          <a href={taskLink(approval.taskId)} class="approval-task">
            {approval.title ?? words.now.open}
          </a>
        )}
      </p>
      <div class="approval-text">
        <Markdown text={sentence} />
      </div>
      {approval.details !== undefined && approval.details !== '' && (
        <details class="approval-details" open={approval.kind === 'plan'}>
          <summary>{words.approval.details}</summary>
          <Markdown text={approval.details} />
        </details>
      )}
      <div class="approval-actions">
        {approval.kind === 'question' ? (
          <Answers
            approval={approval}
            isBusy={isBusy.value}
            answer={answer}
            onAnswer={(text) => void decide('answer', text)}
          />
        ) : (
          <>
            <Button kind="main" icon="check" disabled={isBusy.value} onClick={() => void decide('approve')}>
              {labels?.yes ?? (approval.kind === 'plan' ? words.approval.approve : words.approval.yes)}
            </Button>
            {always !== undefined && (
              <Button disabled={isBusy.value} onClick={() => void decide('always')}>
                {always}
              </Button>
            )}
            {labels?.all !== undefined && (
              <Button disabled={isBusy.value} onClick={() => void decide('all')}>
                {labels.all}
              </Button>
            )}
            <Button disabled={isBusy.value} onClick={() => void decide('reject')}>
              {labels?.no ?? (approval.kind === 'plan' ? words.approval.reject : words.approval.no)}
            </Button>
          </>
        )}
      </div>
      {approval.expiresAt !== undefined && approval.kind !== 'question' && (
        <p class="approval-until">{words.approval.until(clockOf(approval.expiresAt))}</p>
      )}
    </article>
  );
}

function Answers(props: {
  approval: Approval;
  isBusy: boolean;
  answer: { value: string };
  onAnswer: (text: string) => void;
}): JSX.Element {
  const { approval, isBusy, answer, onAnswer } = props;
  return (
    <>
      {approval.options?.map((option) => (
        <Button key={option} disabled={isBusy} onClick={() => onAnswer(option)}>
          {option}
        </Button>
      ))}
      <form
        class="answer"
        onSubmit={(event) => {
          event.preventDefault();
          if (answer.value.trim() !== '') onAnswer(answer.value.trim());
        }}
      >
        <input
          type="text"
          aria-label={words.approval.answer}
          placeholder={words.approval.answer}
          value={answer.value}
          onInput={(event) => {
            answer.value = event.currentTarget.value;
          }}
        />
        <Button type="submit" kind="main" disabled={isBusy || answer.value.trim() === ''}>
          {words.approval.send}
        </Button>
      </form>
    </>
  );
}

/** The gateway's health, and how to fix what does not work. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ChannelHealth, Health as HealthData, Letter, ReceiptShown } from '../../../client/shapes.ts';
import { api } from '../net/api.ts';
import { of, usePages, useResource } from '../net/resource.ts';
import { Button, More, PageHead, Section, Shown } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { confirm, showNotice, showProblem } from '../parts/notices.tsx';
import { duration, Time } from '../parts/time.tsx';
import { channelName } from '../words.ts';
import { pageWords } from '../words-pages.ts';

export function Health(): JSX.Element {
  const health = useResource<HealthData>('/api/health', of('channel:status', 'task:completed', 'task:started'));
  return (
    <Shown of={health}>
      {(found) => (
        <>
          <PageHead title={pageWords.health.title} intro={<Sum health={found} />} />
          <Section title={pageWords.health.channels}>
            <ul class="rows">
              {Object.entries(found.channels).map(([id, channel]) => (
                <Channel key={id} id={id} channel={channel} />
              ))}
            </ul>
          </Section>
          <Section title={pageWords.health.queue}>
            <dl class="figures">
              <Figure label={pageWords.health.waiting} value={String(found.waiting)} />
              <Figure
                label={pageWords.health.oldest}
                value={found.oldestUndeliveredSeconds == null ? '–' : duration(found.oldestUndeliveredSeconds)}
              />
              <Figure label={pageWords.health.dead} value={String(found.dead)} warm={found.dead > 0} />
              <Figure label={pageWords.health.unsure} value={String(found.unsure)} warm={found.unsure > 0} />
            </dl>
            <Counted />
          </Section>
          <Letters kind="dead" onChange={() => void health.refresh()} />
          <Letters kind="unsure" onChange={() => void health.refresh()} />
          <Settings />
        </>
      )}
    </Shown>
  );
}

/** The receipt; a gateway that doesn't count shows nothing. */
function Counted(): JSX.Element | null {
  const receipt = useResource<Partial<ReceiptShown>>('/api/receipt', of('task:completed'));
  const { text = '' } = receipt.data.value ?? {};
  return text === '' ? null : <p class="hint receipt">{text}</p>;
}

function Sum({ health }: { health: HealthData }): JSX.Element {
  const channels = Object.values(health.channels);
  const isFull = !health.workspace.writable;
  const needs = isFull || health.dead > 0 || health.unsure > 0 || channels.some(({ state }) => state === 'failed');
  const comes = !health.ready || channels.some(({ state }) => state === 'connecting' || state === 'reconnecting');
  const { connectModel } = health;
  const well = connectModel === undefined ? pageWords.health.well : pageWords.health.noModel(connectModel);
  const text = needs ? pageWords.health.unwell : comes ? pageWords.health.starting : well;
  const isWarm = needs || connectModel !== undefined;
  return (
    <span class={`sum${isWarm ? ' warm' : ''}`}>
      <Icon name={isWarm ? 'alert' : 'check'} />
      {isFull ? pageWords.health.disk : text}
    </span>
  );
}

function Channel({ id, channel }: { id: string; channel: ChannelHealth }): JSX.Element {
  return (
    <li class={`row channel ${channel.state}`}>
      <span class="light" aria-hidden="true" />
      <span class="row-text">
        <span class="row-title">{channelName(id)}</span>
        {channel.detail !== undefined && <span class="row-sub">{channel.detail}</span>}
      </span>
      <span class="row-end">{pageWords.health.state[channel.state]}</span>
    </li>
  );
}

export function Figure({ label, value, warm = false }: { label: string; value: string; warm?: boolean }): JSX.Element {
  return (
    <div class={`figure${warm ? ' warm' : ''}`}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Letters({ kind, onChange }: { kind: 'dead' | 'unsure'; onChange: () => void }): JSX.Element | null {
  const letters = usePages<{ letters: readonly Letter[] }>(
    `/api/letters?kind=${kind}`,
    'letters',
    of('task:completed'),
  );
  const isBusy = useSignal(false);
  const all = letters.data.value?.letters ?? [];
  if (all.length === 0) return null;
  const send = async (path: string, body: object) => {
    isBusy.value = true;
    try {
      const { retried = 1 } = await api<{ retried?: number }>(path, { method: 'POST', body });
      showNotice(pageWords.health.retried(retried));
    } catch (error) {
      showProblem(error);
    }
    isBusy.value = false;
    await letters.refresh();
    onChange();
  };
  const retry = async ({ id }: Letter) => {
    const isUnsure = kind === 'unsure';
    if (
      isUnsure &&
      !(await confirm({ title: pageWords.health.sure, hint: pageWords.health.sureHint, yes: pageWords.health.retry }))
    )
      return;
    await send(`/api/letters/${encodeURIComponent(id)}/retry`, isUnsure ? { sure: true } : {});
  };
  const retryAll =
    kind === 'dead' ? (
      <Button small icon="again" disabled={isBusy.value} onClick={() => void send('/api/letters/retry', {})}>
        {pageWords.health.retryAll}
      </Button>
    ) : undefined;
  return (
    <Section title={pageWords.health.letters[kind]} actions={retryAll}>
      <ul class="cards">
        {all.map((letter) => (
          <li key={letter.id} class="card">
            <div class="card-main">
              <p class="card-title">{letter.to}</p>
              <p class="card-sub">{letter.text}</p>
              <p class="card-problem">{letter.reason}</p>
              <p class="hint">
                <Time at={letter.diedAt} />
              </p>
            </div>
            <div class="card-actions">
              <Button small disabled={isBusy.value} onClick={() => void retry(letter)}>
                {pageWords.health.retry}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <More of={letters} />
    </Section>
  );
}

function Settings(): JSX.Element {
  const config = useResource<{ config: unknown }>('/api/config');
  return (
    <Section title={pageWords.health.settings}>
      <p class="hint">{pageWords.health.settingsHint}</p>
      <Shown of={config} rows={3}>
        {(found) => (
          <details class="settings">
            <summary>config.yaml</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
            <pre class="preview" tabIndex={0}>
              {outline(found.config)}
            </pre>
          </details>
        )}
      </Shown>
    </Section>
  );
}

export function outline(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Array.isArray(value) ? value.map((one) => ['-', one] as const) : Object.entries(value);
  return entries
    .map(([key, one]) => {
      const name = Array.isArray(value) ? `${indent}-` : `${indent}${key}:`;
      const isDeep = typeof one === 'object' && one !== null && Object.keys(one).length > 0;
      return isDeep
        ? `${name}\n${outline(one, `${indent}  `)}`
        : `${name} ${typeof one === 'object' ? '' : String(one)}`;
    })
    .join('\n');
}

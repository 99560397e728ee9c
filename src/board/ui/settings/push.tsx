/** Notifications in this browser: on, off, and a test. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api } from '../net/api.ts';
import { type PushState, pushSupport, turnOff, turnOn } from '../net/push.ts';
import { useResource } from '../net/resource.ts';
import { Button, Section, Shown } from '../parts/common.tsx';
import { showProblem } from '../parts/notices.tsx';
import { settingsWords } from './words.ts';

export function PushPart(): JSX.Element {
  const words = settingsWords();
  const found = useResource<PushState>('/api/push');
  const support = useSignal(pushSupport());
  const note = useSignal('');
  const isBusy = useSignal(false);
  const doing = async (work: () => Promise<string>) => {
    isBusy.value = true;
    note.value = '';
    await work().then((text) => {
      note.value = text;
    }, showProblem);
    support.value = pushSupport();
    isBusy.value = false;
  };
  const begin = (state: PushState) =>
    doing(async () => {
      const next = await turnOn(state);
      await found.refresh();
      return next === undefined ? '' : words.pushIsOn;
    });
  const end = () =>
    doing(async () => {
      await turnOff();
      await found.refresh();
      return words.pushIsOff;
    });
  const tryIt = () =>
    doing(async () => {
      const { problem } = await api<{ problem?: string }>('/api/push/test', { method: 'POST', body: {} });
      return problem ?? words.pushSent;
    });
  return (
    <Section title={words.push}>
      <p class="hint">{words.pushHint}</p>
      {support.value !== 'yes' && <p>{words.pushNeeds[support.value]}</p>}
      {support.value === 'yes' && (
        <Shown of={found} rows={2}>
          {(state) => (
            <div class="settings-form">
              {state.problem !== undefined && <p role="alert">{state.problem}</p>}
              <div class="card-actions words">
                {!state.isOn && (
                  <Button small kind="main" disabled={isBusy.value} onClick={() => void begin(state)}>
                    {words.pushOn}
                  </Button>
                )}
                {state.isOn && (
                  <>
                    <Button small kind="main" disabled={isBusy.value} onClick={() => void tryIt()}>
                      {words.pushTry}
                    </Button>
                    <Button small disabled={isBusy.value} onClick={() => void end()}>
                      {words.pushOff}
                    </Button>
                  </>
                )}
              </div>
              <p role="status">{note.value}</p>
            </div>
          )}
        </Shown>
      )}
    </Section>
  );
}

/** Adds a chat: the platform's steps, its tokens with their check, and a code to scan that makes the account yours. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { api } from '../net/api.ts';
import { of, useResource } from '../net/resource.ts';
import { Button, Pill, Section, Shown } from '../parts/common.tsx';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { type CheckLine, Findings, FreshOnly, WithLinks } from './findings.tsx';
import { settingsWords } from './words.ts';

interface Chat {
  name: string;
  label: string;
  isOn: boolean;
  steps: readonly string[];
  page: string;
  /** A page that creates the bot as it has to be. */
  link?: string;
  paste?: string;
  tokens: readonly { key: string; question: string; before?: string }[];
}

interface ChatAnswer {
  ok: boolean;
  isStarted?: boolean;
  findings: readonly CheckLine[];
  fix?: string;
  invite?: string;
}

interface Joining {
  kind: 'code' | 'meet';
  name: string;
  link: string;
  invite?: string;
  qr: { size: number; path: string };
  code?: string;
  command?: string;
  isSentByLink?: boolean;
  expiresAt?: string;
}

interface ThoseThere {
  waiting: readonly { code: string; name: string; words: string }[];
  joined: readonly string[];
  isConnected: boolean;
}

export function ChatsPart({ state, onSaved }: { state: SettingsShown; onSaved: () => void }): JSX.Element {
  const chats = useResource<{ chats: readonly Chat[] }>('/api/setup/chats', of('channel:status'));
  const open = useSignal<string | undefined>(undefined);
  const onChanged = () => {
    void chats.refresh();
    onSaved();
  };
  return (
    <FreshOnly state={state}>
      <Shown of={chats}>
        {(found) => (
          <>
            {found.chats.map((chat) => (
              <Section
                key={chat.name}
                title={chat.label}
                actions={
                  <>
                    {chat.isOn && <Pill kind="accent">{settingsWords().isOn}</Pill>}
                    <Button
                      small
                      label={`${chat.isOn ? settingsWords().otherTokens : settingsWords().add}: ${chat.label}`}
                      onClick={() => (open.value = open.value === chat.name ? undefined : chat.name)}
                    >
                      {chat.isOn ? settingsWords().otherTokens : settingsWords().add}
                    </Button>
                  </>
                }
              >
                {open.value === chat.name && (
                  <AddChat
                    chat={chat}
                    onAdded={() => {
                      open.value = undefined;
                      onChanged();
                    }}
                  />
                )}
                {chat.isOn && <JoinAccount chat={chat} />}
              </Section>
            ))}
          </>
        )}
      </Shown>
    </FreshOnly>
  );
}

const setupStep = (text: string) => (
  <p key={text}>
    <WithLinks text={text} />
  </p>
);

/** The page that creates the bot, and what to paste there if the page can't be opened. */
function Creation({ chat: { label, link, paste } }: { chat: Chat }): JSX.Element {
  const words = settingsWords();
  return (
    <>
      {link !== undefined && (
        <p>
          <a href={link} target="_blank" rel="noreferrer">
            {words.createApp(label)}
          </a>
        </p>
      )}
      {paste !== undefined && (
        <details>
          <summary>{words.manifest}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
          <pre class="preview" tabIndex={0}>
            {paste}
          </pre>
        </details>
      )}
    </>
  );
}

function AddChat({ chat, onAdded }: { chat: Chat; onAdded: () => void }): JSX.Element {
  const words = settingsWords();
  const tokens = useSignal<Readonly<Record<string, string>>>({});
  const isAsking = useSignal(false);
  const answer = useSignal<ChatAnswer | undefined>(undefined);
  const ask = async (keep: boolean) => {
    isAsking.value = true;
    answer.value = undefined;
    try {
      const path = `/api/setup/chats/${encodeURIComponent(chat.name)}`;
      const body = { tokens: tokens.value, ...(keep && { keep }) };
      const found = await api<ChatAnswer>(path, { method: 'POST', body });
      answer.value = found;
      if (found.ok) {
        showNotice(found.isStarted ? words.started(chat.label) : words.startsLater(chat.label));
        onAdded();
      }
    } catch (error) {
      showProblem(error);
    }
    isAsking.value = false;
  };
  return (
    <form
      class="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask(false);
      }}
    >
      {chat.steps.map(setupStep)}
      <Creation chat={chat} />
      {chat.tokens.map(({ key, question, before }) => (
        <div key={key} class="setting">
          {before !== undefined && setupStep(before)}
          <label class="setting">
            {question}
            <input
              type="password"
              autocomplete="off"
              required
              value={tokens.value[key] ?? ''}
              onInput={({ currentTarget: { value } }) => (tokens.value = { ...tokens.value, [key]: value.trim() })}
            />
          </label>
        </div>
      ))}
      <div class="setting-input">
        <Button type="submit" kind="main" disabled={isAsking.value}>
          {words.check}
        </Button>
        {answer.value?.ok === false && (
          <Button disabled={isAsking.value} onClick={() => void ask(true)}>
            {words.keepAnyway}
          </Button>
        )}
      </div>
      {isAsking.value && (
        <p class="hint" role="status">
          {words.asking}
        </p>
      )}
      {answer.value !== undefined && <Findings lines={answer.value.findings} fix={answer.value.fix} />}
      {answer.value?.invite !== undefined && (
        <p>
          <WithLinks text={answer.value.invite} />
        </p>
      )}
    </form>
  );
}

const LOOK_MS = 2_000;

function JoinAccount({ chat }: { chat: Chat }): JSX.Element {
  const words = settingsWords();
  const way = useSignal<Joining | undefined>(undefined);
  const isAsking = useSignal(false);
  const path = `/api/setup/chats/${encodeURIComponent(chat.name)}`;
  const people = useResource<ThoseThere>(`${path}/people`);
  const isLooking = way.value !== undefined;
  useEffect(() => {
    if (!isLooking) return;
    const timer = setInterval(() => void people.refresh(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isLooking]);
  const ask = async () => {
    isAsking.value = true;
    try {
      way.value = await api<Joining>(`${path}/join`, { method: 'POST', body: {} });
    } catch (error) {
      showProblem(error);
    }
    isAsking.value = false;
  };
  const decide = async (code: string, verdict: 'approve' | 'deny') => {
    try {
      await api(`/api/setup/owners/${encodeURIComponent(code)}`, { method: 'POST', body: { verdict } });
      if (verdict === 'approve') {
        showNotice(words.letIn);
        way.value = undefined;
      }
    } catch (error) {
      showProblem(error);
    }
    await people.refresh();
  };
  const there = people.data.value;
  const isMeeting = way.value?.kind === 'meet';
  return (
    <div class="settings-form">
      {there !== undefined && there.joined.length > 0 && <p>{words.yours(there.joined.join(', '))}</p>}
      {way.value === undefined ? (
        <div>
          <Button disabled={isAsking.value} onClick={() => void ask()}>
            {words.joinAccount}
          </Button>
        </div>
      ) : (
        <Scan way={way.value} label={chat.label} />
      )}
      {isMeeting &&
        there?.waiting.map(({ code, name, words: said }) => (
          <div key={code} class="card warm" role="status">
            <div class="card-main">
              <p class="card-title">{said === '' ? words.opened(name) : words.writes(name, said)}</p>
              <p>{words.isThatYou}</p>
            </div>
            <div class="card-actions words">
              <Button small kind="main" onClick={() => void decide(code, 'approve')}>
                {words.itIsMe}
              </Button>
              <Button small onClick={() => void decide(code, 'deny')}>
                {words.notMe}
              </Button>
            </div>
          </div>
        ))}
    </div>
  );
}

function Scan({ way, label }: { way: Joining; label: string }): JSX.Element {
  const words = settingsWords();
  const { qr, link, name, command, isSentByLink, invite, expiresAt } = way;
  return (
    <div class="scan">
      <svg viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label={words.qr(name)}>
        <rect width={qr.size} height={qr.size} class="qr-ground" />
        <path d={qr.path} class="qr-ink" />
      </svg>
      <div class="settings-form">
        <p>
          {way.kind === 'meet' ? words.meet(name, label) : isSentByLink ? words.scan(name) : words.scanAndSend(name)}
        </p>
        <p>
          <WithLinks text={link} />
        </p>
        {invite !== undefined && invite !== link && (
          <p>
            {words.invite} <WithLinks text={invite} />
          </p>
        )}
        {command !== undefined && (
          <p>
            {isSentByLink ? words.orSend : words.send} <code>{command}</code>
          </p>
        )}
        {expiresAt !== undefined && (
          <p class="hint">
            {words.expires} <Time at={expiresAt} />
          </p>
        )}
      </div>
    </div>
  );
}

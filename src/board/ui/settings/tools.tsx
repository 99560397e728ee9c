/** Adds, updates and removes skills and MCP servers, and logs in at them. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { api } from '../net/api.ts';
import { useResource } from '../net/resource.ts';
import { Button, Pill, Section, Shown } from '../parts/common.tsx';
import { confirm, showNotice, showProblem } from '../parts/notices.tsx';
import { FreshOnly, WithLinks } from './findings.tsx';
import { settingsWords } from './words.ts';

interface Server {
  name: string;
  state: 'idle' | 'connecting' | 'connected' | 'failed';
  tools: number;
  problem?: string;
  needsLogin?: true;
  mayLogIn: boolean;
  isLocal: boolean;
}

interface Offer {
  id: string;
  skills: readonly { name: string; about: string; text: string; isUpdate: boolean }[];
  trust: string;
}

interface LookResult {
  offer?: Offer;
  choose?: readonly { name: string; description: string }[];
  same?: readonly string[];
  failed?: readonly { name: string; why: string }[];
}

export function ToolsPart({ state, onSaved }: { state: SettingsShown; onSaved: () => void }): JSX.Element {
  return (
    <FreshOnly state={state}>
      <ToolServers onSaved={onSaved} />
      <SkillAdding />
    </FreshOnly>
  );
}

/** Runs the action, and shows its error. */
async function trying(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showProblem(error);
    return false;
  }
}

function ToolServers({ onSaved }: { onSaved: () => void }): JSX.Element {
  const words = settingsWords();
  const servers = useResource<{ servers: readonly Server[] }>('/api/mcp');
  const links = useSignal<Readonly<Record<string, string>>>({});
  const logInAt = (name: string) =>
    trying(async () => {
      const { url } = await api<{ url: string }>(`/api/mcp/${encodeURIComponent(name)}/login`, {
        method: 'POST',
        body: {},
      });
      links.value = { ...links.value, [name]: url };
    });
  const removeServer = async (name: string) => {
    if (!(await confirm({ title: words.removeServer(name), yes: words.remove }))) return;
    const at = encodeURIComponent(name);
    await trying(async () => {
      await api(`/api/mcp/${at}/login`, { method: 'DELETE' });
      await api(`/api/setup/mcp/${at}`, { method: 'DELETE' });
      showNotice(words.saved);
      onSaved();
    });
  };
  return (
    <Section title={words.servers}>
      <Shown of={servers} rows={2}>
        {(found) => (
          <ul class="rows">
            {found.servers.map((server) => (
              <li key={server.name} class="row">
                <span class="row-text">
                  <span class="row-title">{server.name}</span>
                  <span class={`row-sub${server.problem === undefined ? '' : ' warm'}`}>
                    {server.needsLogin
                      ? words.needsLogin
                      : (server.problem ?? words.serverState(server.state, server.tools))}
                  </span>
                  {links.value[server.name] !== undefined && (
                    <span class="row-sub">
                      {words.openLink} <WithLinks text={links.value[server.name] ?? ''} />
                    </span>
                  )}
                </span>
                {server.mayLogIn && (
                  <Button small label={`${words.logIn}: ${server.name}`} onClick={() => void logInAt(server.name)}>
                    {words.logIn}
                  </Button>
                )}
                <Button small label={`${words.remove}: ${server.name}`} onClick={() => void removeServer(server.name)}>
                  {words.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <NewServer onSaved={onSaved} />
    </Section>
  );
}

function NewServer({ onSaved }: { onSaved: () => void }): JSX.Element {
  const words = settingsWords();
  const name = useSignal('');
  const url = useSignal('');
  const token = useSignal('');
  const addIt = () =>
    trying(async () => {
      const body = {
        name: name.value.trim(),
        url: url.value.trim(),
        ...(token.value !== '' && { token: token.value }),
      };
      await api('/api/setup/mcp', { method: 'POST', body });
      name.value = '';
      url.value = '';
      token.value = '';
      showNotice(words.saved);
      onSaved();
    });
  return (
    <form
      class="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void addIt();
      }}
    >
      <p class="hint">{words.serverHint}</p>
      <label class="setting">
        {words.serverName}
        <input
          type="text"
          required
          value={name.value}
          onInput={({ currentTarget: { value } }) => (name.value = value)}
        />
      </label>
      <label class="setting">
        {words.serverAddress}
        <input
          type="text"
          inputMode="url"
          required
          placeholder={words.serverExample}
          value={url.value}
          onInput={({ currentTarget: { value } }) => (url.value = value)}
        />
      </label>
      <label class="setting">
        {words.serverToken}
        <input
          type="password"
          autocomplete="off"
          value={token.value}
          onInput={({ currentTarget: { value } }) => (token.value = value.trim())}
        />
      </label>
      <div>
        <Button type="submit">{words.addServer}</Button>
      </div>
    </form>
  );
}

function SkillAdding(): JSX.Element {
  const words = settingsWords();
  const source = useSignal('');
  const isLooking = useSignal(false);
  const found = useSignal<LookResult | undefined>(undefined);
  const lookAt = async (path: 'look' | 'updates', body: object) => {
    isLooking.value = true;
    found.value = undefined;
    await trying(async () => {
      found.value = await api<LookResult>(`/api/setup/skills/${path}`, { method: 'POST', body });
    });
    isLooking.value = false;
  };
  const decide = ({ id }: Offer, verdict: 'take' | 'leave') =>
    trying(async () => {
      const { added = [] } = await api<{ added?: string[] }>(`/api/setup/skills/offers/${encodeURIComponent(id)}`, {
        method: 'POST',
        body: { verdict },
      });
      found.value = undefined;
      if (added.length > 0) showNotice(words.skillAdded(added.join(', ')));
    });
  const offer = found.value?.offer;
  return (
    <Section title={words.skills}>
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void lookAt('look', { source: source.value.trim() });
        }}
      >
        <label class="setting">
          {words.skillSource}
          <input
            type="text"
            required
            placeholder={words.skillExample}
            value={source.value}
            onInput={({ currentTarget: { value } }) => (source.value = value)}
          />
        </label>
        <div class="setting-input">
          <Button type="submit" disabled={isLooking.value}>
            {words.lookAtIt}
          </Button>
          <Button disabled={isLooking.value} onClick={() => void lookAt('updates', {})}>
            {words.skillUpdates}
          </Button>
        </div>
        {isLooking.value && (
          <p class="hint" role="status">
            {words.asking}
          </p>
        )}
        {found.value !== undefined && (
          <SkillNews
            news={found.value}
            onChoose={(name) => void lookAt('look', { source: source.value.trim(), names: [name] })}
          />
        )}
      </form>
      {offer !== undefined && <SkillOffer offer={offer} onDecide={(verdict) => void decide(offer, verdict)} />}
    </Section>
  );
}

function SkillOffer({ offer, onDecide }: { offer: Offer; onDecide: (verdict: 'take' | 'leave') => void }): JSX.Element {
  const words = settingsWords();
  return (
    <div class="settings-form">
      {offer.skills.map(({ name, about, text, isUpdate }) => (
        <div key={name} class="setting">
          <p>
            <strong>{name}</strong> {isUpdate && <Pill>{words.isUpdate}</Pill>}
          </p>
          <p class="setting-about">{about}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
          <pre class="preview" tabIndex={0}>
            {text}
          </pre>
        </div>
      ))}
      <p>{offer.trust}</p>
      <div class="setting-input">
        <Button kind="main" onClick={() => onDecide('take')}>
          {words.takeSkill}
        </Button>
        <Button onClick={() => onDecide('leave')}>{words.leaveSkill}</Button>
      </div>
    </div>
  );
}

function SkillNews({ news, onChoose }: { news: LookResult; onChoose: (name: string) => void }): JSX.Element {
  const words = settingsWords();
  const { offer, choose = [], same = [], failed = [] } = news;
  const isNothing = !offer && choose.length + same.length + failed.length === 0;
  return (
    <>
      {choose.map(({ name, description }) => (
        <div key={name} class="setting-input">
          <Button small onClick={() => onChoose(name)}>
            {name}
          </Button>
          <span class="hint">{description}</span>
        </div>
      ))}
      {same.length > 0 && <p>{words.skillsSame(same.join(', '))}</p>}
      {failed.map(({ name, why }) => (
        <p key={name} class="card-problem">
          {name}: {why}
        </p>
      ))}
      {isNothing && <p>{words.nothingNew}</p>}
    </>
  );
}

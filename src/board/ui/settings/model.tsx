/** The model: the provider, its key, and one small call to try it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { api } from '../net/api.ts';
import { useResource } from '../net/resource.ts';
import { Button, Shown } from '../parts/common.tsx';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { type CheckLine, Findings, FreshOnly, WithLinks } from './findings.tsx';
import { settingsWords } from './words.ts';

interface Models {
  model: string;
  ollama?: readonly string[];
  /** Other servers that run on the machine. */
  local: readonly { name: string; label: string; models: readonly string[] }[];
  providers: readonly { name: string; label: string; page?: string; usual: string; hasKey: boolean }[];
}

interface ModelAnswer {
  ok: boolean;
  isSaved: boolean;
  findings: readonly CheckLine[];
  fix?: string;
}

export function ModelPart({ state, onSaved }: { state: SettingsShown; onSaved: () => void }): JSX.Element {
  const models = useResource<Models>('/api/setup/models');
  return <Shown of={models}>{(found) => <ModelForm models={found} state={state} onSaved={onSaved} />}</Shown>;
}

/** Returns the models of a server on the machine; undefined for other providers. */
const localModels = ({ ollama, local }: Models, provider: string): readonly string[] | undefined =>
  provider === 'ollama' ? ollama : local.find(({ name }) => name === provider)?.models;

/** The current choice, and the result of its check. */
function useChoice(models: Models, onSaved: () => void) {
  const [provider, ...rest] = models.model.split('/');
  const chosen = useSignal(provider ?? '');
  const model = useSignal(rest.join('/'));
  const key = useSignal('');
  const address = useSignal('');
  const isAsking = useSignal(false);
  const answer = useSignal<ModelAnswer | undefined>(undefined);
  const askIt = async (how: { test?: true; keep?: true }) => {
    isAsking.value = true;
    answer.value = undefined;
    try {
      const body = {
        provider: chosen.value,
        model: model.value.trim(),
        ...(key.value !== '' && { key: key.value.trim() }),
        ...(chosen.value === 'custom' && { address: address.value.trim() }),
        ...how,
      };
      const found = await api<ModelAnswer>('/api/setup/model', { method: 'POST', body });
      answer.value = found;
      if (found.isSaved) {
        key.value = '';
        showNotice(settingsWords().saved);
        onSaved();
      }
    } catch (error) {
      showProblem(error);
    }
    isAsking.value = false;
  };
  const chooseProvider = (name: string) => {
    chosen.value = name;
    answer.value = undefined;
    model.value = models.providers.find((one) => one.name === name)?.usual ?? localModels(models, name)?.[0] ?? '';
  };
  return { chosen, model, key, address, isAsking, answer, askIt, chooseProvider };
}
type ModelChoice = ReturnType<typeof useChoice>;

interface ModelFormProps {
  models: Models;
  state: SettingsShown;
  onSaved: () => void;
}

function ModelForm({ models, state, onSaved }: ModelFormProps): JSX.Element {
  const words = settingsWords();
  const choice = useChoice(models, onSaved);
  const { chosen, isAsking, answer, askIt, chooseProvider } = choice;
  return (
    <form
      class="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        void askIt({});
      }}
    >
      <p>{words.modelNow(models.model)}</p>
      <label class="setting">
        {words.provider}
        <select value={chosen.value} onChange={({ currentTarget: { value } }) => chooseProvider(value)}>
          {models.providers.map(({ name, label, hasKey }) => (
            <option key={name} value={name}>
              {hasKey ? words.withKey(label) : label}
            </option>
          ))}
          <option value="ollama">
            {models.ollama ? words.runsHere('Ollama', models.ollama.length) : words.noOllama}
          </option>
          {models.local.map(({ name, label, models: { length } }) => (
            <option key={name} value={name}>
              {words.runsHere(label, length)}
            </option>
          ))}
          <option value="custom">{words.otherAddress}</option>
          <option value="offline">{words.builtIn}</option>
        </select>
      </label>
      {chosen.value !== 'offline' && <ModelFields models={models} state={state} choice={choice} />}
      <div class="setting-input">
        <Button disabled={isAsking.value} onClick={() => void askIt({ test: true })}>
          {words.test}
        </Button>
        <Button type="submit" kind="main" disabled={isAsking.value}>
          {words.useModel}
        </Button>
        {answer.value?.ok === false && (
          <Button disabled={isAsking.value} onClick={() => void askIt({ keep: true })}>
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
    </form>
  );
}

interface ModelFieldsProps {
  models: Models;
  state: SettingsShown;
  choice: ModelChoice;
}

function ModelFields({ models, state, choice }: ModelFieldsProps): JSX.Element {
  const words = settingsWords();
  const { chosen, model, key, address } = choice;
  const about = models.providers.find(({ name }) => name === chosen.value);
  return (
    <>
      {chosen.value === 'custom' && (
        <label class="setting">
          {words.address}
          <input
            type="text"
            inputMode="url"
            placeholder={words.addressExample}
            value={address.value}
            onInput={({ currentTarget: { value } }) => (address.value = value)}
          />
        </label>
      )}
      <label class="setting">
        {words.modelName}
        <input
          type="text"
          list="model-names"
          autocomplete="off"
          spellcheck={false}
          value={model.value}
          onInput={({ currentTarget: { value } }) => (model.value = value)}
        />
        <datalist id="model-names">
          {localModels(models, chosen.value)?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      {localModels(models, chosen.value) === undefined && chosen.value !== 'ollama' && (
        <FreshOnly state={state}>
          <label class="setting">
            {about?.hasKey ? words.newKey : words.key}
            <input
              type="password"
              autocomplete="off"
              placeholder={words.secretHint}
              value={key.value}
              onInput={({ currentTarget: { value } }) => (key.value = value)}
            />
          </label>
          {about?.page !== undefined && (
            <p class="hint">
              <WithLinks text={words.makeKey(about.page)} />
            </p>
          )}
        </FreshOnly>
      )}
    </>
  );
}

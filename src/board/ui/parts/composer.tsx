/** The message box. A draft stays until it is sent, even if the page is left or closed in between. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Artifact } from '../../../client/shapes.ts';
import { ApiError, request } from '../net/api.ts';
import { type Draft, handedDraft, useComposing } from '../net/composing.ts';
import type { Mode } from '../net/conversation.ts';
import { me } from '../net/session.ts';
import { onDraft, readDraft, writeDraft } from '../net/unsent.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { Icon } from './icons.tsx';
import { ModelChoice } from './model-choice.tsx';
import { showNotice } from './notices.tsx';
import { canRecord, Recorder } from './recorder.tsx';
import { SLASH_ID, SlashList, type SlashMenu, slashOption, useSlash } from './slash.tsx';

export interface ComposerProps {
  about: string;
  isBusy: boolean;
  /** `isSpoken`: the files are the person's own voice. */
  onSend: (text: string, files: readonly Artifact[], mode: Mode, isSpoken?: boolean) => void;
  /** Without it the mode can't be chosen. */
  modes?: boolean;
  /** The task whose model is chosen; absent: that of the person's own conversation. */
  taskId?: string;
  /** No commands and no choice of a model, as for a task that isn't begun. */
  bare?: boolean;
  placeholder?: string;
  onStop?: () => void;
}

interface Upload {
  id: string;
  name: string;
  file?: Artifact;
}

export function Composer(props: ComposerProps): JSX.Element {
  const {
    about,
    isBusy,
    onSend,
    modes = false,
    bare = false,
    placeholder = words.composer.placeholder,
    onStop,
  } = props;
  const offered = useComposing(props.taskId).data.value ?? {};
  const box = useRef<HTMLTextAreaElement>(null);
  const { text, write } = useDraft(about);
  const uploads = useSignal<readonly Upload[]>([]);
  const mode = useSignal<Mode>('steer');
  const isOver = useSignal(false);

  const isLoading = uploads.value.some(({ file }) => file === undefined);
  const canSend = !isLoading && (text.value.trim() !== '' || uploads.value.length > 0);
  const send = () => {
    if (!canSend) return;
    const files = uploads.value.flatMap(({ file }) => file ?? []);
    onSend(text.value.trim(), files, mode.value);
    write('');
    uploads.value = [];
    box.current?.focus();
  };
  const attach = (files: Iterable<File>) => uploadAll(files, uploads);
  const slash = useSlash(text.value, bare ? [] : (offered.commands ?? []), write);
  useHandedDraft(about, ({ text: given, files }) => {
    write(given);
    uploads.value = files.map((file) => ({ id: file.id, name: file.title, file }));
    box.current?.focus();
  });

  return (
    <form
      class={`composer${isOver.value ? ' over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      {...dropping(isOver, attach)}
    >
      <SlashList of={slash} />
      <Uploads of={uploads} />
      <TextBox
        box={box}
        text={text.value}
        slash={slash}
        placeholder={isBusy ? words.composer.placeholderBusy : placeholder}
        onWrite={write}
        onFiles={attach}
        onSend={send}
      />
      <div class="composer-foot">
        <FilePicker onPick={attach} />
        <Voice
          isShown={text.value === '' && uploads.value.length === 0}
          onSend={(sent) => onSend('', [sent], mode.value, true)}
        />
        {modes && isBusy && <ModeChoice of={mode} />}
        {!bare && <ModelChoice of={offered} onCommand={(command) => onSend(command, [], 'steer')} />}
        <span class="grow" />
        {isBusy && onStop !== undefined && (
          <Button icon="stop" onClick={onStop}>
            {words.task.stop}
          </Button>
        )}
        <Button kind="main" type="submit" icon="send" label={words.composer.send} disabled={!canSend} />
      </div>
    </form>
  );
}

function useDraft(about: string): { text: Signal<string>; write: (value: string) => void } {
  const text = useSignal(readDraft(about));
  useEffect(() => {
    text.value = readDraft(about);
    return onDraft(about, () => (text.value = readDraft(about)));
  }, [about, text]);
  const write = (value: string) => {
    text.value = value;
    writeDraft(about, value);
  };
  return { text, write };
}

/** Takes a draft that was made for this box elsewhere. */
function useHandedDraft(about: string, take: (draft: Draft) => void): void {
  const handed = handedDraft.value;
  useEffect(() => {
    if (handed?.about !== about) return;
    handedDraft.value = undefined;
    take(handed);
  }, [handed, about]);
}

const dropping = (isOver: Signal<boolean>, attach: (files: Iterable<File>) => void) => ({
  onDragOver(event: DragEvent) {
    event.preventDefault();
    isOver.value = true;
  },
  onDragLeave() {
    isOver.value = false;
  },
  onDrop(event: DragEvent) {
    event.preventDefault();
    isOver.value = false;
    attach(event.dataTransfer?.files ?? []);
  },
});

/** The text itself: Enter sends it, and the keys of an open menu are the menu's. */
function TextBox(props: {
  box: { current: HTMLTextAreaElement | null };
  text: string;
  slash: SlashMenu;
  placeholder: string;
  onWrite: (text: string) => void;
  onFiles: (files: Iterable<File>) => void;
  onSend: () => void;
}): JSX.Element {
  const { box, text, slash, placeholder, onWrite, onFiles, onSend } = props;
  const isOpen = slash.shown.length > 0;
  return (
    <div class="composer-text" data-text={`${text} `}>
      <textarea
        ref={box}
        rows={1}
        aria-label={words.composer.label}
        placeholder={placeholder}
        value={text}
        aria-autocomplete="list"
        aria-controls={isOpen ? SLASH_ID : undefined}
        aria-activedescendant={isOpen ? slashOption(slash.at) : undefined}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onPaste={(event) => onFiles(event.clipboardData?.files ?? [])}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          const isTaken = slash.onKey(event);
          if (!isTaken && (event.key !== 'Enter' || event.shiftKey)) return;
          event.preventDefault();
          if (!isTaken) onSend();
        }}
      />
    </div>
  );
}

function Uploads({ of: uploads }: { of: Signal<readonly Upload[]> }): JSX.Element | null {
  if (uploads.value.length === 0) return null;
  const remove = (id: string) => {
    uploads.value = uploads.value.filter((other) => other.id !== id);
  };
  return (
    <ul class="uploads">
      {uploads.value.map(({ id, name, file }) => (
        <li key={id} class={file === undefined ? 'coming' : undefined}>
          <Icon name="attach" />
          <span>{file === undefined ? words.composer.uploading(name) : name}</span>
          <Button kind="quiet" small icon="cross" label={words.composer.remove(name)} onClick={() => remove(id)} />
        </li>
      ))}
    </ul>
  );
}

function FilePicker({ onPick }: { onPick: (files: Iterable<File>) => void }): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onPick(event.currentTarget.files ?? []);
          event.currentTarget.value = '';
        }}
      />
      <Button kind="quiet" icon="attach" label={words.composer.attach} onClick={() => picker.current?.click()} />
    </>
  );
}

function ModeChoice({ of: mode }: { of: Signal<Mode> }): JSX.Element {
  return (
    <select
      aria-label={words.composer.mode}
      value={mode.value}
      onChange={(event) => {
        mode.value = event.currentTarget.value as Mode;
      }}
    >
      {(['steer', 'collect', 'followup'] as const).map((name) => (
        <option key={name} value={name}>
          {words.composer.modes[name]}
        </option>
      ))}
    </select>
  );
}

function Voice(props: { isShown: boolean; onSend: (sent: Artifact) => void }): JSX.Element | null {
  if (!props.isShown || !canRecord()) return null;
  return <Recorder onRecorded={(file) => void sendRecording(file, props.onSend)} />;
}

async function sendRecording(file: File, send: (sent: Artifact) => void): Promise<void> {
  try {
    send(await uploaded(file, file.name));
  } catch (error) {
    showUploadProblem(file.name, error);
  }
}

async function uploaded(file: File, name: string): Promise<Artifact> {
  const answer = await request(`/api/uploads?name=${encodeURIComponent(name)}`, { method: 'POST', body: file });
  const { ref, type, size } = (await answer.json()) as { ref: string; type: string; size: number };
  return { id: ref, title: name, type, ref, size };
}

function showUploadProblem(name: string, error: unknown): void {
  const why = error instanceof ApiError ? ` ${error.message}` : '';
  showNotice(words.composer.uploadFailed(name) + why, { warm: true });
}

function uploadAll(files: Iterable<File>, uploads: Signal<readonly Upload[]>): void {
  const most = me.value?.filesPerMessage;
  for (const file of files) {
    if (most !== undefined && uploads.value.length >= most) {
      showNotice(words.composer.tooMany(most), { warm: true });
      return;
    }
    void upload(file, uploads);
  }
}

async function upload(given: File, uploads: Signal<readonly Upload[]>): Promise<void> {
  const id = crypto.randomUUID();
  const name = given.name.trim() || 'file';
  uploads.value = [...uploads.value, { id, name }];
  try {
    const file = await uploaded(given, name);
    uploads.value = uploads.value.map((one) => (one.id === id ? { id, name, file } : one));
  } catch (error) {
    uploads.value = uploads.value.filter((one) => one.id !== id);
    showUploadProblem(name, error);
  }
}

/** The message box. A draft stays until it is sent, even if the page is left in between. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Artifact } from '../../../client/shapes.ts';
import { ApiError, request } from '../net/api.ts';
import type { Mode } from '../net/conversation.ts';
import { me } from '../net/session.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { Icon } from './icons.tsx';
import { showNotice } from './notices.tsx';

const drafts = new Map<string, string>();

export interface ComposerProps {
  /** The key of the draft. */
  about: string;
  isBusy: boolean;
  onSend: (text: string, files: readonly Artifact[], mode: Mode) => void;
  /** Without it the mode can't be chosen. */
  modes?: boolean;
  onStop?: () => void;
}

interface Upload {
  id: string;
  name: string;
  file?: Artifact;
}

export function Composer({ about, isBusy, onSend, modes = false, onStop }: ComposerProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(drafts.get(about) ?? '');
  const uploads = useSignal<readonly Upload[]>([]);
  const mode = useSignal<Mode>('steer');
  const isOver = useSignal(false);
  useEffect(() => {
    text.value = drafts.get(about) ?? '';
  }, [about, text]);

  const isLoading = uploads.value.some(({ file }) => file === undefined);
  const canSend = !isLoading && (text.value.trim() !== '' || uploads.value.length > 0);
  const write = (value: string) => {
    text.value = value;
    drafts.set(about, value);
    if (drafts.size > 100) drafts.delete(drafts.keys().next().value ?? '');
  };
  const send = () => {
    if (!canSend) return;
    const files = uploads.value.flatMap(({ file }) => file ?? []);
    onSend(text.value.trim(), files, mode.value);
    write('');
    uploads.value = [];
    box.current?.focus();
  };
  const attach = (files: Iterable<File>) => uploadAll(files, uploads);

  return (
    <form
      class={`composer${isOver.value ? ' over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        attach(event.dataTransfer?.files ?? []);
      }}
    >
      <Uploads of={uploads} />
      <div class="composer-text" data-text={`${text.value} `}>
        <textarea
          ref={box}
          rows={1}
          aria-label={words.composer.label}
          placeholder={isBusy ? words.composer.placeholderBusy : words.composer.placeholder}
          value={text.value}
          onInput={(event) => write(event.currentTarget.value)}
          onPaste={(event) => attach(event.clipboardData?.files ?? [])}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      </div>
      <div class="composer-foot">
        <FilePicker onPick={attach} />
        {modes && isBusy && <ModeChoice of={mode} />}
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

async function upload(file: File, uploads: Signal<readonly Upload[]>): Promise<void> {
  const id = crypto.randomUUID();
  const name = file.name.trim() || 'file';
  uploads.value = [...uploads.value, { id, name }];
  try {
    const answer = await request(`/api/uploads?name=${encodeURIComponent(name)}`, { method: 'POST', body: file });
    const { ref, type, size } = (await answer.json()) as { ref: string; type: string; size: number };
    uploads.value = uploads.value.map((one) =>
      one.id === id ? { id, name, file: { id, title: name, type, ref, size } } : one,
    );
  } catch (error) {
    uploads.value = uploads.value.filter((one) => one.id !== id);
    const why = error instanceof ApiError ? ` ${error.message}` : '';
    showNotice(words.composer.uploadFailed(name) + why, { warm: true });
  }
}

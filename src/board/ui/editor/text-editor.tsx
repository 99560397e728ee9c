/**
 * A file that is edited here, and perhaps by hand at the same time. Invariants: what is saved was made from what stands there, else both texts
 * are shown and a person decides; neither is lost, whatever is chosen.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, said } from '../net/api.ts';
import { onBehind } from '../net/live.ts';
import { Button, Loading, Problem } from '../parts/common.tsx';
import { ask, note } from '../parts/notices.tsx';
import { guard } from '../router.ts';
import { words } from '../words.ts';
import { CodeEditor } from './code-editor.tsx';
import { Conflict } from './conflict.tsx';
import { mergeTexts } from './merge.ts';

export interface Written {
  text: string;
  hash: string;
}

export interface TextEditorProps {
  name: string;
  language: 'text' | 'yaml';
  load: () => Promise<Written>;
  /** Gives the new hash; throws ApiError 409 with `current` where the base is not what stands there. */
  save: (text: string, baseHash: string) => Promise<{ hash?: string }>;
  /** Looks at what is written: stands below the editor. */
  beside?: (text: string) => ComponentChildren;
  onSaved?: () => void;
}

/** Hand edits are looked for this often while the editor is open. */
const LOOK_MS = 10_000;

export function TextEditor({ name, language, load, save, beside, onSaved }: TextEditorProps): JSX.Element {
  const base = useSignal<Written | undefined>(undefined);
  const draft = useSignal('');
  const version = useSignal(0);
  const theirs = useSignal<Written | undefined>(undefined);
  const problem = useSignal<unknown>(undefined);
  const isSaving = useSignal(false);
  const isDirty = base.value !== undefined && draft.value !== base.value.text;

  /** Puts a text into the editor. */
  const put = (text: string) => {
    draft.value = text;
    version.value += 1;
  };
  const take = (found: Written) => {
    base.value = found;
    put(found.text);
    theirs.value = undefined;
  };
  const look = async () => {
    const found = await load();
    problem.value = undefined;
    const before = base.peek();
    if (before === undefined) take(found);
    else if (found.hash !== before.hash && !isSaving.peek()) {
      if (draft.peek() === before.text || draft.peek() === found.text) take(found);
      else theirs.value = found;
    }
  };
  const looking = useRef(look);
  looking.current = look;
  useEffect(() => {
    const again = () =>
      void looking.current().catch((error: unknown) => {
        if (base.peek() === undefined) problem.value = error;
      });
    again();
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK_MS);
    const stop = onBehind(again);
    addEventListener('focus', again);
    return () => {
      clearInterval(timer);
      stop();
      removeEventListener('focus', again);
    };
  }, [name]);
  useGuard(isDirty);

  const write = async (text: string, baseHash: string) => {
    isSaving.value = true;
    try {
      const { hash } = await save(text, baseHash);
      // Written meanwhile, it stays to be saved.
      base.value = { text, hash: hash ?? (await load()).hash };
      theirs.value = undefined;
      note(words.saved);
      onSaved?.();
    } catch (error) {
      const current = error instanceof ApiError && error.status === 409 ? currentOf(error) : undefined;
      if (current !== undefined) theirs.value = current;
      else note(said(error), { warm: true });
    } finally {
      isSaving.value = false;
    }
  };
  const onSave = () => {
    const from = base.peek();
    if (from !== undefined && draft.peek() !== from.text && theirs.peek() === undefined)
      void write(draft.peek(), from.hash);
  };
  const merge = (found: Written) => {
    const labels = { mine: words.conflict.mine, theirs: words.conflict.theirs };
    const merged = mergeTexts(draft.value, base.value?.text ?? '', found.text, labels);
    base.value = found;
    put(merged.text);
    theirs.value = undefined;
    note(merged.conflicts === 0 ? words.conflict.merged : words.conflict.marked(merged.conflicts));
  };

  if (problem.value !== undefined) return <Problem error={problem.value} retry={() => void look()} />;
  if (base.value === undefined) return <Loading rows={8} />;
  const found = theirs.value;
  return (
    <div class="editor">
      <div class="editor-head">
        <span class="editor-name">{name}</span>
        {isDirty && <span class="editor-dirty">{words.editor.dirty}</span>}
        <span class="grow" />
        <Button kind="quiet" disabled={!isDirty} onClick={() => put(base.peek()?.text ?? '')}>
          {words.editor.revert}
        </Button>
        <Button kind="main" disabled={!isDirty || isSaving.value || found !== undefined} onClick={onSave}>
          {words.editor.save}
        </Button>
      </div>
      {found !== undefined && (
        <Conflict
          mine={draft.value}
          theirs={found.text}
          onTheirs={() => take(found)}
          onMine={() => {
            base.value = found;
            theirs.value = undefined;
            void write(draft.value, found.hash);
          }}
          onMerge={() => merge(found)}
        />
      )}
      <CodeEditor
        text={draft.value}
        version={version.value}
        label={words.editor.label(name)}
        language={language}
        onChange={(text) => (draft.value = text)}
        onSave={onSave}
      />
      {beside?.(draft.value)}
      <p class="hint">{words.editor.hint}</p>
    </div>
  );
}

function currentOf({ body }: ApiError): Written | undefined {
  const current = body.current;
  if (typeof current !== 'object' || current === null) return undefined;
  const { text, hash } = current as { text?: unknown; hash?: unknown };
  return typeof text === 'string' && typeof hash === 'string' ? { text, hash } : undefined;
}

/** What is not saved is not left by accident. */
function useGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    const question = { title: words.editor.leave, yes: words.editor.leaveIt, no: words.editor.stay };
    guard.ask = () => ask(question);
    addEventListener('beforeunload', stay);
    return () => {
      guard.ask = undefined;
      removeEventListener('beforeunload', stay);
    };
  }, [isDirty]);
}

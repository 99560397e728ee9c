/** The editor of one file. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { onBehind } from '../net/live.ts';
import { Button, Loading, Problem } from '../parts/common.tsx';
import { confirm } from '../parts/notices.tsx';
import { guard } from '../router.ts';
import { pageWords } from '../words-pages.ts';
import { CodeEditor } from './code-editor.tsx';
import { Conflict } from './conflict.tsx';
import { EditedText, type Load, type Save } from './edited-text.ts';

export interface TextEditorProps {
  name: string;
  language: 'text' | 'yaml';
  load: Load;
  save: Save;
  /** Renders below the editor, from the current text. */
  beside?: (text: string) => ComponentChildren;
  onSaved?: () => void;
}

const LOOK_MS = 10_000;

export function TextEditor({ name, language, load, save, beside, onSaved }: TextEditorProps): JSX.Element {
  const text = useMemo(() => new EditedText(load, save), [name]);
  text.load = load;
  text.save = save;
  text.onSaved = onSaved;
  useEffect(() => lookAgain(text), [text]);
  useGuard(text.isDirty.value);

  if (text.problem.value !== undefined) return <Problem error={text.problem.value} retry={() => void text.look()} />;
  if (text.base.value === undefined) return <Loading rows={8} />;
  const isDirty = text.isDirty.value;
  const found = text.theirs.value;
  return (
    <div class="editor">
      <div class="editor-head">
        <span class="editor-name">{name}</span>
        {isDirty && <span class="editor-dirty">{pageWords.editor.dirty}</span>}
        <span class="grow" />
        <Button kind="quiet" disabled={!isDirty} onClick={() => text.revert()}>
          {pageWords.editor.revert}
        </Button>
        <Button
          kind="main"
          disabled={!isDirty || text.isSaving.value || found !== undefined}
          onClick={() => void text.keep()}
        >
          {pageWords.editor.save}
        </Button>
      </div>
      {found !== undefined && (
        <Conflict
          mine={text.draft.value}
          theirs={found.text}
          onTheirs={() => text.take(found)}
          onMine={() => void text.replace(found)}
          onMerge={() => text.merge(found)}
        />
      )}
      <CodeEditor
        text={text.draft.value}
        version={text.version.value}
        label={pageWords.editor.label(name)}
        language={language}
        onChange={(written) => (text.draft.value = written)}
        onSave={() => void text.keep()}
      />
      {beside?.(text.draft.value)}
      <p class="hint">{pageWords.editor.hint}</p>
    </div>
  );
}

function lookAgain(text: EditedText): () => void {
  const look = () => void text.look();
  look();
  const timer = setInterval(() => document.visibilityState === 'visible' && look(), LOOK_MS);
  const stop = onBehind(look);
  addEventListener('focus', look);
  return () => {
    clearInterval(timer);
    stop();
    removeEventListener('focus', look);
  };
}

function useGuard(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    const question = { title: pageWords.editor.leave, yes: pageWords.editor.leaveIt, no: pageWords.editor.stay };
    guard.ask = () => confirm(question);
    addEventListener('beforeunload', stay);
    return () => {
      guard.ask = undefined;
      removeEventListener('beforeunload', stay);
    };
  }, [isDirty]);
}

/** The text editor. It is in a shadow root, where its styles need no exception from the page's policy. */
import { history, historyKeymap, indentWithTab, standardKeymap } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
} from '@codemirror/view';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface CodeEditorProps {
  text: string;
  /** A new number makes the editor take over `text`. */
  version: number;
  label: string;
  language: 'text' | 'yaml';
  onChange: (text: string) => void;
  onSave: () => void;
}

const look = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--raised)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.7', minHeight: '320px', maxHeight: '62vh' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 16px 0 4px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '28px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--sunken)' },
  '.cm-name': { color: 'var(--accent)' },
  '.cm-comment': { color: 'var(--ink-3)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
});
/** Highlights YAML keys and comments line by line: a parser would cost more bytes than it is worth. */
const marks = new MatchDecorator({
  regexp: /^(\s*(?:- )?)([\w.-]+)(?=:(?:\s|$))|(?:^|\s)(#.*)$/g,
  decorate: (add, from, to, [, before = '', name]) => {
    const isName = name !== undefined;
    add(isName ? from + before.length : from, to, Decoration.mark({ class: isName ? 'cm-name' : 'cm-comment' }));
  },
});
const colours = ViewPlugin.define(
  (view) => ({
    marks: marks.createDeco(view),
    update(change) {
      this.marks = marks.updateDeco(change, this.marks);
    },
  }),
  {
    decorations: ({ marks }) => marks,
  },
);

export function CodeEditor({ text, version, label, language, onChange, onSave }: CodeEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const told = useRef({ onChange, onSave });
  told.current = { onChange, onSave };

  useEffect(() => {
    const box = host.current;
    if (box === null) return undefined;
    const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
    const save = () => {
      told.current.onSave();
      return true;
    };
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          [lineNumbers(), history(), drawSelection(), highlightActiveLine(), EditorView.lineWrapping],
          keymap.of([
            { key: 'Mod-s', preventDefault: true, run: save },
            ...standardKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: language === 'text' ? 'true' : 'false' }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) told.current.onChange(state.doc.toString());
          }),
          [look, language === 'yaml' ? colours : []],
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = undefined;
      editor.destroy();
    };
  }, [label, language]);

  // Only text from elsewhere is put in: the editor's own text comes back late and would undo later typing.
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [version]);

  return <div ref={host} class="editor-host" />;
}

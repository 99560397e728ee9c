/** What "Always for this task" covers is said in the reader's language; the keys kept with consents stay as they were stored. */
import { describe, expect, it } from 'vitest';
import { messagesIn } from '../../../src/messages/messages.ts';
import { coveredText } from '../../../src/runtime/approvals/covers.ts';

// biome-ignore format: a row is a line
const STORED: readonly [tool: string, kind: string, en: string, de: string][] = [
  ['write_file', 'workspace files', 'files in your workspace', 'Dateien im Arbeitsordner'],
  ['write_file', 'artifacts', 'files of this task', 'Dateien dieser Aufgabe'],
  ['shell', 'the same command, word for word (0a1b2c3d4e5f)', 'the same command, word for word (0a1b2c3d4e5f)', 'derselbe Befehl, Wort für Wort (0a1b2c3d4e5f)'],
  ['web_search', 'searches by Brave', 'searches by Brave', 'Suchen mit Brave'],
  ['docs_find_page', 'questions to docs', 'questions to docs', 'Anfragen an docs'],
  ['fetch_page', 'pages of example.com', 'pages of example.com', 'Seiten von example.com'],
  ['deploy', 'version 00ff00ff00ff00ff', 'deploy, as it is now (version 00ff00ff00ff00ff)', 'deploy, so wie es jetzt ist (Fassung 00ff00ff00ff00ff)'],
  [
    'run_skill_file',
    'scripts/fill.py of pdf, version 00ff00ff00ff00ff',
    'scripts/fill.py of pdf, as it is now (version 00ff00ff00ff00ff)',
    'scripts/fill.py aus pdf, so wie die Datei jetzt ist (Fassung 00ff00ff00ff00ff)',
  ],
  ['write_file', '', 'write file', 'write file'],
  ['notify', 'telegram:1001', 'notify (telegram:1001)', 'notify (telegram:1001)'],
];

describe('what a consent covers', () => {
  it.each(STORED)('%s, kept as "%s"', (tool, kind, en, de) => {
    expect(coveredText({ tool, kind }, messagesIn('en'))).toBe(en);
    expect(coveredText({ tool, kind }, messagesIn('de'))).toBe(de);
  });

  it('shows what cannot be seen in a name from outside', () => {
    expect(coveredText({ tool: 'web_search', kind: 'searches by A\u202Eb' }, messagesIn('de'))).not.toContain('\u202E');
  });
});

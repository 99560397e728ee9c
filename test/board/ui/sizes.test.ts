/** What a browser has to load, zipped, until a page can be used. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { builtPage } from './browser.ts';

const folder = await builtPage();
const assets = readdirSync(path.join(folder, 'assets'));
const textOf = (name: string) => readFileSync(path.join(folder, 'assets', name));
const sizeOf = (text: string | Buffer) => gzipSync(text, { level: 9 }).length / 1024;

/** A chunk and all that it loads at once. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ''] of textOf(name)
    .toString()
    .matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    withImports(imported, found);
  return found;
}
const named = (prefix: string) => assets.find((name) => name.startsWith(prefix) && name.endsWith('.js')) ?? '';
const kilobytes = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + sizeOf(textOf(name)), 0);

const html = readFileSync(path.join(folder, 'index.html'), 'utf8');
const styles = assets.filter((name) => name.endsWith('.css'));
const first = new Set([...withImports(named('board-')), ...styles]);
const task = new Set([
  ...first,
  ...withImports(named('task-')),
  ...assets.filter((name) => /^(markdown|chunks|mdast|line-break)/.test(name)),
]);

describe('the page, zipped', () => {
  test('is seen with all tasks after 60 KB', () => {
    expect(kilobytes(first) + sizeOf(html)).toBeLessThan(60);
  });

  test('shows a task with formatted text after 95 KB', () => {
    expect(kilobytes(task) + sizeOf(html)).toBeLessThan(95);
  });

  test('edits a file after 131 KB, and is 320 KB in all', () => {
    const editor = [...withImports(named('files-')), ...withImports(named('text-editor-'))];
    expect(kilobytes(new Set([...first, ...editor])) + sizeOf(html)).toBeLessThan(131);
    // Its icons and its service worker among it.
    expect(kilobytes(assets) + sizeOf(readFileSync(path.join(folder, 'sw.js')))).toBeLessThan(320);
  });

  test('names nothing but its own files, which change their names with their content', () => {
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names)
      if (name !== '/board/manifest.webmanifest')
        expect(name).toMatch(/^\/board\/assets\/[\w.-]+-[\w-]{8}\.(js|css|png)$/);
    expect(html).not.toMatch(/<script>|<style|\son\w+=|style="/);
  });
});

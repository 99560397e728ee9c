/** Highlights code as nodes. Each language is a file of its own. */
import { createLowlight } from 'lowlight';
import { type ComponentChildren, h } from 'preact';

const low = createLowlight();

type Grammar = Parameters<typeof low.register>[1];
const GRAMMARS: Readonly<Record<string, () => Promise<{ default: Grammar }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const MAX_KEPT = 40;
const kept = new Map<string, ComponentChildren>();

/** @throws if the language can't be loaded */
export async function highlighter(language: string): Promise<(text: string) => ComponentChildren> {
  const { default: grammar } = (await GRAMMARS[language]?.()) ?? {};
  if (grammar === undefined) throw new Error(`no colours for ${language}`);
  low.register(language, grammar);
  return (text) => {
    const key = `${language} ${text}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = nodesOf(low.highlight(language, text).children);
    kept.set(key, made);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}

type Node = ReturnType<typeof low.highlight>['children'][number];

function nodesOf(nodes: readonly Node[]): ComponentChildren {
  return nodes.map((node, index) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return '';
    const names = node.properties.className;
    return h('span', { key: index, class: Array.isArray(names) ? names.join(' ') : '' }, nodesOf(node.children));
  });
}

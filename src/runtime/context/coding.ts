/**
 * Whether a task is coding work, so that its runs are told the five steps of it. Decided by plain signals in what people
 * wrote, in several languages; wrong either way it costs a few lines of prompt. Once found it stays: a prompt that changes back
 * and forth would defeat the provider's cache.
 */
import type { Home } from '../../workspace/home.ts';
import { updateTask } from '../../workspace/tasks.ts';
import type { TaskRecord } from '../../workspace/types.ts';

/** Model calls of one run where nothing is configured. */
export const MAX_STEPS = { usual: 10, coding: 25 } as const;

/** What `maxSteps` means for a task. */
export const stepsFor = (maxSteps: number | 'auto', isCoding: boolean): number =>
  maxSteps === 'auto' ? MAX_STEPS[isCoding ? 'coding' : 'usual'] : maxSteps;

/** Characters that are looked at of each text. */
const LOOKED_AT = 6_000;

/** Words with no letter or digit next to them. */
const words = (...list: string[]): string => `(?<![\\p{L}\\p{N}_])(?:${list.join('|')})(?![\\p{L}\\p{N}_])`;
/** For text in lower case: working out both cases of so many letters takes ten milliseconds of a start. */
const any = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'), 'u');

/** Code itself, a compiler's or an interpreter's complaint, a diff. */
const STRONG: readonly RegExp[] = [
  /^ {0,3}(?:```|~~~)[ \t]*(?:[cr]|c\+\+|cpp|c#|csharp|ts|tsx|js|jsx|typescript|javascript|py|python|go|golang|rs|rust|java|kotlin|swift|php|ruby|rb|sh|bash|zsh|sql|html|css|scss|diff|patch|dockerfile|lua|perl|scala|elixir|haskell|vue|svelte)\b/im,
  /^\s*at .{1,200}(?:\(|:)[^\s()]{1,200}:\d+(?::\d+)?\)?\s*$/m,
  /Traceback \(most recent call last\)|^\s*File "[^"\n]{1,200}", line \d+|Exception in thread "|^goroutine \d+ \[|panicked at /m,
  /\b(?:Type|Syntax|Reference|Range|Value|Key|Attribute|Import|Index|Name|ModuleNotFound)Error:|\bNullPointerException\b|[Ss]egmentation fault/,
  /\berror(?: TS\d{3,5}|\[E\d{4}\]):?|\bnpm ERR!|\b(?:fatal )?error: .{0,80}\bexpected\b/,
  /^diff --git |^@@ -\d+(?:,\d+)? \+\d+/m,
];

/** Done to nothing but programs. */
const CODE_VERBS = any(
  words('refactor(?:ing|ed)?', 'debug(?:ging|ged)?', 'recompile', 'transpile', 'lint(?:ing)?', 'unit[- ]?tests?'),
  words('refaktorier\\w*', 'programmier(?:e|en|t)?', 'refactoris\\p{L}+', 'refactoriza\\p{L}*', 'refatora\\p{L}*'),
  'отрефактор|рефактор|отлад[ьи]|重构|调试|リファクタ|デバッグ|코드 ?리팩',
);

/** Done to programs and to other things. */
const VERBS = any(
  words(
    'implement(?:ing)?',
    'fix(?:ing|es)?',
    'add',
    'write',
    'build',
    'code',
    'program',
    'port',
    'migrate',
    'optimi[sz]e',
  ),
  words(
    'create',
    'make',
    'change',
    'update',
    'rewrite',
    'review',
    'test',
    'extend',
    'remove',
    'find',
    'solve',
    'patch',
  ),
  words(
    'implementier\\w*',
    'beheb\\w*',
    'reparier\\w*',
    'schreib\\w*',
    'bau\\w*',
    'änder\\w*',
    'korrigier\\w*',
    'füge?',
  ),
  words(
    'implément\\p{L}+',
    'corrig\\p{L}+',
    '(?:é|e)cri[st]?',
    'écrire',
    'ajout\\p{L}+',
    'répar\\p{L}+',
    'modifi\\p{L}+',
  ),
  words(
    'implementa\\p{L}*',
    'implemente',
    'arregl\\p{L}+',
    'escrib\\p{L}+',
    'corrij\\p{L}+',
    'añad\\p{L}+',
    'escrev\\p{L}+',
  ),
  words(
    'corregg\\p{L}+',
    'scriv\\p{L}+',
    'aggiung\\p{L}+',
    'napisz',
    'napraw',
    'zaimplementuj',
    'popraw',
    'yaz',
    'düzelt',
  ),
  'реализу|исправ|напиши|добавь|почини|实现|修复|编写|写一个|修正|実装|書いて|作って|구현|수정|고쳐',
);

/** What programs are made of. */
const THINGS = any(
  words(
    'bugs?',
    'codebase',
    'source code',
    'code',
    'functions?',
    'endpoints?',
    'api',
    'regex',
    'sql',
    'compiler',
    'linter',
  ),
  words(
    'repo(?:sitory)?',
    'pull requests?',
    'merge requests?',
    'commits?',
    'git',
    'ci',
    'dockerfile',
    'makefile',
    'npm',
  ),
  words('stack ?trace', 'test suite', 'failing tests?', 'typescript', 'javascript', 'python', 'java', 'rust', 'golang'),
  words('c\\+\\+(?!\\p{L})', 'kotlin', 'php', 'html', 'css', 'react', 'node\\.?js', 'django', '(?:bash|shell) script'),
  words(
    'quellcode',
    'funktion(?:en)?',
    'programmfehler',
    'skript',
    'bogues?',
    'fonctions?',
    'código',
    'funci(?:ó|o)n(?:es)?',
  ),
  words(
    'função',
    'funções',
    'codice',
    'funzion[ei]',
    'kod(?:zie|u)?',
    'funkcj\\p{L}+',
    'fonksiyon\\p{L}*',
    'hata ayıkla',
  ),
  '(?<!\\p{L})(?:баг|код)(?:[аеуи]|ом)?(?!\\p{L})|функци[июя]|скрипт|代码|函数|脚本|漏洞|コード|関数|バグ|코드|함수|버그',
  // A file of source, by its name.
  '[\\w-]+\\.(?:tsx?|jsx?|mjs|cjs|py|go|rs|java|kt|swift|cc|cpp|hpp|cs|php|rb|sh|sql|scss|vue|svelte|lua|ipynb)(?![\\w.-]*[\\w-])',
);

/** Codes and functions that are none. */
const OTHER_CODES =
  /\b(?:access|dress|post(?:al)?|zip|promo|discount|voucher|pin|area|country|bar|qr|door|gate|pairing|verification|tax)[- ]?codes?\b|\bcodes? of (?:conduct|ethics|practice|honou?r)\b/g;

/** Texts for people, whatever they are about. */
const PROSE = any(
  '\\b(?:write|draft|compose|rewrite)\\s+(?:\\S+\\s+){0,3}?(?:letter|e-?mail|mail|poem|essay|speech|story|song|toast|invitation|obituary|novel|card|reply|blog|article|tweet|post)\\b',
  '\\bschreib\\w*\\s+(?:\\S+\\s+){0,3}?(?:brief|e-?mail|mail|gedicht|rede|einladung|geschichte|aufsatz|lied)\\b',
  '\\b(?:écri\\w*|escrib\\w*|escrev\\w*|scriv\\w*)\\s+(?:\\S+\\s+){0,3}?(?:lettre|carta|lettera|poème|poema|poesia|discours|discurso|e-?mail|courriel|correo)\\b',
);

/**
 * Pure. `recent` are the words at hand, the names of files sent along among them; each text counts by itself.
 */
export function isCodingTask(goal: string, recent: readonly string[]): boolean {
  return [goal, ...recent].some((text) => {
    // Long runs of blanks say nothing, and cost the patterns their square.
    const looked = text.slice(0, LOOKED_AT).replace(/\s{4,}/g, (run) => (run.includes('\n') ? '\n\n' : '  '));
    if (STRONG.some((pattern) => pattern.test(looked))) return true;
    const lower = looked.toLowerCase();
    if (PROSE.test(lower)) return false;
    const rest = lower.replace(OTHER_CODES, ' ');
    return CODE_VERBS.test(rest) || (VERBS.test(rest) && THINGS.test(rest));
  });
}

/** Whether this task is coding work, remembered in its record once it is. */
export async function codingOf(home: Home, task: TaskRecord, recent: readonly string[]): Promise<boolean> {
  if (task.coding) return true;
  if (!isCodingTask(task.goal, recent)) return false;
  await updateTask(home, task.id, (record) => ({ ...record, coding: true }), { sync: false });
  return true;
}

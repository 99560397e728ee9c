/** Every kind of file and folder of a home, as they stand in one that was filled by a dialogue. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { segmentNames } from '../../src/engine/local/segment.ts';
import type { FileKind } from './case.ts';

const FOLDERS = [
  ...['access', 'access/approvals', 'conversations', 'conversations/tasks', 'conversations/settings', 'usage', 'cache'],
  ...['run', 'spool', 'spool/log', 'spool/dead', 'spool/unsure'],
  ...['spool/ledger', 'spool/jobs', 'agents', 'agents/default', 'agents/default/sessions', 'artifacts', 'jobs'],
  ...['skills', 'skills/greet', 'playbooks', 'workspace', 'workspace/memory', 'workspace/memory/suggestions', 'vibers'],
];

export function kindsOf(home: string): FileKind[] {
  const all = fs.readdirSync(home, { recursive: true, encoding: 'utf8' });
  const first = (pattern: RegExp) => all.find((name) => pattern.test(name)) ?? '';
  const current = path.basename(fs.readlinkSync(path.join(home, 'workspace', 'session-log')), '.jsonl');
  const day = path.basename(first(/^spool\/ledger\/.*jsonl$/), '.jsonl');
  const segment = segmentNames(path.join(home, 'spool', 'log')).at(-1) ?? '';
  const binding = createHash('sha256').update('person:alex').digest('hex').slice(0, 24);
  // biome-ignore format: a row is a line
  const kinds: FileKind[] = [
    ...['paired', 'pending', 'links', 'link-codes', 'sessions'].map((name) => ({...json(`access/${name}.json`), isEmpty: '[]' as const })),
    { ...json('access/owners.json'), isEmpty: '{}' },
    json(first(/^access\/approvals\/.*\.json$/), 'access/approvals'),
    json(`conversations/${binding}.json`, 'conversations'),
    { ...json(`conversations/tasks/${current}.json`, 'conversations/tasks'), isEmpty: '[]' },
    { ...json(first(/^conversations\/settings\/.*\.json$/), 'conversations/settings'), isEmpty: '{}' },
    json(`artifacts/${current}/task.json`, 'task.json'),
    { ...json(`artifacts/${current}/artifacts.jsonl`, 'artifacts.jsonl'), is: 'lines' },
    { ...json(first(/task\.md$/), 'task.md'), is: 'words' },
    { ...json(`agents/default/sessions/${current}.jsonl`, 'session'), is: 'lines' },
    { ...json(`spool/log/${segment}.jsonl`, 'spool/log'), is: 'lines', holds: ['new', 'cur', 'out'] },
    { ...json(first(/^spool\/log\/.*\.keys$/), 'spool/log keys'), is: 'derived' },
    { ...json('spool/closed'), is: 'derived' },
    ...['dead', 'unsure'].map((state): FileKind => ({ ...json(first(new RegExp(`^spool/${state}/.*json$`)), `spool/${state}`), is: 'derived' })),
    { ...json(`spool/ledger/${day}.jsonl`, 'spool/ledger'), is: 'lines' },
    json('spool/jobs/digest.json', 'job state'),
    { ...json(first(/^usage\/.*jsonl$/), 'usage'), is: 'lines' },
    json(first(/^workspace\/memory\/suggestions\/.*json$/), 'suggestion'),
    { ...json('workspace/memory/provenance.jsonl', 'provenance'), is: 'lines' },
    ...['cache/cache.sqlite', 'workspace/memory.sqlite'].map((file): FileKind => ({ ...json(file), is: 'derived' })),
    { ...json('run/lock.sqlite'), is: 'derived', mayRefuse: true },
    { ...json('run/gateway.json'), is: 'derived' },
    // A configuration without a setting is the usual one.
    { ...json('config.json'), mayRefuse: true, except: ['null', '{}'] },
    ...['agents/default.yaml', 'jobs/digest.yaml', 'skills/greet/SKILL.md', 'playbooks/review.md'].map(words),
    ...['workspace/MEMORY.md', 'workspace/USER.md', 'workspace/memory/2026-01-05.md'].map(words),
    ...[...FOLDERS, `artifacts/${current}`].map((file): FileKind => ({ ...json(file, `${file}/`), is: 'folder', ...holdsOf(file) })),
  ];
  return kinds.filter(({ file }) => file !== '' && fs.existsSync(path.join(home, file)));
}

const json = (file: string, name = file): FileKind => ({ name, file, is: 'json' });
const words = (file: string): FileKind => ({ name: file, file, is: 'words' });

/** What waits in a folder of the spool. */
function holdsOf(folder: string): Pick<FileKind, 'holds'> {
  return folder === 'spool' || folder === 'spool/log' ? { holds: ['new', 'cur', 'out'] } : {};
}

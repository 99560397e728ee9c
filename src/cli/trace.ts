/** `viber trace ID`: everything the spool, the ledger and the session know of one message. Reads only. */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../errors.ts';
import type { LedgerLine } from '../runtime/queue/ledger.ts';
import { type CliContext, EXIT } from './command.ts';

interface Found {
  state: string;
  file: string;
  value: Record<string, unknown>;
}

function* spoolFiles(spool: string, prefix: string): Generator<Found> {
  const days = fs.readdirSync(path.join(spool, 'done')).map((day) => path.join('done', day));
  for (const state of ['new', 'cur', 'out', 'unsure', 'dead', ...days]) {
    for (const name of fs.readdirSync(path.join(spool, state))) {
      if (!name.startsWith(prefix) || !name.endsWith('.json')) continue;
      const value = JSON.parse(fs.readFileSync(path.join(spool, state, name), 'utf8')) as Record<string, unknown>;
      yield { state, file: path.join('spool', state, name), value };
    }
  }
}

function ledgerLines(spool: string, prefix: string): LedgerLine[] {
  const folder = path.join(spool, 'ledger');
  return fs
    .readdirSync(folder)
    .sort()
    .flatMap((name) =>
      fs
        .readFileSync(path.join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line.includes(`"key":"${prefix}`))
        .map((line) => JSON.parse(line) as LedgerLine),
    );
}

export async function run({ args, home, json, print }: CliContext): Promise<number> {
  const id = args[0] ?? '';
  if (!/^[0-9a-f]{8,32}$/.test(id))
    throw new UserError('usage: viber trace ID, with the id from an answer, a log line or /status');
  const spool = path.join(home, 'spool');
  if (!fs.existsSync(spool)) throw new UserError(`${home} has no spool: no gateway has run there`);
  const found = [...spoolFiles(spool, id)];
  const ledger = ledgerLines(spool, id);
  if (found.length === 0)
    throw new UserError(`no message with trace ${id} is known; finished ones are kept for 30 days`);
  if (json) {
    print(JSON.stringify({ files: found, ledger }));
    return EXIT.ok;
  }
  for (const { state, file, value } of found) {
    print(`${state.padEnd(16)} ${file}`);
    for (const key of ['acceptedAt', 'lane', 'attempts', 'deadReason', 'reason']) {
      if (value[key] !== undefined) print(`                 ${key}: ${String(value[key])}`);
    }
  }
  for (const line of ledger)
    print(`${line.at}  part ${line.part} ${line.what}${line.id === undefined ? '' : ` as ${line.id}`}`);
  return EXIT.ok;
}

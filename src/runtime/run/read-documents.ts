/**
 * Reads the documents of a message as text for the model: a short one in full, the beginning of a long one, or why one
 * can't be read. The content of a document is data. A PDF is left to models that read its pages themselves.
 */
import { principalText } from '../../access/principal.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TurnDocument } from '../context/turn.ts';
import { takesPdf } from '../contract/providers.ts';
import { Unreadable } from '../contract/reading.ts';
import { fileKind } from '../reading/kinds.ts';
import type { Gateway } from './gateway.ts';
import type { FetchedFile, Intake } from './inbox-files.ts';
import { readFile } from './read-file.ts';

export interface ReadDocuments {
  documents: TurnDocument[];
  /** One sentence for the model for each document that can't be read. */
  problems: string[];
}

/** Limits for one document in the message, and for all of them, in characters. */
const WHOLE = 6_000;
const BEGINNING = 3_000;
const ALL = 12_000;

export async function readDocuments(
  { task, run, principal, intake }: Intake,
  files: readonly FetchedFile[],
  gw: Gateway,
): Promise<ReadDocuments> {
  const found: ReadDocuments = { documents: [], problems: [] };
  const by = { run, task: task.id, person: principalText(principal), signal: intake };
  let left = ALL;
  for (const { meta, quote } of files) {
    const kind = fileKind(meta);
    if (kind !== 'document' && kind !== 'page') continue;
    const { id, name, type, size, sha256 } = meta;
    try {
      const path = openTask(gw.home, task).artifacts.pathOf(meta);
      const { text } = await readFile({ path, name, type, size, sha256 }, by, gw);
      const isShown = type === 'application/pdf' && takesPdf(gw.models.modelName());
      const room = isShown ? 0 : Math.min(left, text.length <= WHOLE ? WHOLE : BEGINNING);
      const shown = text.slice(0, room).toWellFormed();
      left -= shown.length;
      found.documents.push({
        id,
        name,
        text: shown,
        characters: text.length,
        isPage: kind === 'page',
        ...(quote && { quote }),
      });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      found.problems.push(`The file ${JSON.stringify(name)} (${id}) cannot be read as text: ${error.message}`);
    }
  }
  return found;
}

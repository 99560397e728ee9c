/** Checks which names are free for an added skill. */
import fs from 'node:fs';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { cleanName } from '../../lib/text.ts';
import { silentLog } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { bundledSkills, Skills } from '../catalog.ts';
import { recover } from './recover.ts';

export const skillNames = (root: string): string[] =>
  entriesIn(root).flatMap((each) => (each.isDirectory() ? [each.name] : []));

/** @throws UserError when the name belongs to another skill, bundled or in the home, in any case */
export async function refuseTaken(root: string, name: string): Promise<void> {
  recover(root);
  const isSame = (entry: fs.Dirent) => entry.name.toLowerCase().replace(/\.skill\.md$/, '') === name;
  const same = entriesIn(root).find(isSame);
  if (same) throw new UserError(say('adding.taken', { name: cleanName(same.name) }));
  const skills = new Skills({
    bundled: bundledSkills(),
    user: root,
    viber: () => path.join(root, '.none'),
    reserved: [],
    log: silentLog(),
    watch: false,
  });
  try {
    await Promise.all([skills.start(), skills.open('default')]);
    const other = skills.find('default', name);
    if (other?.level === 'bundled') throw new UserError(say('adding.bundled', { name }));
    if (other) throw new UserError(say('adding.taken', { name: cleanName(path.basename(path.dirname(other.file))) }));
  } finally {
    await skills.close();
  }
}

function entriesIn(root: string): fs.Dirent[] {
  if (!fs.existsSync(root)) return [];
  const entries = fs.readdirSync(root, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

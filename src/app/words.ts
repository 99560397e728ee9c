/**
 * Reads the files that people write once after the start, so that unreadable ones are reported before somebody notices
 * their effect.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { namesIn, reportOnce } from '../lib/damage.ts';
import { readPeoplesText } from '../lib/json.ts';
import { type Home, vibersOf } from '../workspace/home.ts';

const MAX_FILES = 500;

/** Returns the names of files in these folders, relative to the home, in descending order of name. */
function* wordFiles(home: Home): Generator<string> {
  const inside = (folder: string, pattern: RegExp) =>
    namesIn(path.join(home.root, folder))
      .flatMap((name) => (pattern.test(name) ? [`${folder}/${name}`] : []))
      .reverse();
  for (const viber of vibersOf(home)) {
    const folder = path.relative(home.root, home.viberDir(viber));
    yield* inside(folder, /\.md$/i);
    yield* inside(`${folder}/memory`, /\.md$/i);
  }
  yield* inside('playbooks', /\.md$/i);
  yield* inside('agents', /\.ya?ml$/i);
  yield* inside('jobs', /\.ya?ml$/i);
  for (const name of namesIn(home.skills)) if (isFolder(path.join(home.skills, name))) yield `skills/${name}/SKILL.md`;
}

/**
 * Returns whether it is a folder. Reports a skill's folder that is something else; files with an extension aren't ours.
 */
function isFolder(file: string): boolean {
  const is = fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  const about = { lost: 'a skill', next: 'It was not changed: fix or delete it.', tell: true };
  if (!is && !path.basename(file).includes('.'))
    reportOnce(`${file} isn't a folder`, { ...about, file, why: "isn't a folder" });
  return is;
}

export async function checkTexts(home: Home): Promise<void> {
  let looked = 0;
  for (const name of wordFiles(home)) {
    if (++looked > MAX_FILES) return;
    // `task.md` is the link to the current task's plan, which may be missing.
    if (path.basename(name) !== 'task.md') readPeoplesText(path.join(home.root, name));
    if (looked % 20 === 0) await turn();
  }
}

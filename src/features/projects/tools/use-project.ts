/**
 * `use_project`: chooses the task's project. If the person named it, that counts as their consent; otherwise they are
 * asked, because the run may then change its files.
 */
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { perRun } from '../../../runtime/tools/bind.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { FeatureRun } from '../../gateway.ts';
import { cloneInto, parseRepository, type Repository } from '../clone.ts';
import { findProjects, matchProject, type Project } from '../find.ts';
import { rootsOf, whyNotChosen } from '../open.ts';
import { absolute } from '../roots.ts';

const MAX_LISTED = 30;

const input = z.object({
  project: z.string().min(1).max(1_000),
  /** The allowed folder to clone into, if the project is given as an address. */
  into: z.string().max(1_000).exactOptional(),
});

export const useProject = defineTool({
  name: 'use_project',
  describe:
    'Choose the project on this machine that this task works in, by name or path, to get tools for its files; the https address of a repository clones it.',
  input,
  effect: 'idempotent',
  doing: 'doing.project',
  about: { argument: 'project', doing: 'doing.projectThis' },
  ownWords: true,
  changesTools: true,
  consent: 'each',
  async asksBefore({ project }, run: FeatureRun) {
    if (await repositoryFor(project, run)) return true;
    const { name, folder } = await chosen(project, run);
    return run.own.mode !== 'execute' && !isNamedByPerson([name, path.basename(folder)], run.order.words);
  },
  // The question shows this folder, so the call must use exactly this one.
  async settled({ project, into }, run) {
    const repository = await repositoryFor(project, run);
    if (repository) return { project: repository.url, into: rootFor(into, run) };
    return { project: (await chosen(project, run)).folder };
  },
  asks({ project, into }, _run, { messages, plain, code }) {
    if (into !== undefined) {
      const given = { url: code(project), folder: code(into) };
      return { text: messages.text('consent.cloneProject', given), yes: messages.text('consent.clone') };
    }
    const given = { name: plain(path.basename(project)), folder: code(project) };
    return { text: messages.text('consent.useProject', given), yes: messages.text('consent.useIt') };
  },
  async execute({ project, into }, run, { signal }) {
    const { order, gw } = run;
    const repository = await repositoryFor(project, run);
    const { folder, name } = repository
      ? { name: repository.name, folder: await cloneInto(rootFor(into, run), repository, signal) }
      : await chosen(project, run);
    const why = whyNotChosen({ name, folder }, gw);
    if (why !== undefined) throw new UserError(why);
    await openTask(gw.home, order.task.id).update((record) => ({ ...record, project: folder }));
    return { project: name, folder };
  },
});

/** Prefers an existing project, because its path may look like an address. */
async function repositoryFor(project: string, run: FeatureRun): Promise<Repository | undefined> {
  const repository = parseRepository(project);
  return repository && matchProject(project, await known(run).list()).found.length === 0 ? repository : undefined;
}

/**
 * Returns the allowed folder to clone a repository into.
 * @throws UserError
 */
function rootFor(wanted: string | undefined, run: FeatureRun): string {
  const roots = rootsOf(run.gw);
  const asked = wanted === undefined ? undefined : absolute(wanted);
  const root = asked === undefined ? roots[0] : roots.find((one) => one === asked);
  if (root === undefined) throw new UserError(`Repositories are cloned into one of: ${roots.join(', ')}.`);
  return root;
}

const known = perRun((run: FeatureRun) => ({ list: () => findProjects(rootsOf(run.gw)) }));

/** @throws UserError that lists the projects */
async function chosen(wanted: string, run: FeatureRun): Promise<Project> {
  const all = await known(run).list();
  const { found, near } = matchProject(wanted, all);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const list = (projects: readonly Project[]) =>
    projects
      .slice(0, MAX_LISTED)
      .map(({ folder }) => folder)
      .join(', ');
  if (only) throw new UserError(`Several projects have this name: ${list(found)}. Ask the person which one.`);
  if (all.length === 0) throw new UserError('There are no projects in the folders that the owner has allowed.');
  const hint = near === undefined ? `There are ${list(all)}.` : `Did you mean ${near}?`;
  throw new UserError(`There is no project "${wanted.slice(0, 100)}". ${hint}`);
}

/** Returns whether the person's own message contains the name as a whole word. */
export function isNamedByPerson(names: readonly string[], texts: readonly string[]): boolean {
  const said = texts.join('\n').toLowerCase();
  return names.some((name) => {
    const wanted = name.toLowerCase();
    for (let at = said.indexOf(wanted); at >= 0; at = said.indexOf(wanted, at + 1))
      if (!isOfWord(said.charAt(at - 1)) && !isOfWord(said.charAt(at + wanted.length))) return true;
    return false;
  });
}

const isOfWord = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);

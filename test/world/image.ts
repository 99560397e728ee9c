/** Builds the root filesystem of an image from the Dockerfile's own steps, without a container engine. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { addNode, copyRoot, KEPT, keptDebian, network, PATH, RELEASE } from './debian.ts';
import { isIgnored, pairsOf, readDockerfile, type Stage, type Step } from './dockerfile.ts';
import { mustRunInside } from './inside.ts';

const REPOSITORY = path.join(import.meta.dirname, '../..');

export interface Image {
  root: string;
  env: Record<string, string>;
  folder: string;
  user: string;
  stage: Stage;
}

/**
 * @param folder where the roots of its stages are made
 * @param values what `--build-arg` gives
 */
export async function buildImage(folder: string, values: Readonly<Record<string, string>> = {}): Promise<Image> {
  const stages = readDockerfile(fs.readFileSync(path.join(REPOSITORY, 'Dockerfile'), 'utf8'));
  const built = new Map<string, Image>();
  let last: Image | undefined;
  for (const [index, stage] of stages.entries()) {
    const root = path.join(folder, `${index}-${stage.name || 'final'}`);
    const before = built.get(stage.from);
    last = before ? { ...before, root: await copyRoot(before.root, root), stage } : await baseImage(stage, root);
    last.env = { ...last.env };
    for (const step of stage.steps) await take(step, last, built, values);
    built.set(stage.name, last);
  }
  if (!last) throw new Error('the Dockerfile has no stage');
  return last;
}

/** Stands for the image that can't be fetched: the same release of Debian, with Node. */
async function baseImage(stage: Stage, root: string): Promise<Image> {
  const [, release] = /^node:24[\d.]*-(\w+)-slim@sha256:[0-9a-f]{64}$/.exec(stage.from) ?? [];
  if (release !== RELEASE) throw new Error(`nothing here stands for ${stage.from}`);
  await copyRoot(await keptDebian([]), root);
  await addNode(root);
  return { root, env: { PATH }, folder: '/', user: 'root', stage };
}

async function take(step: Step, image: Image, built: Map<string, Image>, values: Readonly<Record<string, string>>) {
  const { root } = image;
  switch (step.name) {
    case 'ENV':
      Object.assign(image.env, pairsOf(step));
      return;
    case 'ARG': {
      const [name = '', value] = step.text.split('=');
      const given = values[name] ?? value;
      if (given !== undefined) image.env[name] = given;
      return;
    }
    case 'WORKDIR':
      image.folder = step.text;
      fs.mkdirSync(path.join(root, step.text), { recursive: true });
      return;
    case 'USER':
      image.user = step.text;
      return;
    case 'COPY':
      return copy(step, image, built);
    case 'RUN': {
      const { env, shown } = network();
      const cache = path.join(KEPT, 'npm-of-root');
      fs.mkdirSync(cache, { recursive: true });
      const inside = {
        ...{ root, folder: image.folder, shown, volumes: { '/run/npm': cache } },
        env: { HOME: path.join('/', 'root'), npm_config_cache: '/run/npm', ...env, ...image.env },
      };
      await mustRunInside(inside, ['/bin/sh', '-c', step.text], { timeoutMs: 1_200_000 });
    }
  }
}

function copy({ words, from }: Step, { root, folder }: Image, built: Map<string, Image>): void {
  const to = path.join(root, path.resolve(folder, words.at(-1) ?? ''));
  const source = from === undefined ? undefined : built.get(from);
  if (from !== undefined && !source) throw new Error(`no stage ${from}`);
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true } as const;
  for (const word of words.slice(0, -1)) {
    if (source) {
      const file = path.join(source.root, word);
      fs.cpSync(file, fs.statSync(file).isDirectory() ? to : path.join(to, path.basename(file)), options);
    } else if (word === '.') {
      for (const file of contextFiles()) fs.cpSync(path.join(REPOSITORY, file), path.join(to, file), options);
    } else fs.cpSync(path.join(REPOSITORY, word), path.join(to, path.basename(word)), options);
  }
}

/** The files that `docker build` would send: tracked or new, and not ignored. */
function contextFiles(): string[] {
  const patterns = fs.readFileSync(path.join(REPOSITORY, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const listed = execFileSync(
    'git',
    ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: REPOSITORY, encoding: 'utf8' },
  );
  return listed.split('\0').filter((file) => {
    return file !== '' && !isIgnored(file, patterns) && fs.existsSync(path.join(REPOSITORY, file));
  });
}

/** Reads a Dockerfile: https://docs.docker.com/reference/dockerfile/. Throws at an instruction that it doesn't know. */

export interface Step {
  name: 'RUN' | 'COPY' | 'ENV' | 'WORKDIR' | 'USER' | 'ARG';
  /** After `--from=`, of COPY. */
  from?: string;
  words: string[];
  /** All after the name. */
  text: string;
}

export interface Stage {
  /** An image, or the name of an earlier stage. */
  from: string;
  name: string;
  steps: Step[];
  volumes: string[];
  entrypoint: string[];
  command: string[];
  /** The command of the health check. */
  health: string[];
}

const STEPS = ['RUN', 'COPY', 'ENV', 'WORKDIR', 'USER', 'ARG'] as const;
const isStep = (name: string): name is Step['name'] => (STEPS as readonly string[]).includes(name);

export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of instructions(text)) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    if (name === 'FROM') {
      const [, from = '', as] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({
        ...{ from, name: as ?? '', steps: [], volumes: [], entrypoint: [], command: [], health: [] },
      });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`before the first FROM: ${line}`);
    if (isStep(name)) stage.steps.push(stepOf(name, rest));
    else if (name === 'VOLUME') stage.volumes.push(...rest.split(/\s+/));
    else if (name === 'ENTRYPOINT') stage.entrypoint = listIn(rest);
    else if (name === 'CMD') stage.command = listIn(rest);
    else if (name === 'HEALTHCHECK') stage.health = listIn(rest.slice(rest.indexOf('CMD') + 3));
    else if (name !== 'EXPOSE' && name !== 'LABEL') throw new Error(`unknown instruction: ${line}`);
  }
  return stages;
}

/** Joins continued lines, and leaves out comments, also those between continued lines. */
function instructions(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const joined: string[] = [];
  let open = '';
  for (const line of lines) {
    const isContinued = /\\\s*$/.test(line);
    open += isContinued ? line.replace(/\\\s*$/, '') : line;
    if (isContinued) continue;
    joined.push(open.trim());
    open = '';
  }
  return joined;
}

function stepOf(name: Step['name'], rest: string): Step {
  const words = rest.match(/(?:"[^"]*"|\S)+/g) ?? [];
  const options = words.filter((word) => word.startsWith('--'));
  const from =
    name === 'COPY' ? options.find((word) => word.startsWith('--from='))?.slice('--from='.length) : undefined;
  if (name === 'COPY' && options.some((word) => !word.startsWith('--from=')))
    throw new Error(`unknown option of COPY: ${rest}`);
  return {
    name,
    text: rest,
    words: name === 'COPY' ? words.filter((word) => !word.startsWith('--')) : words,
    ...(from !== undefined && { from }),
  };
}

function listIn(text: string): string[] {
  const list: unknown = JSON.parse(text);
  if (Array.isArray(list) && list.every((word) => typeof word === 'string')) return list;
  throw new Error(`no list of words: ${text}`);
}

/** `NAME=value NAME="more words"` */
export function pairsOf({ words }: Step): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1).replace(/^"(.*)"$/s, '$1')];
    }),
  );
}

/** Returns whether `.dockerignore` leaves a file of the context out. */
export function isIgnored(file: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*')
      ? !file.includes('/') && file.endsWith(pattern.slice(1))
      : `${file}/`.startsWith(`${pattern}/`),
  );
}

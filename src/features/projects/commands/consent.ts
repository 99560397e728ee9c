/** Asks people before a project's command runs, and defines what they may allow. */
import path from 'node:path';
import { hashText } from '../../../lib/files.ts';
import { lines, type MessageKey, type Messages, sentences, type Text, words } from '../../../messages/messages.ts';
import type { Phrasing, Sentence } from '../../../runtime/contract/sentence.ts';
import type { CallConsent } from '../../../runtime/contract/tool.ts';
import { fenced, spellInvisible } from '../../../runtime/reply/show.ts';
import { perRun } from '../../../runtime/tools/bind.ts';
import type { ConsentKey, Json } from '../../../workspace/types.ts';
import { pathInProject } from '../files.ts';
import type { ProjectRun } from '../tools/run.ts';
import type { Risk } from './effects.ts';
import { branchesOf, gitEnvironment, isCommitAsked, keptPaths } from './git.ts';
import { personsIdentity, settingsFor } from './identity.ts';
import { endangered, type Judgement, judgeCommand, type ReadCommand, readCommand } from './judge.ts';
import { findPullRequest, isPullRequest, type PullRequest } from './pull-request.ts';
import { findPush, type Push, pushWords, shownPush } from './push.ts';

export interface CommandCall {
  command: string;
  cwd?: string | undefined;
  timeout?: number | undefined;
  background?: boolean | undefined;
}

const TOOL = 'run_command';
/** Longer commands are shown in the details or as a file. */
const MAX_INLINE = 900;
const MAX_JOINED = 1_800;
/** The most characters of kinds on a button. */
const MAX_KINDS = 28;

/** What will run outside the sandbox, as shown to the person. */
interface Outside {
  /** Set for `git push`. */
  push?: Push;
  /** Set for `gh pr create`. */
  pull?: PullRequest;
}

export interface JudgedCommand extends Outside {
  judgement: Judgement;
}

/** What is known about this run's calls, for the questions about them. */
const judged = perRun((_run: ProjectRun) => new Map<string, JudgedCommand>());

const callKey = ({ command, cwd = '' }: CommandCall): string => JSON.stringify([command, cwd]);

const read = ({ command }: CommandCall, run: ProjectRun): ReadCommand => readCommand(command, run.project().folder);

export async function judgeCall(call: CommandCall, run: ProjectRun): Promise<JudgedCommand> {
  const { folder } = run.project();
  const cwd = pathInProject(run.project(), call.cwd ?? '.').join('/');
  const command = read(call, run);
  const paths = endangered(command, { cwd, folder });
  const [environment, kept, { branch, main }] = await Promise.all([
    gitEnvironment(folder),
    keptPaths(folder, paths),
    branchesOf(folder),
  ]);
  const guardsBranch = branch !== undefined && branch === main && !isCommitAsked(branch, run.words);
  const facts = { folder, cwd, isPlainGit: environment?.isPlain === true, guardsBranch, kept };
  const judgement = judgeCommand(command, facts);
  const isPush = judgement.is === 'always' && judgement.why === 'push';
  const found: JudgedCommand = {
    judgement,
    ...(isPush && { push: await findPush(folder, pushWords(command.commands), run.writable()) }),
    ...(command.commands &&
      isPullRequest(command.commands) && { pull: await findPullRequest(folder, command.commands) }),
  };
  judged(run).set(callKey(call), found);
  return found;
}

/**
 * Returns the text to run. Sets the person's name for commits in the command's private home. If nobody was asked about
 * the command, variables keep git from running other programs.
 */
export async function textToRun(call: CommandCall, run: ProjectRun): Promise<string> {
  const { judgement } = judged(run).get(callKey(call)) ?? (await judgeCall(call, run));
  if (judgement.is !== 'free') {
    const settings = settingsFor(await personsIdentity());
    // On a line of its own, so that it can't change the meaning of the command.
    return settings === ''
      ? call.command
      : `[ -e ~/.gitconfig ] || printf %s ${shellWord(settings)} > ~/.gitconfig\n${call.command}`;
  }
  const environment = await gitEnvironment(run.project().folder);
  if (!environment) return call.command;
  const exported = Object.entries(environment.variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return `export ${exported.join(' ')}\n${call.command}`;
}

const shellWord = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

const kindKey = (kind: string): string => `commands like ${kind}`;

/** What a person was shown that runs outside the sandbox. Exactly this is done. */
export const shownOutside = (call: CommandCall, run: ProjectRun): Outside => judged(run).get(callKey(call)) ?? {};

/** Covers all commands of a project, with the network that it has now. */
export function allCommands(run: ProjectRun): ConsentKey | undefined {
  if (!run.isSandboxed) return undefined;
  return { tool: TOOL, kind: `all commands in ${run.project().folder}, network ${run.network()}` };
}

/** The parts of the tool that deal with consent. */
export const commandConsent = {
  isOutside: () => true,
  kindOf: (call: CommandCall, run: ProjectRun): string =>
    `the same command, word for word (${hashText(JSON.stringify([callKey(call), run.project().folder])).slice(0, 12)})`,
  async judges(call: CommandCall, run: ProjectRun): Promise<CallConsent> {
    const { judgement } = await judgeCall(call, run);
    if (!run.isSandboxed || judgement.is === 'always') return { is: 'each', kinds: [] };
    if (judgement.is === 'free' && !call.background) return { is: 'free', kinds: [] };
    return { is: 'usual', kinds: (read(call, run).kinds ?? []).map(kindKey) };
  },
  coveredBy: (_call: CommandCall, run: ProjectRun): ConsentKey | undefined => allCommands(run),
  async shows(call: CommandCall, run: ProjectRun): Promise<Json> {
    const { judgement, push, pull } = await judgeCall(call, run);
    const about = judgement.is === 'always' ? judgement.why : judgement.is;
    const how = [call.cwd ?? '', call.timeout ?? 0, call.background === true, run.isSandboxed, run.network()];
    return [run.project().folder, about, ...how, ...(push ? [shownPush(push)] : []), ...(pull ? [{ ...pull }] : [])];
  },
  asks: (call: CommandCall, run: ProjectRun, phrasing: Phrasing): Sentence => sentenceFor([call], run, phrasing),
  asksTogether: (calls: readonly CommandCall[], run: ProjectRun, phrasing: Phrasing): Sentence =>
    sentenceFor(calls, run, phrasing),
};

const RISK_WORDS = {
  unread: 'consent.riskUnread',
  rights: 'consent.riskRights',
  push: 'consent.riskPublish',
  publish: 'consent.riskPublish',
  delete: 'consent.riskDelete',
  discard: 'consent.riskDiscard',
  overwrite: 'consent.riskOverwrite',
  history: 'consent.riskHistory',
  branch: 'consent.riskBranch',
} as const satisfies Record<Risk, MessageKey>;

function sentenceFor(calls: readonly CommandCall[], run: ProjectRun, phrasing: Phrasing): Sentence {
  const { messages, plain, code } = phrasing;
  const found = calls.map((call) => judged(run).get(callKey(call)));
  const [only, ...others] = found;
  const name = plain(run.project().name);
  if (only?.push && others.length === 0) return pushSentence(only.push, name, phrasing);
  if (only?.pull && others.length === 0) return pullSentence(only.pull, phrasing);
  const whole = calls.map(({ command }) => command).join('\n').length;
  const most = calls.length === 1 ? MAX_INLINE : MAX_JOINED;
  const shown = calls.map((call) => {
    const text = whole <= most ? fenced(spellInvisible(call.command), 'sh') : code(call.command);
    const how = howText(call, phrasing);
    return how === '' ? text : `${text}\n${how}`;
  });
  const reasons = found.flatMap((one) => (one?.judgement.is === 'always' ? [one.judgement.why] : []));
  const why = [...new Set(reasons)].map((reason) => messages.text(RISK_WORDS[reason]));
  const ask = messages.text('consent.runHere', { name, n: calls.length });
  const where = run.isSandboxed
    ? messages.text('consent.inSandbox', { network: run.network() })
    : messages.text('consent.withoutSandbox');
  const kinds = new Set(calls.flatMap((call) => read(call, run).kinds ?? []));
  return {
    text: lines(ask, words(shown.join('\n')), sentences(where, ...why)),
    yes: messages.text('consent.run'),
    no: messages.text('consent.dontRun'),
    always: alwaysLabel([...kinds], messages),
    ...(run.isSandboxed && { all: messages.text('consent.allCommands', { name: spellInvisible(run.project().name) }) }),
  };
}

function alwaysLabel(kinds: readonly string[], messages: Messages): Text {
  const all = kinds.join(', ');
  return all.length <= MAX_KINDS
    ? messages.text('consent.alwaysKind', { kind: all })
    : messages.text('consent.alwaysKinds', { n: kinds.length });
}

/** Describes where a command starts and how long it may run, if it differs from the default. */
function howText({ cwd, timeout, background }: CommandCall, { messages, code }: Phrasing): string {
  const isElsewhere = cwd !== undefined && path.posix.normalize(cwd) !== '.';
  return sentences(
    isElsewhere ? messages.text('consent.runIn', { folder: words(code(cwd)) }) : '',
    background === true ? messages.text('consent.runBehind') : '',
    timeout === undefined ? '' : messages.text('consent.runFor', { n: Math.ceil(timeout) }),
  );
}

function pullSentence({ repository, title, base, head }: PullRequest, { messages, plain, code }: Phrasing): Sentence {
  const given = { title: plain(title), repository: code(repository), head: code(head) };
  return {
    text:
      base === undefined
        ? messages.text('consent.pullRequest', given)
        : messages.text('consent.pullRequestInto', { ...given, base: code(base) }),
    yes: messages.text('consent.openIt'),
    no: messages.text('common.no'),
  };
}

function pushSentence(push: Push, name: string, { messages, plain, code }: Phrasing): Sentence {
  const rest = push.count - push.subjects.length;
  const given = {
    name,
    branch: code(push.branch),
    to: code(push.to),
    remote: plain(push.remote),
    address: code(push.address),
  };
  const list = push.subjects.map((subject) => `- ${plain(subject)}`);
  return {
    text: lines(
      messages.text(push.isForced ? 'consent.pushForced' : 'consent.push', { ...given, n: push.count }),
      ...list.map((line) => words(line)),
      ...(rest > 0 ? [messages.text('consent.moreCommits', { n: rest })] : []),
    ),
    yes: messages.text('consent.pushIt'),
    no: messages.text('consent.dontPush'),
  };
}

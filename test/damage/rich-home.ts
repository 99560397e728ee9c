/** A home with a file of every kind: a dialogue with plans, files, people, links, jobs, questions and messages that wait. */
import path from 'node:path';
import { openPairing } from '../../src/access/pairing.ts';
import { inspectSpool } from '../../src/engine/local/inspect.ts';
import { openStore } from '../../src/engine/local/store.ts';
import { openSessions } from '../../src/features/board/sessions.ts';
import type { Turn } from '../emulators/llm.ts';
import { put as putFile } from '../helpers/temp.ts';
import { ALEX, type DamageWorld, KIM, LEE, SAM } from './world.ts';

const JOB = `name: Digest\nschedule: "0 9 * * *"\nprompt: Say good morning\nenabled: true\n`;
const SKILL = '---\nname: greet\ndescription: Greets people.\n---\nSay hello to the person.\n';
const PLAYBOOK = '# Review\n\n## Steps\n\n1. Read the draft\n2. Say what is wrong\n';

const call = (name: string, args: Record<string, unknown>): Turn => ({ toolCalls: [{ name, arguments: args }] });

export async function fillHome(world: DamageWorld): Promise<void> {
  const { home, llm } = world;
  const put = (name: string, text: string) => putFile(home, name, text);
  put('agents/default.yaml', 'model: local/test-model\n');
  put('jobs/digest.yaml', JOB);
  put('skills/greet/SKILL.md', SKILL);
  put('playbooks/review.md', PLAYBOOK);
  put('workspace/USER.md', '# User\n\nAlex likes short answers.\n');
  put('workspace/memory/2026-01-05.md', '# 2026-01-05\n\n- Spoke about falcons.\n');
  await world.start();
  llm.scriptFor('plan the falcon', [
    call('update_plan', { plan: { goal: 'Falcon', steps: [{ id: '1', title: 'Look', status: 'done' }] } }),
    call('create_artifact', { title: 'Notes', type: 'text/markdown', content: '# Falcon notes' }),
    call('remember', { text: 'Falcons are fast' }),
    call('memory_search', { query: 'falcon' }),
    { text: 'Planned.\n<memory_suggestion>Add to MEMORY.md: - Alex works on falcons</memory_suggestion>' },
  ]);
  await world.ask(ALEX, 'plan the falcon', 'Planned');
  await world.ask(ALEX, '/live status', 'Live');
  await world.ask(ALEX, '/queue followup', 'followup');
  for (const person of [SAM, LEE]) await world.ask(person, 'let me in', 'code');
  const logins = openSessions(path.join(home, 'access'));
  logins.trade(logins.issue('machine', undefined, Date.now()), 'a browser', Date.now());
  logins.issue('chat', undefined, Date.now());
  const pairing = openPairing(path.join(home, 'access'), true);
  const [sam] = pairing.pending(Date.now());
  if (sam) pairing.approve(sam.code, Date.now());
  await world.ask(SAM, 'hello from sam', 'hello from sam');
  const shown = await world.ask(ALEX, '/link', 'Your code is');
  const code = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(shown)?.[0] ?? '';
  await world.ask(KIM, `/link ${code}`, 'you are alex');
  await world.ask(ALEX, '/link', 'Your code is');
  llm.scriptFor('ask kim', [call('ask_user', { question: 'Red or blue?', options: ['Red', 'Blue'] }), { text: 'ok' }]);
  await world.ask(KIM, '/new ask kim', 'Red or blue');
  llm.scriptFor('hello again', [
    call('create_artifact', { title: 'Greeting', type: 'text/markdown', content: '# Hello' }),
    { text: 'hello again' },
  ]);
  await world.ask(ALEX, '/new hello again', 'hello again');
  await world.ask(ALEX, '/jobs', 'Digest');
  await world.settled();
  await world.stop();
  await leaveWork(world);
}

/** A message or an answer, as the spool holds it. */
interface Stored {
  seq: number;
  trace?: string;
  message: { text?: string; message?: { text: string } };
}

/** Messages as a crash leaves them: waiting, in work, answered and not sent, given up, unsure. */
async function leaveWork({ home }: DamageWorld): Promise<void> {
  const root = path.join(home, 'spool');
  const found = inspectSpool(root).map(({ value }) => value as Stored);
  const inbound = found.find(({ message }) => message.message?.text === 'hello again');
  const outbound = found.find(({ trace, message }) => trace !== undefined && message.text?.includes('hello again'));
  if (!inbound || !outbound) throw new Error('the home has no finished message');
  // Small segments: the first of them is closed, and has its keys in a file.
  const store = openStore({ root, freeBytes: 0, segmentBytes: 1 });
  for (const [n, state] of (['new', 'cur', 'dead'] as const).entries()) {
    const id = String(n + 1).repeat(32);
    const message = { ...inbound.message.message, id: `left-${state}`, text: `left in ${state}` };
    const entry = { ...inbound.message, message };
    await store.put(state, id, { ...inbound, id, dedupeId: id, seq: inbound.seq + n + 1, message: entry, attempts: 0 });
  }
  for (const [n, state] of (['out', 'unsure'] as const).entries()) {
    const key = `left-${state}`;
    const message = {
      ...outbound.message,
      id: key,
      text: `left in ${state}`,
      replyTo: undefined,
      placeholder: undefined,
    };
    await store.put(state, key, {
      ...outbound,
      key,
      seq: outbound.seq + n + 1,
      createdAt: Date.now(),
      message,
      sending: false,
    });
  }
  await store.close();
}

/** A home with a file of every kind: a dialogue with plans, files, people, links, jobs, questions and messages that wait. */
import fs from 'node:fs';
import path from 'node:path';
import { openPairing } from '../../src/access/pairing.ts';
import type { Turn } from '../emulators/llm.ts';
import { ALEX, type DamageWorld, KIM, LEE, SAM } from './world.ts';

const JOB = `name: Digest\nschedule: "0 9 * * *"\nprompt: Say good morning\nenabled: true\n`;
const SKILL = '---\nname: greet\ndescription: Greets people.\n---\nSay hello to the person.\n';
const PLAYBOOK = '# Review\n\n## Steps\n\n1. Read the draft\n2. Say what is wrong\n';

const call = (name: string, args: Record<string, unknown>): Turn => ({ toolCalls: [{ name, arguments: args }] });

export async function fillHome(world: DamageWorld): Promise<void> {
  const { home, llm } = world;
  const put = (name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  };
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

/** Messages as a crash leaves them: waiting, in work, answered and not sent, given up, unsure. */
async function leaveWork({ home }: DamageWorld): Promise<void> {
  const spool = path.join(home, 'spool');
  const [day = ''] = fs.readdirSync(path.join(spool, 'done'));
  const done = path.join(spool, 'done', day);
  const files = fs
    .readdirSync(done)
    .map((name) => ({ name, value: JSON.parse(fs.readFileSync(path.join(done, name), 'utf8')) }));
  const inbound = files.find(({ value }) => value.message?.message?.text === 'hello again');
  const outbound = files.find(
    ({ name, value }) => name.endsWith('.out.json') && value.message?.text.includes('hello again'),
  );
  if (!inbound || !outbound) throw new Error('the home has no finished message');
  const put = (state: string, name: string, value: unknown) =>
    fs.writeFileSync(path.join(spool, state, `${name}.json`), `${JSON.stringify(value)}\n`);
  for (const [n, state] of ['new', 'cur', 'dead'].entries()) {
    const id = String(n + 1).repeat(32);
    const message = { ...inbound.value.message.message, id: `left-${state}`, text: `left in ${state}` };
    const entry = { ...inbound.value.message, message };
    put(state, id, { ...inbound.value, id, dedupeId: id, seq: inbound.value.seq + n + 1, message: entry, attempts: 0 });
  }
  for (const [n, state] of ['out', 'unsure'].entries()) {
    const key = `left-${state}`;
    const message = {
      ...outbound.value.message,
      id: key,
      text: `left in ${state}`,
      replyTo: undefined,
      placeholder: undefined,
    };
    put(state, key, {
      ...outbound.value,
      key,
      seq: outbound.value.seq + n + 1,
      createdAt: Date.now(),
      message,
      sending: false,
    });
  }
}

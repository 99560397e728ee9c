/** A home after long use: 1,000 tasks, 100 skills, 200 jobs, and a session of 5,000 turns behind one conversation. */
import fs from 'node:fs';
import path from 'node:path';
import { conversationKey } from '../src/channels/channel.ts';
import { openConversations } from '../src/runtime/conversations/conversations.ts';
import { openHome } from '../src/workspace/home.ts';
import { newTaskId } from '../src/workspace/tasks/record.ts';
import type { SessionEntry, TaskRecord } from '../src/workspace/types.ts';

const TASKS = 1_000;
const TURNS = 5_000;
const SKILLS = 100;
const JOBS = 200;

export async function fillHome(root: string, account: string, chat: number): Promise<void> {
  const home = await openHome(root);
  let current = '';
  for (let n = 0; n < TASKS; n++) {
    const at = new Date(Date.UTC(2026, 0, 1 + (n % 300), 8, n % 60));
    const id = newTaskId(at);
    current = id;
    const record: TaskRecord = {
      ...{ id, viber: 'default', goal: `Goal number ${n}`, title: `Goal number ${n}`, state: 'completed', runs: 3 },
      ...{ people: ['telegram:1'], conversations: [`telegram@${account}:${n}`] },
      ...{ createdAt: at.toISOString(), updatedAt: at.toISOString() },
    };
    fs.mkdirSync(home.taskDir(id), { recursive: true });
    fs.writeFileSync(path.join(home.taskDir(id), 'task.json'), JSON.stringify(record));
    fs.writeFileSync(
      path.join(home.taskDir(id), 'task.md'),
      `# Current Task\n\n## Goal\nGoal ${n}\n\n## Plan\n- [x] one\n- [ ] two\n`,
    );
  }
  for (let n = 0; n < SKILLS; n++) {
    const folder = path.join(root, 'skills', `skill-${n}`);
    fs.mkdirSync(folder, { recursive: true });
    const text = `---\nname: skill-${n}\ndescription: Knows the answer to question ${n}.\n---\nRead the question, then answer it.\n`;
    fs.writeFileSync(path.join(folder, 'SKILL.md'), text);
  }
  for (let n = 0; n < JOBS; n++) {
    const text = `name: Job ${n}\nschedule: "0 ${n % 24} 1 1 *"\nprompt: What is new about ${n}?\n`;
    fs.writeFileSync(path.join(root, 'jobs', `job-${n}.yaml`), text);
  }
  const header: SessionEntry = {
    type: 'session',
    version: 1,
    taskId: current,
    viber: 'default',
    createdAt: new Date().toISOString(),
  };
  const lines: string[] = [JSON.stringify(header)];
  for (let n = 0; n < TURNS; n++) {
    const run = n.toString(16).padStart(12, '0');
    const at = new Date(Date.UTC(2026, 5, 1) + n * 60_000).toISOString();
    const text = `Turn ${n}: what about the point that we discussed before?`;
    const from = { channel: 'telegram', user: `telegram:${chat}`, name: 'Sam' };
    const message: SessionEntry = { type: 'message', id: run.padEnd(32, '0'), run, at, text, from, files: [] };
    const answer = `Answer ${n}: that point is settled, and nothing else has changed since then.`;
    const result: SessionEntry = {
      type: 'result',
      run,
      at,
      state: 'completed',
      text: answer,
      summary: answer,
      artifactRefs: [],
    };
    lines.push(JSON.stringify(message), JSON.stringify(result));
  }
  fs.writeFileSync(home.sessionPath('default', current), `${lines.join('\n')}\n`);
  const address = { channel: 'telegram', account, chat: String(chat) };
  await openConversations(home.conversations).bind({
    key: conversationKey(address),
    taskId: current,
    viber: 'default',
    address,
    isDirect: true,
  });
}

/**
 * Skills from elsewhere, added in a chat: shown, agreed to by an owner with a button, there at once, and the same after
 * a restart.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { keysIn } from '../helpers/spool.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorldOptions } from '../platforms/world.ts';
import { commit, folderOf, repositoryOf, serve, serveGit, skillText, zipOfFiles } from '../skills/add/sources.ts';

const PDF = {
  'SKILL.md': skillText('pdf', 'metadata: {openclaw: {requires: {bins: [no-such-program-x]}}}\n', 'First.'),
  'scripts/fill.py': 'print(1)\n',
};

async function open(webOrigins: string[] = [], options: PlatformWorldOptions = {}, on?: ChannelName) {
  const config = { skills: { webOrigins } };
  const chat = await openChat({ channel: { live: 'off', injection: 'followup' }, config, ...options }, on);
  chat.world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
  return chat;
}

/** Everything that is seen in a place after so many answers, once it has a text; the buttons of all of it. */
async function seenAfter(platform: Platform, place: Place, after: number, text: string | RegExp) {
  await waitFor(platform, place, { after, text });
  return () => {
    const seen = platform.answers(place).slice(after);
    return {
      text: seen.map((one) => one.text).join('\n'),
      buttons: seen.flatMap(({ buttons }) => buttons),
      files: seen.flatMap(({ files }) => files),
    };
  };
}

async function look(platform: Platform, place: Place, args: string, text: string | RegExp) {
  const after = platform.answers(place).length;
  await platform.command(place, 'skills', args);
  return seenAfter(platform, place, after, text);
}

async function press(platform: Platform, place: Place, label: string, text: string | RegExp) {
  const after = platform.answers(place).length;
  await platform.press(place, label);
  return seenAfter(platform, place, after, text);
}

describe.each(onEveryPlatform)('/skills on %s', (name) => {
  it('shows a skill with its text, adds it after a yes that comes after a restart, and lists it', async () => {
    const source = folderOf(PDF);
    const { world, platform, dm } = await open([], {}, name);
    const asked = await look(platform, dm, `add ${source}`, 'Add it only if you trust');
    expect(asked().text).toContain('pdf, from ');
    expect(asked().text).toContain('Does pdf for people.');
    expect(asked().text).toContain('I read it as instructions. 2 files');
    expect(asked().text).toContain('Programs in it: scripts/fill.py. It needs no-such-program-x.');
    await eventually(() => {
      const [file] = asked().files;
      expect(file && platform.bytes(file).toString()).toBe(PDF['SKILL.md']);
    });
    await eventually(() => expect(asked().buttons).toEqual(['Add', "Don't add"]));
    expect(fs.existsSync(path.join(world.home, 'skills/pdf'))).toBe(false);
    await world.restart();
    folderOf({ 'SKILL.md': skillText('pdf', '', 'Another one by now.') }, source);
    await press(platform, dm, 'Add', 'Ready to use: pdf.');
    expect(world.read('skills/pdf/SKILL.md')).toBe(PDF['SKILL.md']);
    expect(JSON.parse(world.read('skills/pdf/.source.json'))).toMatchObject({ source, by: 'person:alex' });
    // The question says how it ended; Discord has shown it to one person alone, where nothing can be changed, and a
    // press means the same.
    if (name === 'discord') await press(platform, dm, 'Add', 'Ready to use: pdf.');
    else
      await eventually(() => {
        expect(asked().buttons).toEqual([]);
        expect(asked().text).toMatch(/Done by alex/i);
      });
    expect(fs.readdirSync(path.join(world.home, 'skills'))).toEqual(['pdf']);
    await look(platform, dm, '', /pdf.*Does pdf for people/);
  });

  it('is for owners: members are told so, here and by a button that is not theirs', async () => {
    const source = folderOf(PDF);
    const { world, platform } = await open([], {}, name);
    const sam = platform.dm('sam');
    for (const args of [`add ${source}`, 'update', 'remove chart'])
      expect((await platform.command(sam, 'skills', args, 'sam')).text).toContain('Only an owner can add');
    expect((await platform.command(sam, 'skills', '', 'sam')).text).toContain('chart');
    expect(fs.readdirSync(path.join(world.home, 'skills'))).toEqual([]);
    expect(fs.existsSync(path.join(world.home, 'cache/skill-offers'))).toBe(false);
    // Only Telegram shows everybody what a command is answered.
    if (name !== 'telegram') return;
    await look(platform, platform.room, `add ${source}`, 'Add it only if you trust');
    const after = platform.answers(platform.room).length;
    await platform.press(platform.room, 'Add', 'sam');
    await waitFor(platform, platform.room, { after, text: 'Only an owner can add' });
    expect(fs.readdirSync(path.join(world.home, 'skills'))).toEqual([]);
  });
});

describe('/skills', () => {
  it('tells who asked, once, that a look was lost when the process was killed while it fetched', async () => {
    const source = await serve(() => undefined);
    const { world, platform, dm } = await open([source.origin], { process: true });
    await look(platform, dm, `add ${source.origin}/pdf.zip`, "I'm looking at it.");
    const after = platform.answers(dm).length;
    await world.kill();
    const told = await seenAfter(platform, dm, after, 'I was restarted before I could tell you about');
    expect(told().text).toContain('pdf.zip');
    await eventually(() => expect(told().buttons).toEqual(['Retry']));
    const asked = source.asked.length;
    await press(platform, dm, 'Retry', "I'm looking at it.");
    expect(source.asked.length).toBeGreaterThan(asked);
    const last = platform.answers(dm).length;
    await world.kill();
    await seenAfter(platform, dm, last, 'I was restarted before');
    const settled = platform.answers(dm).length;
    // A kill before its receipt is noted would have it sent again, as Telegram cannot tell what it has.
    await eventually(() => expect(keysIn(world.home, 'out')).toEqual([]));
    await world.kill();
    expect((await platform.command(dm, 'help')).text).toContain('/');
    expect(
      platform
        .answers(dm)
        .slice(settled)
        .map(({ text }) => text)
        .join(),
    ).not.toContain('I was restarted');
  });

  it('updates from a repository with what has changed as a file, and removes after a yes', async () => {
    const folder = repositoryOf(PDF);
    const git = await serveGit({ 'pdf.git': folder });
    const { world, platform, dm } = await open([git.origin]);
    await look(platform, dm, `add ${git.origin}/pdf.git`, 'Add it only if you trust');
    await press(platform, dm, 'Add', 'Ready to use: pdf.');
    await look(platform, dm, 'update', 'Nothing new for pdf.');
    commit(folder, { 'SKILL.md': skillText('pdf', '', 'Second.'), 'new.md': 'new\n' });
    fs.appendFileSync(path.join(world.home, 'skills/pdf/scripts/fill.py'), 'print(2)\n');
    const asked = await look(platform, dm, 'update', 'Changed: ');
    expect(asked().text).toContain('New: new.md.');
    expect(asked().text).toContain('Somebody has changed this by hand: scripts/fill.py.');
    await eventually(() => {
      const [file] = asked().files;
      expect(file && platform.bytes(file).toString()).toMatch(/-First\.\n\+Second\.[\s\S]*-print\(2\)/);
    });
    await eventually(() => expect(asked().buttons).toEqual(['Update', 'Leave it']));
    await press(platform, dm, 'Update', 'Ready to use: pdf.');
    expect(world.read('skills/pdf/SKILL.md')).toContain('Second.');
    expect(world.read('skills/pdf/scripts/fill.py')).toBe('print(1)\n');
    await look(platform, dm, 'remove pdf', 'Remove the skill pdf?');
    await press(platform, dm, 'Remove', 'Removed: pdf.');
    expect(fs.existsSync(path.join(world.home, 'skills/pdf'))).toBe(false);
  });

  it('takes an archive that was sent in the chat, by its name', async () => {
    const { world, platform, dm } = await open();
    const file = { name: 'pdf.zip', bytes: zipOfFiles(PDF), type: 'application/zip' };
    platform.say(dm, 'this is for you', { files: [file] });
    await waitFor(platform, dm, { text: /^re / });
    await look(platform, dm, 'add pdf.zip', 'Add it only if you trust');
    await press(platform, dm, 'Add', 'Ready to use: pdf.');
    expect(world.read('skills/pdf/SKILL.md')).toBe(PDF['SKILL.md']);
    await look(platform, dm, 'add other.zip', "I don't know where");
  });

  it('says so when it is restarted while it looks', async () => {
    const web = await serve(() => undefined);
    const { world, platform, dm } = await open([web.origin]);
    await platform.command(dm, 'skills', `add ${web.origin}/slow.zip`);
    await eventually(() => expect(web.asked).toHaveLength(1));
    await world.restart();
    await waitFor(platform, dm, { text: 'I was restarted while I was looking at it' });
    expect(fs.readdirSync(path.join(world.home, 'skills'))).toEqual([]);
  });

  it('lets an owner choose among several, says what cannot be had, and answers others meanwhile', async () => {
    let answer = (): void => expect.fail('nobody has asked');
    const web = await serve((_request, response) => {
      const bytes = zipOfFiles({ 'a/SKILL.md': skillText('tea'), 'b/SKILL.md': skillText('coffee') });
      answer = () => void response.end(bytes);
    });
    const { platform, dm } = await open([web.origin]);
    const began = platform.answers(dm).length;
    expect((await platform.command(dm, 'skills', `add ${web.origin}/two.zip`)).text).toContain("I'm looking at it");
    await platform.command(dm, 'status');
    answer();
    const asked = await seenAfter(platform, dm, began, /There are 2 skills/);
    await eventually(() => expect(asked().buttons).toEqual(expect.arrayContaining(['coffee', 'tea'])));
    await platform.press(dm, 'coffee');
    await eventually(() => expect(web.asked).toHaveLength(2));
    answer();
    await waitFor(platform, dm, { text: /coffee, from / });
    await press(platform, dm, "Don't add", 'Nothing was changed.');
    await look(platform, dm, 'add https://127.0.0.1/x.git', "127.0.0.1 isn't a public address");
    await look(platform, dm, 'add ext::sh', 'over https only');
    await look(platform, dm, 'add', 'Tell me where it is');
  });
});

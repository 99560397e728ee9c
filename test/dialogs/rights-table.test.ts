/** Who may do what: each cell of the tables in docs/rights.md, on each platform. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { onEveryPlatform } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Person, type Place, type Platform } from '../platforms/platform.ts';
import { openPlatforms, PLATFORMS, type PlatformName } from '../platforms/world.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/rights.md');
const CODE = /[A-HJ-NP-Z2-9]{8}/;
const DIRECT = 'In direct';
const LISTED = 'In a listed group';
const ELSEWHERE = 'In another group';

/** How the door stands for people who are on no list, and who plays which row of the tables there. */
const DOORS: readonly { dm: string; isAllowed?: true; people: Readonly<Record<string, Person>> }[] = [
  { dm: 'pairing', people: { owner: 'alex', member: 'sam', stranger: 'kim' } },
  { dm: 'allowlist', isAllowed: true, people: { listed: 'kim' } },
  { dm: 'open', people: { guest: 'kim' } },
  { dm: 'allowlist', people: { unlisted: 'kim' } },
];

/** By the columns: what a person is shown for whom it was done. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  '/help': /^Write to me/,
  '/status': /runs? so far|no task yet/,
  '/tasks': /newest first/,
  '/skills': /chart/,
  '/memory': /memory is empty/,
  '/jobs': /no scheduled jobs/,
  '/board': /https?:\/\//,
  '/status OTHER': /other work/,
  '/open OTHER': /We continue/,
  '/stop OTHER': /nothing to stop/,
};

interface Cell {
  at: string;
  who: string;
  action: string;
  means: string;
}

/** All tables below the second level's headings; a row may stand for several kinds of people, a column for several actions. */
function cells(): Cell[] {
  const sections = fs.readFileSync(PAGE, 'utf8').split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [at = '', ...lines] = section.split('\n');
    const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').map((each) => each.trim()));
    const [head = [], , ...body] = rows;
    const actions = head.slice(2, -1).map((each) => each.replaceAll('`', '').split(', '));
    return body.flatMap(([, people = '', ...given]) =>
      people
        .split(', ')
        .flatMap((who) =>
          actions.flatMap((each, index) => each.map((action) => ({ at, who, action, means: given[index] ?? '' }))),
        ),
    );
  });
}

let serial = 0;

/** What they are shown; where nothing is to be done, once the gateway has nothing left to do. */
async function shownFor({ action, means }: Cell, platform: Platform, place: Place, by: Person, other: string) {
  const isSilent = means === '-';
  const shown = SHOWN[action];
  if (shown) {
    const [name = '', given = ''] = action.slice(1).split(' ');
    const answer = platform.command(place, name, given && other, by);
    if (!isSilent) return { text: (await answer).text, shown };
    // A refusal, or nothing at all.
    let text: string | undefined;
    answer.then(
      (seen) => {
        text = seen.text;
      },
      () => undefined,
    );
    await quiet({ or: () => text !== undefined });
    return { text: text ?? '', shown };
  }
  const words = `cell ${++serial}`;
  const before = platform.answers(place).length;
  const said = platform.say(place, words, { by, mention: action === 'mentions' });
  const wanted = new RegExp(means === 'code' ? CODE : `${words}$`);
  const seen = () => [
    ...platform.answers(place).slice(before),
    ...(place === platform.room && platform.hasThreads ? platform.answers(platform.answerPlace(said)) : []),
  ];
  const fits = () => seen().find(({ text }) => wanted.test(text));
  if (isSilent) await quiet();
  else await eventually(() => fits() !== undefined);
  return { text: (fits() ?? seen().at(-1))?.text ?? '', shown: new RegExp(`${words}$`) };
}

/** Sam and the owner have a task each, which is another one to everybody else. */
async function open(name: PlatformName, { dm, isAllowed }: (typeof DOORS)[number], isListed: boolean) {
  const platform: Platform = await PLATFORMS[name]();
  const allow = isAllowed ? [platform.identity('kim').split(':').at(-1)] : [];
  const world = await openPlatforms({
    ...{ on: [name], given: { [name]: platform } },
    channel: {
      ...{ access: { dm, allow, chats: isListed && name !== 'discord' ? [platform.room.chat] : [] }, live: 'off' },
      ...(name === 'discord' && !isListed && { guilds: [] }),
    },
  });
  for (const by of ['sam', 'alex'] as const)
    await ask(platform, platform.dm(by), 'other work', { by, text: 'other work' });
  const [ofSam = '', ofAlex = ''] = world.tasks();
  return { world, platform, otherFor: (by: Person) => (by === 'alex' ? ofSam : ofAlex) };
}

describe('what the documentation says of who may do what', () => {
  it('is of 216 cells on each platform, and names nobody and nothing that is not played', () => {
    const all = cells();
    expect(all).toHaveLength(216);
    const played = DOORS.flatMap(({ people }) => Object.keys(people));
    expect([...new Set(all.map(({ who }) => who))].toSorted()).toEqual(played.toSorted());
    expect([...new Set(all.map(({ action }) => action))]).toEqual(['says', 'mentions', ...Object.keys(SHOWN)]);
    expect([...new Set(all.map(({ at }) => at))]).toEqual([DIRECT, LISTED, ELSEWHERE]);
    expect([...new Set(all.map(({ means }) => means))].toSorted()).toEqual(['-', 'code', 'yes']);
  });

  describe.each(onEveryPlatform)('holds on %s', (name) => {
    it.each(DOORS)('with the door $dm for $people', async (door) => {
      const found: string[] = [];
      const said: string[] = [];
      for (const isListed of [true, false]) {
        const { world, platform, otherFor } = await open(name, door, isListed);
        const asked = world.llm.requests().length;
        const mine = cells().filter(({ who, at }) => who in door.people && (at !== ELSEWHERE) === isListed);
        for (const cell of mine) {
          const by = door.people[cell.who] ?? 'kim';
          const place = cell.at === DIRECT ? platform.dm(by) : platform.room;
          const { text, shown } = await shownFor(cell, platform, place, by, otherFor(by));
          const means = shown.test(text) ? 'yes' : CODE.test(text) ? 'code' : '-';
          said.push(`${cell.who} ${cell.at} ${cell.action}: ${cell.means}`);
          found.push(`${cell.who} ${cell.at} ${cell.action}: ${means}`);
        }
        // What was not to be done is not done a moment later either.
        const worked = mine.filter(({ action, means }) => !action.startsWith('/') && means === 'yes').length;
        await quiet();
        expect(world.llm.requests()).toHaveLength(asked + worked);
        await world.stop();
      }
      expect(found).toEqual(said);
    });
  });
});

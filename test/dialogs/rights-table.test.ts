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

/** By the rows of the tables: who plays them, and how the door stands for people who are on no list. */
const WHO: Readonly<Record<string, { by: Person; dm: string; isAllowed?: true }>> = {
  owner: { by: 'alex', dm: 'pairing' },
  member: { by: 'sam', dm: 'pairing' },
  listed: { by: 'kim', dm: 'allowlist', isAllowed: true },
  guest: { by: 'kim', dm: 'open' },
  stranger: { by: 'kim', dm: 'pairing' },
  unlisted: { by: 'kim', dm: 'allowlist' },
};

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
    const answer = platform.command(place, name, given && other, by).then(
      ({ text }) => text,
      () => '',
    );
    return { text: await (isSilent ? Promise.race([answer, quiet().then(() => '')]) : answer), shown };
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

async function open(name: PlatformName, who: string, isListed: boolean) {
  const { by, dm, isAllowed } = WHO[who] ?? { by: 'kim', dm: 'off' };
  const platform: Platform = await PLATFORMS[name]();
  const allow = isAllowed ? [platform.identity('kim').split(':').at(-1)] : [];
  const world = await openPlatforms({
    ...{ on: [name], given: { [name]: platform } },
    channel: {
      ...{ access: { dm, allow, chats: isListed && name !== 'discord' ? [platform.room.chat] : [] }, live: 'off' },
      ...(name === 'discord' && !isListed && { guilds: [] }),
    },
  });
  const another = by === 'alex' ? 'sam' : 'alex';
  await ask(platform, platform.dm(another), 'other work', { by: another, text: 'other work' });
  const [other = ''] = world.tasks();
  return { world, platform, by, other };
}

describe('what the documentation says of who may do what', () => {
  it('is of 216 cells on each platform, and names nobody and nothing that is not played', () => {
    const all = cells();
    expect(all).toHaveLength(216);
    expect([...new Set(all.map(({ who }) => who))]).toEqual(Object.keys(WHO));
    expect([...new Set(all.map(({ action }) => action))]).toEqual(['says', 'mentions', ...Object.keys(SHOWN)]);
    expect([...new Set(all.map(({ at }) => at))]).toEqual([DIRECT, LISTED, ELSEWHERE]);
    expect([...new Set(all.map(({ means }) => means))].toSorted()).toEqual(['-', 'code', 'yes']);
  });

  it.each(onEveryPlatform.flatMap((name) => Object.keys(WHO).map((who) => [name, who] as const)))(
    'holds on %s for the %s',
    async (name, who) => {
      const found: string[] = [];
      const said: string[] = [];
      for (const isListed of [true, false]) {
        const { world, platform, by, other } = await open(name, who, isListed);
        const asked = world.llm.requests().length;
        const mine = cells().filter((each) => each.who === who && (each.at !== ELSEWHERE) === isListed);
        for (const cell of mine) {
          const place = cell.at === DIRECT ? platform.dm(by) : platform.room;
          const { text, shown } = await shownFor(cell, platform, place, by, other);
          const means = shown.test(text) ? 'yes' : CODE.test(text) ? 'code' : '-';
          said.push(`${cell.at} ${cell.action}: ${cell.means}`);
          found.push(`${cell.at} ${cell.action}: ${means}`);
        }
        // What was not to be done is not done a moment later either.
        const worked = mine.filter(({ action, means }) => !action.startsWith('/') && means === 'yes').length;
        await quiet();
        expect(world.llm.requests()).toHaveLength(asked + worked);
        await world.stop();
      }
      expect(found).toEqual(said);
    },
  );
});

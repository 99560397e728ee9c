/** What is no schedule, or could be two: refused with the reason and an example that is one. */
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { formatSchedule, nextSlot, nextSlots, parseSchedule } from '../../src/features/jobs/schedule.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { ownTime } from '../helpers/own-time.ts';

const options = { timezone: 'Europe/Berlin', now: new Date('2026-11-21T18:05:30Z') };

function refusal(text: string, timezone = options.timezone): string {
  try {
    parseSchedule(text, { ...options, timezone });
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return '(taken)';
}

// biome-ignore format: a row is a line
const REFUSED: [text: string, reason: RegExp][] = [
  // what has more than one meaning, or none by the clock
  ['bi-weekly on mondays at 9am', /two meanings.*every 2 weeks on monday/],
  ['in 2 weeks on monday', /both once and repeatedly/],
  ['friday in 2 weeks at 15:00', /both once and repeatedly/],
  ['during business hours', /"during" isn't understood/],
  ['every 30 minutes during work hours', /"during"/],
  ['end of day', /"end"/],
  ['soon', /"soon"/],
  ['in a few minutes', /"few"/],
  ['in a couple of hours', /"couple"/],
  ['every last day', /of which month.*"last day of the month/],
  ['every day ending aug 3', /"ending"/],
  // times that do not exist
  ['25am', /no hour 25am/],
  ['daily at 13pm', /no hour 13pm/],
  ['daily at 0am', /no hour 0am/],
  ['daily at 24:00', /no hour 24/],
  ['8:75', /no minute 75/],
  ['daily at 8:5', /unclear what 8:5 is/],
  ['daily at 8:30:15', /seconds/],
  ['daily at 1730', /no hour 1730/],
  ['hourly at :60', /no minute 60/],
  // rhythms that do not exist
  ['every 0 minutes', /at least 1/],
  ['every -5 minutes', /"-5"/],
  ['every 30 seconds', /seconds/],
  ['every second', /of which month/],
  ['every 1.3 minutes', /a number without a point/],
  ['every 5 months', /come out even/],
  ['every 2 years', /come out even/],
  ['every 1000 days', /more than a year/],
  ['every 999999 hours', /more than a year/],
  ['every 99999999999999999999 hours', /more than a year/],
  ['every 7 hours at :15', /don't divide a day evenly/],
  ['every 50 minutes on weekdays', /don't divide a day evenly/],
  ['every 20 minutes at 9', /no time of day/],
  ['every hour between 17 and 9', /doesn't come after/],
  ['every', /ends too early/],
  ['every the', /"every" is followed by nothing/],
  ['mondays at 9 every', /ends too early/],
  // days that do not exist
  ['32nd of the month', /no month has a day 32/],
  ['on the 0th', /no month has a day 0/],
  ['february 30th', /no such day/],
  ['every february 30', /no such day/],
  ['2026-02-30', /no day 2026-02-30/],
  ['2026-12-24T25:00', /no time 25:00/],
  ['sixth monday of the month', /"sixth" isn't understood/],
  // words
  ['every blursday', /"blursday"/],
  ['sometimes', /"sometimes"/],
  ['around 9 every day', /"around"/],
  ['every business day except holidays at 9', /"business"/],
  ['every hour if it rains', /"if"/],
  ['daily at 9 Atlantis time', /"atlantis" isn't understood/],
  ['every day at half seven', /"half"/],
  ['every 3rd friday at 10:30', /of which month.*"first monday of the month/],
  ['every 2 hours from 8am on weekdays', /until when.*"every 2 hours from 8:00 to 23:59 on weekdays"/],
  ['every hour between 22 and 6', /doesn't come after.*"every hour from 22:00 to 23:59; every hour from 0:00 to 06:00"/],
  ['twice an hour', /"twice"/],
  ['tomorrow night at 12', /doesn't go with "night"/],
  ['every monday night at 1', /doesn't go with "night"/],
  ['weekdays at midnight', /either of two days/],
  ['on the 15th at midnight', /either of two days/],
  ['tonight at midnight', /doesn't go with "tonight"/],
  // one hour, two halves of the day: said in the person's own words
  ['twice a day at 9 and 5', /"twice a day at 9 and 05:00" or "twice a day at 9 and 17:00"/],
  ['remind me tomorrow at 4', /"remind"/],
  ['every monday at half past two', /02:30 or 14:30.*"every monday at 02:30" or "every monday at 14:30"/],
  ['every 5 days at 5', /"every 5 days at 05:00" or "every 5 days at 17:00"/],
  ['every 15 minutes between 2 and 5', /02:00 or 14:00.*"every 15 minutes between 02:00 and 05:00" or "every 15 minutes between 14:00 and 17:00"/],
  ['constructor', /"constructor"/],
  ['every __proto__ at 9', /isn't understood/],
  ['daily at 9 Berliner Zeit', /"berliner"/],
  ['daily at 9 cet', /"cet"/],
  ['daily at 9 UTC+2', /offset from UTC/],
  ['daily at 9 UTC; mondays at 9 Tokyo time', /several time zones/],
  ['daily at 9 until friday', /"until"/],
  ['', /is missing/],
  ['   ', /is missing/],
  ['at', /ends too early/],
  ['the the the', /doesn't give a time/],
  // two meanings
  ['at 8', /on which days/],
  ['8am', /on which days/],
  ['at 8 or 9', /"or"/],
  ['daily at 8 and 9pm', /am or pm/],
  ['every hour between 9 and 5pm', /am or pm/],
  ['every morning at 8pm', /doesn't go with "morning"/],
  ['tonight at 2', /doesn't go with "tonight"/],
  ['twice a day', /at which times/],
  ['3 times a day', /at which times/],
  ['biweekly', /two meanings/],
  ['every other weekday', /"weekday"/],
  ['every second monday at 9', /of which month/],
  ['last friday at 9', /of which month/],
  ['last day at 18:00', /of which month/],
  ['once every at 9 once', /both once and repeatedly/],
  ['mondays once', /both once and repeatedly/],
  ['at noon', /on which days.*"daily at 12:00" or "tomorrow at 12:00"/],
  ['remind me at midnight', /"remind"/],
  ['every day and every monday at 9', /two rhythms/],
  ['every day at five thirty', /"thirty"/],
  ['daily at noon 2', /unclear what 2 is/],
  ['every monday 9', /unclear what 9 is/],
  ['every 15', /unclear what 15 is/],
  ['20 minutes', /unclear what 20 is/],
  ['12/24/2027', /year first/],
  ['12.24.2027', /year first/],
  ['next week', /"week"/],
  ['monday in december at 9', /which part of it repeats/],
  ['friday the 13th at 9', /two ways/],
  ['every day on the 15th', /two rhythms/],
  ['mondays at 9 and fridays', /which time goes with which day/],
  ['every day at 9 and every monday', /two rhythms|which time/],
  ['tomorrow every day', /both once and repeatedly/],
  ['tomorrow on monday', /another day of the week/],
  ['daily at 5', /05:00 or 17:00.*"daily at 05:00" or "daily at 17:00"/],
  ['yearly on the 15th', /which month/],
  // not to come
  ['today at 8', /already past/],
  ['2020-01-01', /already past/],
  ['2026-11-21T19:05', /already past/],
  ['in 0 minutes', /already past/],
  ['in 5000 days', /ten years/],
  ['2099-01-01 09:00', /ten years/],
  // cron
  ['0 0 9 * * *', /six fields.*seconds or years aren't supported/],
  ['0 0 9 * * * 2027', /seven fields/],
  ['0 9 * *', /this has 4/],
  ['60 9 * * *', /field "minute".*"60".*out of range/],
  ['0 24 * * *', /field "hour"/],
  ['0 9 0 * *', /field "day of month"/],
  ['0 9 * 13 *', /field "month"/],
  ['0 9 * * FRI-MON', /field "day of week".*upward/],
  ['0 9 * * 1#6', /field "day of week".*at most five/],
  ['x 9 * * *', /field "minute"/],
  ['*/0 * * * *', /field "minute".*at least 1/],
  ['5/10 * * * *', /field "minute".*step/],
  ['0 9 */2 * MON', /two meanings/],
  ['0 9 30 2 *', /never comes/],
  ['0 9 31 4 *; daily at 9', /never comes/],
  ['@reboot', /restart/],
  ['@often', /isn't known/],
  ['@constructor', /isn't known/],
  // shape
  [';', /";"/],
  ['daily at 9;', /";"/],
  ['in a week in 20 minutes', /two times/],
  ['tonight of the month', /which day of the month/],
  ['once a week on mondays and fridays at 9', /at which times/],
  ['every hour yearly', /two rhythms/],
  // a misspelt word
  ['every tuseday at 9', /"tuseday" isn't understood there; did you mean "tuesday"/],
  ['evry day at 9', /"evry" isn't understood there; did you mean "every"/],
  ['tommorow at 9', /did you mean "tomorrow"/],
  ['every 2 wekes on monday', /./],
  ['every sevn days at 9', /"sevn" isn't understood there; did you mean "seven"/],
  // a word that is near another only by chance, or whose correction is no schedule either
  ['jeden Werktag', /"jeden" isn't understood there\. Say/],
  ['jeden Montg um 9 Uhr', /"jeden" isn't understood there\. Say/],
  ['evry fortnighty', /"evry" isn't understood there\. Say/],
  ['täglich um 9', /"täglich" isn't understood there\. Say/],
];

describe('refused', () => {
  test.each(REFUSED)('%s', (text, reason) => {
    expect(refusal(text)).toMatch(reason);
  });

  test('each example is itself a schedule', () => {
    for (const [text] of REFUSED) {
      const [, examples = ''] = /Say (?:for example )?(".*")\.$/.exec(refusal(text)) ?? [];
      for (const example of examples.split('" or "').map((part) => part.replace(/^"|"$/g, ''))) {
        if (example) expect(refusal(example), `${text} -> ${example}`).toMatch(/^\(taken\)$|already past/);
      }
    }
  });

  test('a time zone that does not exist', () => {
    for (const zone of ['Mars/Olympus', '', 'constructor', '../etc/passwd'])
      expect(refusal('daily at 9', zone)).toMatch(/Set timezone to/);
  });

  test('long and hostile text, without delay and without echo', () => {
    const texts = [
      'daily at 9 '.repeat(1000),
      'a'.repeat(10_000),
      '9,'.repeat(5000),
      '* '.repeat(5000),
      ';'.repeat(10_000),
    ];
    texts.push(
      'every '.repeat(33),
      '1st or '.repeat(24),
      `${'daily;'.repeat(100)}daily`,
      `0 9 * * ${'1,'.repeat(180)}1`,
      `every ${'9'.repeat(190)}`,
    );
    texts.push('daily at 9\u202e', '\u0000', 'every day at ９', '@'.repeat(150), '0 9 * * 1\n0 10 * * 2');
    const start = ownTime();
    for (const text of texts) {
      const answer = refusal(text);
      expect(answer).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(answer.length, answer).toBeLessThan(600);
      if (!text.startsWith('0 9 * * 1,')) expect(answer).not.toBe('(taken)');
    }
    expect(ownTime() - start).toBeLessThan(1000);
  });

  test('hostile phrases end soon, with a plain sentence', () => {
    // biome-ignore format: a row is a line
    const hostile = [
      ...['9999-12-31 23:59', 'on 24 december 9999 at 9', 'in 999999999999 hours', 'every 99999999 weeks', '0000-00-00 00:00', '24.12.99999 18:00'],
      ...['daily at -5', 'every -1 days', 'every 1e9 minutes', 'every 0.0001 hours', 'daily at 9:99', 'hourly at :99', 'on the 99th at 9'],
      ...['daily at 9 Mars/Olympus', 'daily at 9 Europe/Atlantis', 'daily at 9 nowhere time', 'CRON_TZ=Mars/Olympus 0 9 * * *', 'daily at 9 UTC+99'],
      ...['كل يوم الساعة ٩', 'כל יום בשעה 9', '毎日9時', 'every day at ９:００', 'every day at ٩', 'every day at ⁹', 'täglich um Ⅸ Uhr'],
      ...['\u{1F558}'.repeat(90), 'every day at 9 \u{1F558}\u200d\u{1F4A9}', 'daily at 9\u2066', 'daily\u2028at 9 \uE000', '\uE0009:00 every day', '\ud800 daily'],
      ...['time '.repeat(80), 'x time '.repeat(57), 'a/b '.repeat(99), 'hora de a '.repeat(39), 'heure de '.repeat(44), '('.repeat(399)],
      ...['at 5 '.repeat(79), '5 and '.repeat(66), 'every day at 5, '.repeat(24), '1,2 '.repeat(99), '1 uhr '.repeat(66), 'halb 5 '.repeat(57)],
      ...['monday at 9 and '.repeat(24), 'first and '.repeat(39), 'every other '.repeat(33), '5h'.repeat(199), '24.12.'.repeat(66), 'e\u0301'.repeat(199)],
      ...['x'.repeat(10_000), 'daily at 9; '.repeat(900), `${'time;'.repeat(39)}time`, `${`${'x time '.repeat(13)};`.repeat(39)}x`],
    ];
    for (const text of hostile) {
      const start = ownTime();
      const answer = refusal(text);
      expect(ownTime() - start, text).toBeLessThan(400);
      expect(answer, text).toMatch(/^["A-Z].*\.$/s);
      expect(answer, text).not.toMatch(/undefined|NaN|\[object|Invalid|null/);
      expect(answer.length, text).toBeLessThan(900);
    }
  });

  test('a date that is past is taken where the caller says so, a relative one never', () => {
    const past = (text: string) => parseSchedule(text, { ...options, allowPast: true });
    expect(past('2020-01-01 09:00').schedule).toEqual({ kind: 'once', at: '2020-01-01T08:00:00.000Z' });
    expect(past('24 december 2020 at 18:00').schedule).toEqual({ kind: 'once', at: '2020-12-24T17:00:00.000Z' });
    expect(() => past('today at 8')).toThrow(/already past/);
  });

  test('words thrown together end in a schedule that comes, or in a reason', () => {
    // biome-ignore format: a row is a line
    const words = [
      ...['every', 'each', 'daily', 'hourly', 'at', 'in', 'on', 'the', 'of', 'and', ',', '-', ':', '.', ';', '@', 'from', 'to'],
      ...['between', 'except', 'first', 'last', 'second', '15th', '32nd', 'monday', 'fridays', 'weekday', 'weekend', 'day'],
      ...['month', 'year', 'week', 'hour', 'minutes', 'other', 'half', 'a', '0', '2', '9', '17', '45', '2027', '9am', '13pm'],
      ...['9:30', ':15', 'noon', 'morning', 'tonight', 'tomorrow', 'next', 'this', 'january', 'feb', '2027-01-04', 'now', 'once'],
      ...['2027-01-04T09:00Z', '*', '*/5', '1-5', 'MON#1', 'starting', 'quarterly', 'every 2 weeks', 'of the month', 'at 9'],
    ];
    let state = 7;
    const below = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    let taken = 0;
    for (let round = 0; round < 4000; round += 1) {
      const text = Array.from({ length: 1 + below(6) }, () => words[below(words.length)]).join(
        below(9) === 0 ? '' : ' ',
      );
      // Anything but a UserError fails here.
      if (refusal(text) !== '(taken)') continue;
      const { schedule } = parseSchedule(text, options);
      expect(nextSlot(schedule, options.now), text).toBeDefined();
      const written = formatSchedule(schedule);
      expect(nextSlots(parseSchedule(written, options).schedule, options.now, 2), `${text} -> ${written}`).toEqual(
        nextSlots(schedule, options.now, 2),
      );
      taken += 1;
    }
    expect(taken).toBeGreaterThan(100);
  });
});

describe('a phrase in another language', () => {
  test.each([
    ...['täglich um 9', 'werktags um halb acht', 'morgen um 9', 'jeden Montag um 9', 'um 22 Uhr', 'alle 2 Stunden'],
    ...['tous les lundis à 9h', 'demain à 9h', 'à minuit', 'dans 20 minutes', 'chaque jour à 9 heures'],
    ...['todos los días a las 9', 'mañana a las 4', 'de lunes a viernes a las 9', 'cada 15 minutos'],
    ...['her gün saat 9', 'каждый день в 9', '毎日9時'],
  ])('%s is refused with the documented forms', (text) => {
    const answer = refusal(text);
    const [, forms = ''] = /Say for example "(.*)"\.$/.exec(answer) ?? [];
    expect(forms.split('" or "').length, answer).toBeGreaterThanOrEqual(3);
    for (const form of forms.split('" or "')) expect(refusal(form)).toBe('(taken)');
  });
});

describe('a refusal in another language', () => {
  const said = (text: string, language = 'de'): string => {
    try {
      parseSchedule(text, { timezone: 'Europe/Berlin', now: new Date('2027-01-04T08:00:00Z') });
    } catch (error) {
      if (error instanceof UserError) return messagesIn(language).said(error.said);
    }
    return '';
  };

  test.each([
    ['today', /die Uhrzeit fehlt/],
    ['every day at 9 and tomorrow', /es soll einmal und zugleich immer wieder sein/],
    ['friday the 13th at 9', /die Tage sind doppelt angegeben/],
    ['every 5 months', /das geht in einem Jahr nicht auf/],
    ['every 7 hours at :15', /420 Minuten gehen im Tag nicht auf/],
    ['daily at 8:30:15', /Sekunden gehen nicht/],
    ['sometime', /^„sometime“ verstehe ich nicht als Zeit\./],
  ])('%s is said in German alone, with examples that are understood', (text, words) => {
    const shown = said(text);
    expect(shown).toMatch(words);
    expect(shown).not.toMatch(/schedule|Say for example|it says/);
    const examples = [...shown.matchAll(/„([^“]+)“/g)].slice(1).map(([, example = '']) => example);
    expect(examples).not.toEqual([]);
    for (const example of examples) expect([example, said(example)]).toEqual([example, '']);
  });

  test('has no English reason, for a phrase or for cron', () => {
    for (const [text] of REFUSED)
      expect(said(text), text).not.toMatch(/\b(?:is not|it has|there is|Say for example)\b/);
  });

  test.each([
    ['today', /no dice la hora/],
    ['every day at 9 and tomorrow', /dice a la vez una vez y repetidamente/],
    ['every 7 hours at :15', /420 minutos no dividen el día en partes iguales/],
    ['cada lunes a las 9', /^«cada lunes a las 9» no es un horario que yo entienda/],
  ])('%s is refused in Spanish too, with examples that are understood', (text, words) => {
    const shown = said(text, 'es');
    expect(shown).toMatch(words);
    expect(shown).not.toMatch(/Say for example|it says/);
    const [, forms = ''] = /Escríbelo en inglés, por ejemplo «(.*)»\.$/.exec(shown) ?? [];
    expect(forms.split('» o «').length).toBeGreaterThanOrEqual(2);
    for (const form of forms.split('» o «')) expect([form, said(form)]).toEqual([form, '']);
  });

  test('names a time that is past as its reader does', () => {
    expect(said('2020-12-24 18:00')).toMatch(/Do, 24\. Dez\. 2020 um 18:00 ist schon vorbei/);
  });
});

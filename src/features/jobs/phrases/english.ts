/**
 * Rewrites everyday English into the words that the reader knows. It is a table of words rather than a date parser:
 * chrono-node skips what it does not know ("on friday at 25:00" becomes Friday noon, "day after tomorrow" becomes
 * tomorrow, and a second day is dropped), whereas here a phrase is refused unless every word is understood. The model
 * translates other languages first.
 */

type Rule = readonly [RegExp, string | ((...found: string[]) => string)];

const FIGURES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    one: '1',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
    fifteen: '15',
    twenty: '20',
    'twenty-five': '25',
    'twenty five': '25',
    thirty: '30',
    forty: '40',
    'forty-five': '45',
    'forty five': '45',
    sixty: '60',
    ninety: '90',
  }),
);
/** Longest first: "twenty-five" before "twenty". */
const FIGURE = new RegExp(
  `(?<![\\p{L}'])(?:${[...FIGURES.keys()].sort((a, b) => b.length - a.length).join('|')})(?![\\p{L}'])`,
  'gu',
);

/**
 * Marks a time that was spoken or named by its hour alone: only am or pm decides its half of the day. It can't be
 * typed.
 */
export const SPOKEN = '\uE000';

/** Returns `hour` plus `minutes`, which may be negative, as a spoken time. */
export function spoken(hour = '', minutes = 0): string {
  const said = Number(hour);
  // There is no such hour; the reader reports it.
  if (said > 24) return `${hour}:00`;
  const at = minutes < 0 ? (said + 23) % 24 : said;
  const shown = at === 0 && said <= 12 && minutes < 0 ? 12 : at;
  return `${SPOKEN}${hour.length > 1 && minutes >= 0 ? hour : shown}:${String((minutes + 60) % 60).padStart(2, '0')}`;
}

/** Rules that depend on neighbouring words, applied in this order, with numbers already in figures. */
const RULES: readonly Rule[] = [
  [/ \(in months that have it\)/g, ''],
  [/^@every\b/g, 'every'],
  [/\b(bi|semi)-(?=weekly|monthly|annually)/g, '$1'],
  [/\b(every|each) fortnight\b/g, 'every 2 weeks'],
  [/\bin a fortnight\b/g, 'in 2 weeks'],
  // "every 3 mondays" means every 3 weeks on Monday.
  [/\bevery ([2-9]|1\d) ((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b/g, 'every $1 weeks on $2'],
  // systemd's range syntax.
  [/(?<=\p{L}{3})\.\.(?=\p{L}{3})/gu, '-'],
  [/^(?:please )?(?:remind (?:me|us) )?/g, ''],
  [/,? please$/g, ''],
  [/\blater today\b/g, 'today'],
  [
    /\bin (\d{1,2}) ?h ?(\d\d)(?: ?m(?:in)?)?\b/g,
    (_, hours, more) => `in ${Number(hours) * 60 + Number(more)} minutes`,
  ],
  [/\b(in \d{1,3}) ?d\b/g, '$1 days'],
  [/(?<=\p{L}) ?\+ ?(?=\p{L})/gu, ' and '],
  [/(?<=\p{L}),? (?:(?:and )?then|plus) (?=on |at |every |each |\p{L}+day)/gu, ' and '],
  [/(?<=\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)'s\b/g, 's'],
  [/\bm ?- ?f\b/g, 'mon-fri'],
  [/(?<=\b(?:day|days|daily|weekdays?)) (?:but|apart from|other than)(?: not)?(?: on)? /g, ' except '],
  // "every monday and every thursday at 9" is one rhythm.
  [
    /\b((?:every|each) \p{L}+day),? (?:and|&) (?:every|each) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)/gu,
    '$1 and ',
  ],
  // "0900", "1430 hours"
  [/(?<=\bat )(0\d)([0-5]\d)(?: hours| hrs)?(?![\d:.])/g, '$1:$2'],
  [/(?<=\bat )([01]\d|2[0-3])([0-5]\d) (?:hours|hrs)\b/g, '$1:$2'],
  // "at eight thirty"
  [
    /(?<=\bat )(\d{1,2}) (15|30|45)(?= ?[ap]m\b| every| each| on|$)/g,
    (_, hour, minutes) => spoken(hour, Number(minutes)),
  ],
  [/^(?:at )?(\d{1,2}) (?:minutes? )?(?:past|after) (?:every|each) hour\b/g, 'every hour at :$1'],
  [/(?<=\b(?:hours?|hourly) )at (?:a )?quarter past$/g, 'at :15'],
  [/(?<=\b(?:hours?|hourly) )at half past$/g, 'at :30'],
  [/(?<=\b(?:hours?|hourly) )at (?:a )?quarter to$/g, 'at :45'],
  [/\b3[ -]quarters of an hour\b/g, '45 minutes'],
  [/ ?o'clock\b/g, ''],
  [/(?<=\d ?)([ap])\.m\.?(?!\p{L})/gu, '$1m'],
  [/\bhalf past (\d{1,2})\b/g, (_, hour) => spoken(hour, 30)],
  [/\b(?:a )?quarter (?:past|after) (\d{1,2})\b/g, (_, hour) => spoken(hour, 15)],
  [/\b(?:a )?quarter (?:to|before|of) (\d{1,2})\b/g, (_, hour) => spoken(hour, -15)],
  [/\b(5|10|20|25) (?:minutes )?past (\d{1,2})\b/g, (_, minutes, hour) => spoken(hour, Number(minutes))],
  [/\bat (5|10|20|25) (?:minutes )?to (\d{1,2})\b/g, (_, minutes, hour) => `at ${spoken(hour, -Number(minutes))}`],
  [/\b(?:an |1 )?hour and a half\b/g, '90 minutes'],
  [/\bat the (weekends?)\b/g, 'on $1'],
  // "every 30 minutes 8am-6pm"
  [/(?<![\d./:-])(\d{1,2}(?::\d\d)? ?(?:[ap]m)?) ?- ?(\d{1,2}(?::\d\d)? ?(?:[ap]m)?)(?![\d./:-])/g, 'from $1 to $2 '],
  [/\b((?:mon|tues|wednes|thurs|fri|satur|sun)day),? next week\b/g, 'next week $1'],
  [/\bnext week on (?=\p{L}+day\b)/gu, 'next week '],
  [/\bquarter (?:of an hour|hour)\b/g, '15 minutes'],
  [/\b(\d) ?x (?=daily|a|per|every|each)/g, '$1 times '],
  [/\b2 times\b/g, 'twice'],
  [/\b(?:business|working|work|week) (day|days)\b/g, 'week$1'],
  [/\beveryday\b/g, 'every day'],
  [/\bnightly\b/g, 'every night'],
  [/\b12 midnight\b/g, 'midnight'],
  [/\bon the hour\b/g, 'at :00'],
  [/\bat (?:a )?quarter past (?=(?:every|each|the) hour)/g, 'at :15 '],
  [/\bat half past (?=(?:every|each|the) hour)/g, 'at :30 '],
  [/\bat (\d{1,2}) (?:minutes )?past(?: the hour)?(?! \d)/g, 'at :$1'],
  [/\b(?:at )?(?:the )?(?:end of (?:the |every |each )?month|month[- ]end)\b/g, 'last day of the month'],
  [/\bevery single\b/g, 'every'],
  [/\bthis coming\b/g, 'coming'],
  [/\b(?:tmrw|tmr|tmw)\b/g, 'tomorrow'],
  [/^after (?=\d)/g, 'in '],
  [/\bdays (\d{1,2}) and (\d{1,2})\b/g, 'the $1th and $2th'],
  [/(?<!\d )\bday (\d{1,2})(?![\d:.]| ?[ap]m)\b/g, 'the $1th'],
  [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})?(?![\d.])/g, (found, day, month, year = '') => dateOf(found, day, month, year)],
  [/(?<=\p{L})\/(?=\p{L})/gu, ' and '],
  // "Mon-Thu 18h"; in "every 18h" and "in 18h" it is a duration.
  [/(?<!\b(?:every|in|after)\b.*)\b(\d{1,2}) ?h\b(?! from)/g, (_, hour) => spoken(hour)],
  [/(?<=\b(?:\p{L}*day|at),? )(\d{1,2})h(\d\d)\b/gu, '$1:$2'],
  [/(?<=\bday,? (?:at )?)(\d{1,2})h\b/g, (_, hour) => spoken(hour)],
];

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A date with dots begins with the day. */
function dateOf(found: string, day = '', month = '', year = ''): string {
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? found : `${day} ${name} ${year}`;
}

/** Returns lower case without accents, with one kind of hyphen, apostrophe and space. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/[.!]$/, '')
    .trim();

/** @param text the output of `fold` */
export function inReadersWords(text: string): string {
  const figures = text.replace(FIGURE, (found) => FIGURES.get(found) ?? found);
  return RULES.reduce(
    (now, [pattern, by]) => (typeof by === 'string' ? now.replace(pattern, by) : now.replace(pattern, by)),
    figures,
  )
    .replace(/\s+/g, ' ')
    .trim();
}
